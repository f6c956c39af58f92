// Takes tags, comments, scripts and declarations out of a text, also broken ones, and leaves comparisons. One pass from left to right; each
// part of the text is read a bounded number of times.
import { GAP, type RemovalCount } from './removal.ts';
import { BLOCKS, INLINE, isElement, isWordToo } from './tag-names.ts';

const START = /<(?=[\s/!?]{0,20}[a-z!?/])/gi;
const NAME = /<(\s{0,20})([a-z][^\s<>/="'`]{0,60})/iy;
const ATTRIBUTE =
  /[\s/]{1,200}([^\s"'<>/=]{1,100})(\s{0,20}=\s{0,20}(?:"[^"]{0,4000}"|'[^']{0,4000}'|["'][^"'<>]{0,200}$|[^\s"'<>`]{0,4000}))?/y;
const END = /[\s/]{0,200}>/y;
const CLOSING = /<\s{0,20}\/\s{0,20}([a-z][^\s<>/="'`]{0,60})(?:\s{0,20}>)?/iy;
const CLOSED_LETTER = /<\s{0,20}\/\s{0,20}([a-z])\s{0,20}>/gi;
const CDATA = /<\s{0,20}!\s{0,5}\[\s{0,5}cdata\s{0,5}\[/iy;
const DECLARATION = /<[!?][[a-z][^<>]{0,2000}>/iy;
const BROKEN_DECLARATION = /<[!?](?:doctype|entity|element|attlist|xml|php)\b/iy;
const COMMENT = /<\s{0,3}!\s{0,3}--/y;

/** Attributes that no sentence has before an equals sign. */
const STRONG =
  /^(?:on[a-z]{3,30}|href|src|srcdoc|srcset|style|class|id|name|type|content|action|formaction|width|height|alt|rel|target|lang|xmlns.*|xlink.*|data-.*|aria-.*|http-equiv|background|border|align|color|face)$/i;
const MOST_ATTRIBUTES = 60;
const SWITCHES =
  /^(?:async|defer|disabled|checked|hidden|controls|autoplay|autofocus|required|open|loop|muted|selected|readonly|multiple|novalidate|reversed|nowrap)$/i;

/** What begins at a `<`: where it ends, and what takes its place. `isMarkup` is false for a comparison. */
type Piece = { readonly end: number; readonly instead: string; readonly isMarkup: boolean };

export function removeTags(text: string, found: RemovalCount): string {
  if (!text.includes('<')) return text;
  const reading = { text, find: makeFind(text), closedLetters: closedLetters(text) };
  const parts: string[] = [];
  let [done, hadCdata] = [0, false];
  for (const { index } of text.matchAll(START)) {
    if (index < done) continue;
    const piece = readPiece(reading, index);
    hadCdata ||= matchAt(CDATA, text, index) !== undefined;
    if (piece.isMarkup) found.markup += 1;
    parts.push(text.slice(done, index), piece.instead);
    done = piece.end;
  }
  const whole = parts.join('') + text.slice(done);
  return hadCdata ? whole.replaceAll(']]>', GAP) : whole;
}

type Reading = { readonly text: string; readonly find: Find; readonly closedLetters: ReadonlySet<string> };

function readPiece(reading: Reading, at: number): Piece {
  const { text, find } = reading;
  if (matchAt(CDATA, text, at)) return markup(endOf(CDATA));
  if (matchAt(COMMENT, text, at)) return markup(find.commentEnd(endOf(COMMENT) - 2) ?? lineEnd(text, at));
  if (matchAt(DECLARATION, text, at)) return markup(endOf(DECLARATION));
  if (matchAt(BROKEN_DECLARATION, text, at)) return markup(endOf(BROKEN_DECLARATION));
  return readClosing(text, at) ?? readOpening(reading, at) ?? comparison(text, at);
}

function readClosing(text: string, at: number): Piece | undefined {
  const match = matchAt(CLOSING, text, at);
  if (match === undefined) return undefined;
  const name = (match[1] ?? '').toLowerCase();
  const isClosed = match[0].endsWith('>');
  const isTight = /^<\/\S+$/.test(match[0]);
  if (!(isElement(name) && (isClosed || !isWordToo(name))) && !(isClosed && isTight)) return undefined;
  return markup(isClosed ? endOf(CLOSING) : at + match[0].length, insteadOf(name, text, at, endOf(CLOSING)));
}

function readOpening({ text, find, closedLetters }: Reading, at: number): Piece | undefined {
  const match = matchAt(NAME, text, at);
  if (match === undefined) return undefined;
  const name = (match[2] ?? '').toLowerCase();
  const { attributes, lastValue, end: attributesEnd } = readAttributes(text, endOf(NAME));
  const isClosed = matchAt(END, text, attributesEnd) !== undefined;
  const tag = { name, attributes, isClosed, isTight: match[1] === '', isEnded: closedLetters.has(name) };
  if (!isTag(tag)) return undefined;
  const end = isClosed ? endOf(END) : (lastValue ?? at + match[0].length);
  if (name !== 'script' && name !== 'style') return markup(end, insteadOf(name, text, at, end));
  const line = lineEnd(text, end);
  const close = find.scriptEnd(name, end);
  if (close === undefined || !(isClosed || close < line)) return markup(isClosed ? line : end);
  return markup(matchAt(CLOSING, text, close) ? endOf(CLOSING) : close);
}

type Attribute = { readonly name: string; readonly hasValue: boolean };
type Tag = {
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly isClosed: boolean;
  /** Without a space behind the `<`. */
  readonly isTight: boolean;
  /** An element of one letter that a closing tag ends. */
  readonly isEnded: boolean;
};

/** Real tags only: "WBC <normal and Hb >10", "a <b and c> d" and "Na < x" are comparisons. */
function isTag({ name, attributes, isClosed, isTight, isEnded }: Tag): boolean {
  if (attributes.some((attribute) => attribute.hasValue && STRONG.test(attribute.name))) return true;
  const isKnown = isElement(name);
  if (isKnown && !isWordToo(name)) return true;
  if (!isClosed) return false;
  if (!isTight) return isKnown && attributes.length === 0 && (name.length > 1 || isEnded);
  return attributes.every((attribute) => attribute.hasValue || (isKnown && SWITCHES.test(attribute.name)));
}

/** `lastValue` is behind the last attribute with a value, if there is one. */
function readAttributes(text: string, from: number) {
  const attributes: Attribute[] = [];
  let [end, lastValue]: [number, number | undefined] = [from, undefined];
  while (attributes.length < MOST_ATTRIBUTES) {
    const match = matchAt(ATTRIBUTE, text, end);
    if (match === undefined) break;
    const hasValue = match[2] !== undefined;
    end = endOf(ATTRIBUTE);
    if (hasValue) lastValue = end;
    attributes.push({ name: match[1] ?? '', hasValue });
  }
  return { attributes, lastValue, end };
}

/** A parser takes `<` before a letter for a tag, so that a comparison needs a space. */
function comparison(text: string, at: number): Piece {
  const isTight = /[a-z!?/]/i.test(text.charAt(at + 1));
  return { end: at + 1, instead: isTight ? '< ' : '<', isMarkup: false };
}

function markup(end: number, instead = GAP): Piece {
  return { end, instead, isMarkup: true };
}

function insteadOf(name: string, text: string, at: number, end: number): string {
  if (BLOCKS.has(name)) return isAtLineEdge(text, at, end) ? '' : '\n';
  if (!INLINE.has(name)) return GAP;
  // "10<sup>9</sup>/L" is no 109.
  return name === 'sup' && /\d/.test(text.charAt(at - 1)) && /\d/.test(text.charAt(end)) ? '^' : '';
}

function isAtLineEdge(text: string, at: number, end: number): boolean {
  return /^[\n]?$/.test(text.charAt(at - 1)) || /^[\n]?$/.test(text.charAt(end));
}

type Find = {
  readonly commentEnd: (from: number) => number | undefined;
  readonly scriptEnd: (name: string, from: number) => number | undefined;
};

/** A search that found nothing is not repeated. */
function makeFind(text: string): Find {
  const absent = new Set<string>();
  const find = (what: string, pattern: RegExp, from: number): RegExpExecArray | undefined => {
    if (absent.has(what)) return undefined;
    const match = matchAt(pattern, text, from);
    if (match === undefined) absent.add(what);
    return match;
  };
  return {
    commentEnd: (from) => {
      const match = find('comment', /-->/g, from);
      return match && match.index + match[0].length;
    },
    scriptEnd: (name, from) => find(name, new RegExp(`<\\s{0,20}/\\s{0,20}${name}`, 'gi'), from)?.index,
  };
}

function closedLetters(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(CLOSED_LETTER)].map(([, letter = '']) => letter.toLowerCase()));
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** The end of the last match of a sticky pattern. */
function endOf(pattern: RegExp): number {
  return pattern.lastIndex;
}
