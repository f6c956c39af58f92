// What several pieces of a text are together: `1.000,5` and `38,5` are one number, `b.i.d.` is one word, and so are the two measures with
// a digit in their name. Each function returns the place behind the last piece.
import { isGlued, type Piece } from './scan.ts';

const MEASURES = /^(?:(?:hb)?a1c(?:['’]s)?|spo2)$/i;
const MOST_DOTTED = 5;
const MOST_DECIMALS = 2;

/** A note writes thousands and dates with points: all digits with a point or a comma between them are one number. */
export function endOfToken(pieces: readonly Piece[], at: number): number {
  const piece = pieces[at];
  if (piece?.kind === 'digits') return endOfNumber(pieces, at);
  return piece?.kind === 'letters' ? (endOfMeasure(pieces, at) ?? endOfDotted(pieces, at) ?? at + 1) : at + 1;
}

/** A value of a history has one or two decimals: in `1.234` no decimals follow. */
export function endOfDecimal(pieces: readonly Piece[], at: number): number {
  const decimals = pieces[at + 2];
  return isSeparated(pieces, at) && (decimals?.text.length ?? 0) <= MOST_DECIMALS ? at + 3 : at + 1;
}

function endOfNumber(pieces: readonly Piece[], at: number): number {
  let end = at + 1;
  while (isSeparated(pieces, end - 1)) end += 2;
  return end;
}

/** True if a point or a comma and more digits are glued to the digits at this place. */
function isSeparated(pieces: readonly Piece[], at: number): boolean {
  const [digits, mark, more] = [pieces[at], pieces[at + 1], pieces[at + 2]];
  const isSeparator = mark?.text === '.' || mark?.text === ',';
  return isSeparator && more?.kind === 'digits' && isGlued(digits, mark) && isGlued(mark, more);
}

function endOfMeasure(pieces: readonly Piece[], at: number): number | undefined {
  const [letters, digits, behind] = [pieces[at], pieces[at + 1], pieces[at + 2]];
  if (letters === undefined || digits === undefined || !isGlued(letters, digits)) return undefined;
  const short = letters.text + digits.text;
  if (MEASURES.test(short)) return at + 2;
  return isGlued(digits, behind) && MEASURES.test(short + behind?.text) ? at + 3 : undefined;
}

/** Two to five letters, each with a point behind it, and no word glued to them. */
function endOfDotted(pieces: readonly Piece[], at: number): number | undefined {
  let end = at;
  while (end < at + 2 * MOST_DOTTED && isDottedLetter(pieces, end)) end += 2;
  const isCut = pieces[end]?.kind === 'letters' && isGlued(pieces[end - 1], pieces[end]);
  return end > at + 2 && !isCut ? end : undefined;
}

function isDottedLetter(pieces: readonly Piece[], at: number): boolean {
  const [letter, point] = [pieces[at], pieces[at + 1]];
  return letter?.text.length === 1 && letter.kind === 'letters' && point?.text === '.' && isGlued(letter, point);
}
