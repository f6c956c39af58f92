// What the YAML library found, in the words of somebody who fills in a form. One problem a line: what follows on the same line is
// mostly the same mistake again.
import type { YAMLError } from 'yaml';
import type { Problem } from '../../domain/mapping.ts';
import type { PlaceOf } from './source-lines.ts';

/** More than somebody mends before looking again. */
const MAX_PROBLEMS = 20;

type Parts = {
  readonly errors: readonly YAMLError[];
  readonly text: string;
  readonly placeOf: PlaceOf;
  /** Of a quoted text that is never closed: where it begins, by where it was found to be open. */
  readonly quoteStarts: ReadonlyMap<number, number>;
};

export function describeYamlErrors({ errors, text, placeOf, quoteStarts }: Parts): readonly Problem[] {
  const byLine = new Map<number, Problem>();
  const lines = new Set<number>();
  const overLines = positionsOf(errors, 'MULTILINE_IMPLICIT_KEY');
  const nested = positionsOf(errors, 'BLOCK_AS_IMPLICIT_KEY');
  for (const error of errors) {
    if (byLine.size >= MAX_PROBLEMS) break;
    // Told by the other of the two.
    if (error.code === 'MULTILINE_IMPLICIT_KEY' && nested.has(error.pos[0])) continue;
    const { line } = placeOf(error.pos[0]);
    if (lines.has(line)) continue;
    lines.add(line);
    const problem = describe({ error, text, placeOf, quoteStarts, overLines });
    if (!byLine.has(problem.place.line)) byLine.set(problem.place.line, problem);
  }
  return [...byLine.values()];
}

function positionsOf(errors: readonly YAMLError[], code: YAMLError['code']): ReadonlySet<number> {
  return new Set(errors.filter((error) => error.code === code).map(({ pos }) => pos[0]));
}

type One = Omit<Parts, 'errors'> & {
  readonly error: YAMLError;
  /** Where a value would be a key that goes on in the next line. */
  readonly overLines: ReadonlySet<number>;
};

function describe({ error, text, placeOf, quoteStarts, overLines }: One): Problem {
  const at = error.pos[0];
  const brace = unquotedBrace(text, at);
  if (brace !== undefined) return { place: placeOf(brace), message: NEEDS_QUOTES };
  const quote = quoteStarts.get(at);
  if (quote !== undefined) return { place: placeOf(quote), message: 'the quote that begins this text is never closed' };
  if (error.code === 'BLOCK_AS_IMPLICIT_KEY' && overLines.has(at)) {
    const message = 'this line is indented as if it belonged to the value above it';
    return { place: placeOf(nextLine(text, at)), message };
  }
  const place = placeOf(Math.min(at, text.length));
  return { place, message: WORDS[error.code]?.(error, text[at] ?? '') ?? error.message };
}

/** Where the text of the next line begins. */
function nextLine(text: string, at: number): number {
  let next = text.indexOf('\n', at);
  while (next >= 0 && next < text.length && /\s/.test(text.charAt(next))) next++;
  return Math.max(at, next);
}

export const NEEDS_QUOTES =
  'this needs quotes around it: without them YAML reads the { as the beginning of an object ("{{ … }}", "{% … %}": …)';

const BRACE = /(^|[\s:,[-])(\{\{|\{%|\{\[)/g;

/** On the line of a mistake, before it: an expression that somebody forgot to put into quotes. */
export function unquotedBrace(text: string, at: number): number | undefined {
  const start = text.lastIndexOf('\n', Math.max(0, at - 1)) + 1;
  const line = text.slice(start, text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at));
  for (const match of line.matchAll(BRACE)) {
    const brace = match.index + (match[1]?.length ?? 0);
    if (start + brace <= at && !isQuoted(line.slice(0, brace))) return start + brace;
  }
  return undefined;
}

/** Whether a quote is open at the end of this beginning of a line. */
function isQuoted(before: string): boolean {
  let open = '';
  for (const character of before) {
    if (open === '' && (character === '"' || character === "'")) open = character;
    else if (character === open) open = '';
  }
  return open !== '';
}

type Say = (error: YAMLError, character: string) => string;

const WORDS: Partial<Record<YAMLError['code'], Say>> = {
  TAB_AS_INDENT: () => 'a tab cannot indent: use spaces',
  BAD_DQ_ESCAPE: () =>
    'this is no escape that double quotes know: write \\\\ for a backslash, or put the text into single quotes',
  BAD_SCALAR_START: (_, character) => `a text that begins with ${character} needs quotes`,
  BLOCK_AS_IMPLICIT_KEY: () =>
    'a second key on this line: put a text with a colon into quotes, or check how the lines are indented',
  BLOCK_IN_FLOW: () => 'within [ ] and { } everything is written with commas, brackets and quotes, not with lines',
  MULTILINE_IMPLICIT_KEY: () => 'a key stands on one line: check quotes and how the lines are indented',
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
  if (message.includes('Missing space after :')) return 'a space is missing behind the colon';
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
