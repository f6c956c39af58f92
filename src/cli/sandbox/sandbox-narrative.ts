// Turns the narrative of a FHIR resource into plain text. All tags are removed, in one pass, so that hostile input costs no more.

/** A longer narrative is cut. */
const MAX_LENGTH = 200_000;

const PARAGRAPH = '\n\n';
/** Tags that begin a paragraph, a line or an item. */
const BREAKS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['p', 'div', 'ul', 'ol', 'table', 'h1', 'h2', 'h3', 'h4'].map((tag) => [tag, PARAGRAPH])),
  br: '\n',
  tr: '\n',
  li: '\n- ',
  td: ' ',
  th: ' ',
};
/** Tags whose content is not text. */
const HIDDEN: ReadonlySet<string> = new Set(['script', 'style', 'head', 'title']);
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Returns the paragraphs with their lines, without empty ones. */
export function paragraphsOf(div: string): readonly string[] {
  const [before = '', ...pieces] = div.slice(0, MAX_LENGTH).split('<');
  const text = [wordsOf(before), ...pieces.map(makeReader())].join('');
  return joinLines(text.split('\n').map((line) => decode(line).replace(/ +/g, ' ').trim()));
}

/** The same for plain text. */
export function paragraphsOfText(text: string): readonly string[] {
  const lines = text.slice(0, MAX_LENGTH).split(/\r?\n/);
  return joinLines(lines.map((line) => line.trim()));
}

/** Each piece is the text after a `<`. */
function makeReader(): (piece: string) => string {
  let hiddenUntil: string | undefined;
  return (piece) => {
    if (hiddenUntil === '-->' || (hiddenUntil === undefined && piece.startsWith('!--'))) {
      const end = piece.indexOf('-->');
      hiddenUntil = end < 0 ? '-->' : undefined;
      return end < 0 ? '' : wordsOf(piece.slice(end + 3));
    }
    const { tag, isEnd, isAlone, words } = readTag(piece);
    if (hiddenUntil !== undefined && !(isEnd && tag === hiddenUntil)) return '';
    const isHiding = hiddenUntil === undefined && !isEnd && !isAlone && HIDDEN.has(tag);
    hiddenUntil = isHiding ? tag : undefined;
    if (isHiding) return '';
    const gap = BREAKS[tag] ?? '';
    // The end of a line or item begins the next one.
    return `${isEnd && gap !== PARAGRAPH ? '' : gap}${words}`;
  };
}

type Tag = { readonly tag: string; readonly isEnd: boolean; readonly isAlone: boolean; readonly words: string };

function readTag(piece: string): Tag {
  const [isTag, slash, name = ''] = /^([/!?]?)([a-z][a-z0-9]*)/i.exec(piece) ?? [];
  // This `<` is text, not a tag.
  if (isTag === undefined) return { tag: '', isEnd: false, isAlone: false, words: wordsOf(`<${piece}`) };
  const end = piece.indexOf('>');
  const inside = end < 0 ? piece : piece.slice(0, end);
  const words = end < 0 ? '' : wordsOf(piece.slice(end + 1));
  return { tag: name.toLowerCase(), isEnd: slash === '/', isAlone: inside.endsWith('/'), words };
}

/** Line ends between tags carry no meaning. */
function wordsOf(text: string): string {
  return text.replace(/[\t\r\n ]+/g, ' ');
}

function joinLines(lines: readonly string[]): readonly string[] {
  const paragraphs: string[][] = [[]];
  for (const line of lines) {
    if (line === '' || line === '-') paragraphs.push([]);
    else paragraphs.at(-1)?.push(line);
  }
  return paragraphs.filter(({ length }) => length > 0).map((paragraph) => paragraph.join('\n'));
}

function decode(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,4});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : '�';
  });
}
