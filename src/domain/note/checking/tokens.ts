// A text cut into words, numbers and marks, each with its place, made comparable: without case, accents and most plurals. Linear in
// the text, whatever stands in it.

export type Token = {
  /** Lower case, without accents: `rodillas`. Of a number, its digits and separators. */
  readonly word: string;
  /** Without the plural: `rodilla`. */
  readonly stem: string;
  readonly from: number;
  readonly to: number;
  readonly kind: 'word' | 'number' | 'mark';
  /** Counts up at each full stop, question mark, semicolon and line. */
  readonly sentence: number;
  /** Nothing stands between it and the token before it. */
  readonly isGlued: boolean;
};

// Every repetition ends at the first character that does not belong to it, so nothing is tried twice. `b.i.d.` is one word, and so
// are the two measures that have a digit in their name.
const PIECES =
  /(?:[Hh][Bb])?[Aa]1[Cc](?![\p{L}\d])|[Ss][Pp][Oo]2(?!\d)|(?:\p{L}\.){2,5}(?!\p{L})|[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|\d+(?:[.,]\d+)*|[½¼¾]|[-–—.,;:!?¿/%°+×()]|\n/gu;
const SENTENCE_ENDS = new Set(['.', '!', '?', ';', '\n']);
const FRACTIONS: Readonly<Record<string, string>> = { '½': '0.5', '¼': '0.25', '¾': '0.75' };
/** Longer words are no words of ours. */
const MAX_WORD = 40;

export function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let sentence = 0;
  let end = -1;
  for (const match of text.matchAll(PIECES)) {
    const piece = match[0];
    const from = match.index;
    const to = from + piece.length;
    const kind = kindOf(piece);
    const word = kind === 'word' ? fold(piece) : (FRACTIONS[piece] ?? piece);
    tokens.push({ word, stem: kind === 'word' ? stemOf(word) : word, from, to, kind, sentence, isGlued: from === end });
    if (SENTENCE_ENDS.has(piece)) sentence += 1;
    end = to;
  }
  return tokens;
}

function kindOf(piece: string): Token['kind'] {
  if (/^[\d½¼¾]/u.test(piece)) return 'number';
  return /^\p{L}|^\p{M}/u.test(piece) ? 'word' : 'mark';
}

/** Lower case, without accents, dots and apostrophes. */
export function fold(word: string): string {
  const short = word.length > MAX_WORD ? `${word.slice(0, MAX_WORD)}~` : word;
  const lower = short.toLowerCase().normalize('NFC');
  // The one word that without its accent means something else: yes, and if.
  if (lower === 'sí') return lower;
  return /^[a-z]*$/.test(lower) ? lower : lower.normalize('NFD').replace(/[\p{M}.'’]/gu, '');
}

/** Roughly the singular, in any of our languages. Only ever compared with what went the same way. */
export function stemOf(word: string): string {
  if (word.length < 4 || !word.endsWith('s')) return word;
  if (word.endsWith('oes')) return `${word.slice(0, -3)}ao`;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return /(ss|us|is)$/.test(word) ? word : word.slice(0, -1);
}

/** How many words and numbers stand between two places of the list. Counts no further than asked for. */
export function wordsBetween(tokens: readonly Token[], first: number, end: number, most = 12): number {
  let count = 0;
  for (let index = first; index < end && count <= most; index += 1) if (tokens[index]?.kind !== 'mark') count += 1;
  return count;
}
