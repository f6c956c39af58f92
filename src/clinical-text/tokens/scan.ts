// The one scanner of clinical text. It cuts a text into runs of letters, runs of digits and marks; each reader joins from them what is
// one word or one number to it.

export type Piece = {
  readonly kind: 'letters' | 'digits' | 'mark';
  readonly text: string;
  /** Places are characters; `to` is behind the last. */
  readonly from: number;
  readonly to: number;
};

/** The ordinals of "Tª", "1º" and "38ºC" are letters in Unicode, and marks here. */
const LETTER = String.raw`(?:(?![ªº])\p{L})`;
const LETTERS = String.raw`${LETTER}(?:${LETTER}|\p{M})*(?:['’´\x60]${LETTER}(?:${LETTER}|\p{M})*)*`;
// Each repetition ends at the first character that does not belong to it, so that nothing is tried twice.
const PIECES = new RegExp(String.raw`(${LETTERS})|(\d+)|[½¼¾ªº\-–—.,;:!?¿/%°+×()\n]`, 'gu');

/** The work is linear in the length of any text. */
export function scanText(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const match of text.matchAll(PIECES)) {
    const piece = match[0];
    const kind = match[1] !== undefined ? 'letters' : match[2] !== undefined ? 'digits' : 'mark';
    pieces.push({ kind, text: piece, from: match.index, to: match.index + piece.length });
  }
  return pieces;
}

/** True if nothing is between the two pieces. */
export function isGlued(one: Piece | undefined, next: Piece | undefined): boolean {
  return one !== undefined && next !== undefined && one.to === next.from;
}
