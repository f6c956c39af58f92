// The text of an expression as tokens: @medplum/core's tokenizer, with what it lets pass closed. It knows no unclosed quote or
// comment and reads `5days` as a text; here each is an error with its position.
import { type Token, Tokenizer } from '@medplum/core';
import { ExpressionError } from './frame.ts';

const MAX_LENGTH = 64 * 1024;
const KEYWORDS = ['true', 'false'];
const TWO_CHARACTERS = ['!=', '!~', '<=', '>=', '{}', '->'];
const PUNCTUATION = new Set([...'.,()[]{}+-*/&|=~<>', '{}', '!=', '!~', '<=', '>=']);

/** Operators that are words: a member may have such a name only after a dot. */
const WORD_OPERATORS: ReadonlySet<string> = new Set('and or xor implies div mod is as in contains'.split(' '));
const DOLLAR_NAMES: ReadonlySet<string> = new Set(['$this', '$index', '$total']);

/** Splits the text into quoted texts, comments and signs, so that an unclosed one is found before the tokenizer runs. */
const PIECE =
  /\s+|\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`|\d+(?:\.\d+)?|@T[\d:]*(?:\.\d+)?|@[\d-]+(?:T(?:[\d:]+(?:\.\d+)?(?:Z|[+-][\d:]*)?)?)?|\w+|[\s\S]/gy;
const DATE = '\\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\\d|3[01]))?)?';
const TIME = '(?:[01]\\d|2[0-3])(?::[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?)?';
const ZONE = '(?:Z|[+-](?:0\\d|1[0-4]):[0-5]\\d)';
const TIME_LITERAL = new RegExp(`^@(?:${DATE}|${DATE}T|\\d{4}-\\d\\d-\\d\\dT${TIME}${ZONE}?|T${TIME})$`);

/** Tokens whose `id` says what they are: `Name`, `Variable`, `String`, `Number`, `Quantity`, `date` …, or the sign or word itself. */
export function readTokens(text: string): Token[] {
  if (text.length > MAX_LENGTH) throw new ExpressionError('the expression is too long: at most 65,536 characters', 0);
  checkPieces(text);
  const tokens: Token[] = [];
  for (const token of new Tokenizer(text, KEYWORDS, TWO_CHARACTERS).tokenize()) {
    if (token.id !== 'Comment') tokens.push(named(token, { text, isAfterDot: tokens.at(-1)?.id === '.' }));
  }
  checkDoubled(tokens);
  return withRanges(tokens);
}

/** Signs that other languages have. */
const OTHER_LANGUAGES: Readonly<Record<string, string>> = {
  '==': 'write one =',
  '!==': 'write !=',
  '<>': 'write !=',
  '&&': 'write and, or one & to join texts',
  '||': 'write or',
};

function checkDoubled(tokens: readonly Token[]): void {
  for (const [index, { id, index: at }] of tokens.entries()) {
    const next = tokens[index + 1];
    const sign = next?.index === at + id.length ? `${id}${next.id}` : '';
    if (!Object.hasOwn(OTHER_LANGUAGES, sign)) continue;
    throw new ExpressionError(`${sign} cannot stand here: ${OTHER_LANGUAGES[sign]}`, at);
  }
}

const MAX_RANGE = 300;

/** Ours: `(12..17)` is the whole numbers from 12 to 17. */
function withRanges(tokens: readonly Token[]): Token[] {
  const read: Token[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const [from, dot, otherDot, to] = tokens.slice(index, index + 4);
    const isRange = dot?.id === '.' && otherDot?.id === '.' && otherDot.index === dot.index + 1;
    if (from?.id !== 'Number' || !isRange || to?.id !== 'Number') {
      if (tokens[index]) read.push(tokens[index] as Token);
      continue;
    }
    read.push(...numbersOf(from, to));
    index += 3;
  }
  return read;
}

function numbersOf(from: Token, to: Token): readonly Token[] {
  const [first, last] = [Number(from.value), Number(to.value)];
  if (!Number.isInteger(first) || !Number.isInteger(last) || first > last || last - first >= MAX_RANGE) {
    const message = `a range goes from a whole number to a larger one, over at most ${MAX_RANGE} numbers: (12..17)`;
    throw new ExpressionError(message, from.index);
  }
  const numbers = Array.from({ length: last - first + 1 }, (_, more) => String(first + more));
  return numbers.flatMap((value, index) => [
    ...(index > 0 ? [{ ...from, id: '|', value: '|' }] : []),
    { ...from, value },
  ]);
}

function checkPieces(text: string): void {
  let wasNumber = false;
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    const isNumber = /^\d/.test(piece);
    if (isNumber && wasNumber)
      throw new ExpressionError('two numbers stand side by side: an operator is missing', index);
    if (isNumber) checkAfterNumber(text, index + piece.length);
    if (piece.startsWith('@')) checkTime(piece, index);
    checkOpening(text, piece, index);
    if (!/^\s/.test(piece)) wasNumber = isNumber;
  }
}

function checkAfterNumber(text: string, end: number): void {
  if (!/^[A-Za-z_$]/.test(text.charAt(end))) return;
  throw new ExpressionError('a space is missing between the number and the word after it', end);
}

function checkOpening(text: string, piece: string, index: number): void {
  if (piece === '/' && text.charAt(index + 1) === '*')
    throw new ExpressionError('a comment does not end: */ is missing', index);
  if (piece === "'") throw new ExpressionError("a text in quotes does not end: ' is missing", index);
  if (piece === '`') throw new ExpressionError('a name in backticks does not end: ` is missing', index);
  if (piece === '"') throw new ExpressionError("a text is written in single quotes: 'text'", index);
  if (piece === '@') throw new ExpressionError('@ is followed by a date or a time: @2026-11-21, @T14:30', index);
}

function checkTime(piece: string, index: number): void {
  if (piece !== '@' && !TIME_LITERAL.test(piece)) throw notATime(index);
}

function notATime(index: number): ExpressionError {
  return new ExpressionError('this is not a date or time: @2026-11-21, @2026-11-21T14:30:00Z, @T14:30', index);
}

const NOT = ': write .not() behind what is not to be, as in %note.exists().not()';

type Around = { readonly text: string; readonly isAfterDot: boolean };

function named(token: Token, around: Around): Token {
  if (token.id === 'Symbol') return symbol(token, around);
  if (token.id === 'DateTime') return time(token, around.text);
  if (token.id.length <= 2 && !PUNCTUATION.has(token.id)) {
    const isNot = token.id === '!' && /^[^\s]/.test(around.text.slice(token.index + 1, token.index + 2));
    throw new ExpressionError(`${token.id} cannot stand here${isNot ? NOT : ''}`, token.index);
  }
  return token;
}

function symbol(token: Token, { text, isAfterDot }: Around): Token {
  const { value, index } = token;
  if (text.charAt(index) === '`') return { ...token, id: 'Name' };
  if (value.startsWith('$')) {
    if (DOLLAR_NAMES.has(value)) return { ...token, id: value };
    throw new ExpressionError('only $this, $index and $total begin with $', index);
  }
  if (value.startsWith('%')) return { ...token, id: 'Variable', value: variableName(token) };
  if (!/^[A-Za-z_]\w*$/.test(value)) throw new ExpressionError(`${value} is not a name`, index);
  return { ...token, id: WORD_OPERATORS.has(value) && !isAfterDot ? value : 'Name' };
}

function variableName({ value, index }: Token): string {
  const quoted = /^%(['`])([^\\]*)$/.exec(value);
  const name = quoted ? (quoted[2] ?? '').replace(/['`]$/, '') : value.slice(1);
  if (name !== '' && (quoted || /^\w+$/.test(name))) return name;
  throw new ExpressionError('% is followed by the name of a variable: %note', index);
}

/** The tokenizer adds a Z and drops a T, so the text itself is read; both must have seen the same characters. */
function time(token: Token, text: string): Token {
  const piece = new RegExp(PIECE, 'y');
  piece.lastIndex = token.index;
  const value = piece.exec(text)?.[0].slice(1) ?? '';
  const hasZone = /T.*[Z+-]/.test(value);
  const seen = value.endsWith('T') ? value.slice(0, -1) : /^\d.*T/.test(value) && !hasZone ? `${value}Z` : value;
  if (token.value !== seen) throw notATime(token.index);
  if (value.startsWith('T')) return { ...token, id: 'time', value: value.slice(1) };
  return { ...token, id: value.includes('T') ? 'dateTime' : 'date', value };
}
