// A text as words, numbers and marks, each with its place, in a form that can be compared: without case, accents and most plurals. The
// work is linear in the length of any text.
import { foldWord, stemOf } from '../fold.ts';
import { endOfToken } from './join-pieces.ts';
import { scanText } from './scan.ts';

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
  /** No blank is between it and the token before it. */
  readonly isGlued: boolean;
  /** Its last letter has an accent: `é` is not `e`, and `mamá` is not `mama`. */
  readonly isAccented: boolean;
  /** All its letters are capitals: `ASA`, `58M`. */
  readonly isUpper: boolean;
};

const ACCENTED = /(?:[áéíóúâêôãõ]|\u0301)$/iu;
const UPPER = /^[A-Z]+$/;
/** A longer piece is no word that comes again. */
const LONGEST_KEPT = 40;
const SENTENCE_ENDS = new Set(['.', '!', '?', ';', '\n']);
const FRACTIONS: Readonly<Record<string, string>> = { '½': '0.5', '¼': '0.25', '¾': '0.75' };

export function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const pieces = scanText(text);
  let sentence = 0;
  let last = -1;
  for (let at = 0; at < pieces.length; ) {
    const end = endOfToken(pieces, at);
    const from = pieces[at]?.from ?? 0;
    const to = pieces[end - 1]?.to ?? from;
    const written = text.slice(from, to);
    tokens.push({ ...readWritten(written), from, to, sentence, isGlued: from === last });
    if (SENTENCE_ENDS.has(written)) sentence += 1;
    last = to;
    at = end;
  }
  return tokens;
}

type Written = Pick<Token, 'word' | 'stem' | 'kind' | 'isAccented' | 'isUpper'>;

/** The same words are in all texts, so that they are read once. */
const READ = new Map<string, Written>();
const MOST_READ = 20_000;

function readWritten(piece: string): Written {
  const known = READ.get(piece);
  if (known) return known;
  const kind = kindOf(piece);
  const word = kind === 'word' ? foldWord(piece) : (FRACTIONS[piece] ?? piece);
  const read = {
    word,
    stem: kind === 'word' ? stemOf(word) : word,
    kind,
    isAccented: ACCENTED.test(piece),
    isUpper: UPPER.test(piece),
  };
  if (READ.size >= MOST_READ) READ.clear();
  if (piece.length <= LONGEST_KEPT) READ.set(piece, read);
  return read;
}

function kindOf(piece: string): Token['kind'] {
  if (/^[\d½¼¾]/u.test(piece)) return 'number';
  return /^\p{L}/u.test(piece) ? 'word' : 'mark';
}

/** The number of words and numbers between two places of the list. Stops counting beyond `most`. */
export function wordsBetween(tokens: readonly Token[], first: number, end: number, most = 12): number {
  let count = 0;
  for (let index = first; index < end && count <= most; index += 1) if (tokens[index]?.kind !== 'mark') count += 1;
  return count;
}
