// Words the errors of the YAML library for authors who are no programmers. One problem a line: a second one on the same line is
// mostly the same mistake again.
import type { YAMLError } from 'yaml';
import type { Problem } from '../../domain/mapping/mapping.ts';
import type { PlaceOf } from './source-lines.ts';

/** An author corrects fewer than these before the next try. */
const MAX_PROBLEMS = 20;

type Parts = {
  readonly errors: readonly YAMLError[];
  readonly text: string;
  readonly placeOf: PlaceOf;
  /** The start of each quoted text that is never closed, by the position at which the library noticed it. */
  readonly quoteStarts: ReadonlyMap<number, number>;
};

export function describeYamlErrors({ errors, text, placeOf, quoteStarts }: Parts): readonly Problem[] {
  const byLine = new Map<number, Problem>();
  const lines = new Set<number>();
  const overLines = positionsOf(errors, 'MULTILINE_IMPLICIT_KEY');
  const nested = positionsOf(errors, 'BLOCK_AS_IMPLICIT_KEY');
  let isSpoiled = false;
  for (const error of errors) {
    if (byLine.size >= MAX_PROBLEMS) break;
    // The other of the two is reported.
    if (error.code === 'MULTILINE_IMPLICIT_KEY' && nested.has(error.pos[0])) continue;
    const { line } = placeOf(error.pos[0]);
    if (lines.has(line)) continue;
    lines.add(line);
    const { isSpoiling = false, ...problem } = describe({ error, text, placeOf, quoteStarts, overLines });
    if (isSpoiled && !isSpoiling && FOLLOW_UPS.has(error.code)) continue;
    isSpoiled ||= isSpoiling;
    if (!byLine.has(problem.place.line)) byLine.set(problem.place.line, problem);
  }
  return [...byLine.values()];
}

/** Errors that follow from a brace without quotes or from a tab. */
const FOLLOW_UPS: ReadonlySet<YAMLError['code']> = new Set([
  'UNEXPECTED_TOKEN',
  'BAD_INDENT',
  'BLOCK_AS_IMPLICIT_KEY',
  'BLOCK_IN_FLOW',
  'MULTILINE_IMPLICIT_KEY',
  'MISSING_CHAR',
]);

function positionsOf(errors: readonly YAMLError[], code: YAMLError['code']): ReadonlySet<number> {
  return new Set(errors.filter((error) => error.code === code).map(({ pos }) => pos[0]));
}

type ErrorParts = Omit<Parts, 'errors'> & {
  readonly error: YAMLError;
  /** Positions at which a value looks like a key that goes on in the next line. */
  readonly overLines: ReadonlySet<number>;
};

type Described = Problem & {
  /** True if the library misreads everything after this error. */
  readonly isSpoiling?: boolean;
};

function describe({ error, text, placeOf, quoteStarts, overLines }: ErrorParts): Described {
  const at = error.pos[0];
  const brace = unquotedBrace(text, at);
  if (brace !== undefined) return { place: placeOf(brace), message: quotesFor(text, brace), isSpoiling: true };
  const quote = quoteStarts.get(at);
  if (quote !== undefined) return { place: placeOf(quote), message: 'the quote that begins this text is never closed' };
  const inner = quoteInside(text, at);
  if (inner !== undefined) return { place: placeOf(inner.at), message: inner.message, isSpoiling: true };
  const space = error.code === 'TAB_AS_INDENT' ? undefined : missingSpace(text, at);
  if (space !== undefined) return { place: placeOf(space.at), message: space.message };
  if (error.code === 'BLOCK_AS_IMPLICIT_KEY' && overLines.has(at)) {
    const message = 'this line is indented as if it belonged to the value above it';
    return { place: placeOf(nextLine(text, at)), message };
  }
  const place = placeOf(Math.min(at, text.length));
  const message = WORDS[error.code]?.(error, text[at] ?? '') ?? error.message;
  return { place, message, isSpoiling: error.code === 'TAB_AS_INDENT' };
}

/** The start of the text of the next line. */
function nextLine(text: string, at: number): number {
  let next = text.indexOf('\n', at);
  while (next >= 0 && next < text.length && /\s/.test(text.charAt(next))) next++;
  return Math.max(at, next);
}

const NEEDS_QUOTES =
  'this needs quotes around it: without them YAML reads the { as the beginning of an object ("{{ … }}", "{% … %}": …)';

const BRACE = /(^|[\s:,[-])(\{\{|\{%|\{\[)|\$\{/g;

/** The position of an expression without quotes, before the mistake on the same line. */
export function unquotedBrace(text: string, at: number): number | undefined {
  const start = text.lastIndexOf('\n', Math.max(0, at - 1)) + 1;
  const line = text.slice(start, text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at));
  let open = '';
  let seen = 0;
  for (const match of line.matchAll(BRACE)) {
    const brace = match.index + (match[1]?.length ?? 0);
    if (start + brace > at) return undefined;
    for (; seen < brace; seen++) open = quoteAfter(open, line.charAt(seen));
    if (open === '') return start + brace;
  }
  return undefined;
}

/** The quote that is open after this character. */
function quoteAfter(open: string, character: string): string {
  if (open === '') return character === '"' || character === "'" ? character : '';
  return character === open ? '' : open;
}

/** The braces of an expression, or `${NAME}`. */
export function quotesFor(text: string, brace: number): string {
  if (text[brace] !== '$') return NEEDS_QUOTES;
  const name = /^\$\{([A-Za-z_]\w{0,99})\}/.exec(text.slice(brace, brace + 110))?.[1] ?? 'NAME';
  const isWhole = /^[\s:,[{-]?$/.test(text.slice(Math.max(0, brace - 1), brace));
  return isWhole ? `"\${${name}}" needs quotes around it` : `the text with \${${name}} in it needs quotes around it`;
}

/** A quote in an expression has ended the text that holds the expression. */
function quoteInside(text: string, at: number): { readonly at: number; readonly message: string } | undefined {
  const start = text.lastIndexOf('\n', Math.max(0, at - 1)) + 1;
  const before = text.slice(start, at).trimEnd();
  const sign = before.at(-1) ?? '';
  if (sign !== '"' && sign !== "'") return undefined;
  const inner = before.slice(before.slice(0, -1).lastIndexOf(sign) + 1, -1);
  const opened = Math.max(inner.lastIndexOf('{{'), inner.lastIndexOf('{['), inner.lastIndexOf('{%'));
  if (opened < 0 || inner.includes('}', opened)) return undefined;
  return { at: start + before.length - 1, message: sign === '"' ? SINGLE_QUOTES : DOUBLE_QUOTES };
}

const SINGLE_QUOTES = "this quote ends the text: texts inside an expression are written in single quotes, 'x'";
const DOUBLE_QUOTES = 'this quote ends the text: put double quotes around all of it, and single ones inside';

const SPACE_BEHIND_COLON = 'a space is missing behind the colon';

/** `-coding: a`, and `status:final` that YAML reads as a text. Not in an address. */
function missingSpace(text: string, at: number): { readonly at: number; readonly message: string } | undefined {
  const start = text.lastIndexOf('\n', Math.max(0, at - 1)) + 1;
  const line = text.slice(start, start + 300);
  const dash = /^ *(?:- +)*(?=-[A-Za-z]\w*:)/.exec(line)?.[0];
  if (dash !== undefined) return { at: start + dash.length, message: 'a space is missing behind the -' };
  const key = /^ *(?:- +)*[A-Za-z_][\w-]{0,99}:(?=[^\s:/])/.exec(line)?.[0];
  return key === undefined ? undefined : { at: start + key.length - 1, message: SPACE_BEHIND_COLON };
}

type Wording = (error: YAMLError, character: string) => string;

const WORDS: Partial<Record<YAMLError['code'], Wording>> = {
  TAB_AS_INDENT: () => 'a tab cannot indent: use spaces',
  BAD_DQ_ESCAPE: () =>
    'this is no escape that double quotes know: write \\\\ for a backslash, or put the text into single quotes',
  BAD_SCALAR_START: (_, character) => `a text that begins with ${character} needs quotes`,
  BLOCK_AS_IMPLICIT_KEY: () =>
    'a second key on this line: put a text with a colon into quotes, or check how the lines are indented',
  BLOCK_IN_FLOW: () => 'within [ ] and { } everything is written with commas, brackets and quotes, not with lines',
  MULTILINE_IMPLICIT_KEY: () => 'a key is written on one line: check quotes and how the lines are indented',
  KEY_OVER_1024_CHARS: () =>
    'a key has at most 1,024 characters: name a part of the expression in {% assign %} and use the name',
  BAD_INDENT: ({ message }) =>
    message.startsWith('Flow')
      ? 'a [ or { is not closed before this, or what it holds is indented too little'
      : 'this line is not indented as the lines that it belongs to',
  MISSING_CHAR: ({ message }) => missing(message),
  UNEXPECTED_TOKEN: ({ message }) => unexpected(message),
  RESOURCE_EXHAUSTION: () => TOO_DEEP,
};

export const TOO_DEEP = 'this is nested too deep: a file has at most 32 levels';

function missing(message: string): string {
  if (message.includes('followed by map values')) return 'a colon and a value are missing here (key: value)';
  if (message.includes('Sequence item')) return 'the item of a list begins with "- "';
  if (message.includes('Missing ,')) return 'a comma is missing here';
  if (message.includes('Comments must')) return 'a comment needs a space before its #';
  if (message.includes('Missing space after :')) return SPACE_BEHIND_COLON;
  return message.startsWith('Missing closing') ? 'the quote that begins this text is never closed' : message;
}

function unexpected(message: string): string {
  if (message.includes('block-seq-ind')) return 'a list begins on the line below its key';
  if (message.includes('at node end')) return 'the value had ended before this: put all of it into quotes';
  if (message.includes('flow-map-end')) return 'a } that no { has opened';
  if (message.includes('flow-seq-end')) return 'a ] that no [ has opened';
  if (message.includes(',') || message.includes('empty item')) return 'a comma that separates nothing';
  return 'this is not understood here: a text with special characters needs quotes';
}
