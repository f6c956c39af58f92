// Reads a history as words and numbers, each with the marks before it. The phrases of the knowledge are read by the same rules, so that
// both are comparable.

import { foldText } from '../fold.ts';
import { joinNumbers } from '../numbers/join-numbers.ts';
import { BREAKS, type Break, breakBetween } from './breaks.ts';
import { readFixedExpressions } from './fixed-expressions.ts';
import { endOfDecimal } from './join-pieces.ts';
import { joinPlusSigns } from './plus-signs.ts';
import type { RawWord } from './raw-word.ts';
import { scanText } from './scan.ts';
import { spellWeeks } from './spelled-weeks.ts';

export type WordToken = {
  /** Folded; "n/v" and "s/" are one word, "S.O.B." is "sob". */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly number?: number;
  /** It begins with a capital letter. */
  readonly isCapital: boolean;
  /** Its last letter has an accent: `é` is not `e`. */
  readonly isAccented: boolean;
  /** No blank or mark is between it and the token before it: "58yo". */
  readonly isGlued: boolean;
  /** The break between the word before and this one. */
  readonly before: Break;
  /** The marks before it, without spaces. */
  readonly marks: string;
  /** A question mark is right before it: "?PE". */
  readonly isQueried: boolean;
};

/** The slash belongs to the word in "c/ dor" (with), "s/ febre" (without) and "w/ cough". */
const SLASHED = /^[cspw]$/;
const ACCENTED = /(?:[áéíóúâêôãõ]|\u0301)$/iu;
const LAST_ASCII = 0x7f;
const MARKS_KEPT = 16;

export function readWordTokens(text: string): WordToken[] {
  const words = readFixedExpressions(
    joinPlusSigns(text, spellWeeks(text, joinNumbers(text, joinLetters(text, rawWords(text))))),
  );
  return words.map((word, index) => toToken(text, word, words[index - 1]));
}

/** Returns the marks behind the last word. */
export function tailMarks(text: string, tokens: readonly WordToken[]): string {
  return marksOf(text.slice(tokens.at(-1)?.end ?? 0, (tokens.at(-1)?.end ?? 0) + MARKS_KEPT * 2));
}

function rawWords(text: string): RawWord[] {
  const words: RawWord[] = [];
  const pieces = scanText(text);
  for (let at = 0; at < pieces.length; ) {
    const piece = pieces[at];
    if (piece === undefined) break;
    const end = piece.kind === 'digits' ? endOfDecimal(pieces, at) : at + 1;
    const to = pieces[end - 1]?.to ?? piece.to;
    if (piece.kind !== 'mark') {
      words.push({ text: foldText(text.slice(piece.from, to)).replace(/['’´`]/g, ''), start: piece.from, end: to });
    }
    at = end;
  }
  return words;
}

/** Joins abbreviations that contain marks: N/V, D+V, c/o, S.O.B. */
function joinLetters(text: string, words: readonly RawWord[]): RawWord[] {
  const joined: RawWord[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const between = last === undefined || word.start - last.end > 1 ? '' : text.slice(last.end, word.start);
    if (last !== undefined && isJoint(last, between, word)) {
      last.text += between === '.' ? word.text : `/${word.text}`;
      last.end = word.end;
    } else {
      closeSlash(text, last);
      joined.push({ ...word });
    }
  }
  closeSlash(text, joined.at(-1));
  return joined;
}

function isJoint(last: RawWord, between: string, word: RawWord): boolean {
  if (!/^[a-z]+$/.test(word.text) || last.end - last.start > 8) return false;
  const lastPart = last.text.slice(last.text.lastIndexOf('/') + 1);
  if (between === '.') return word.text.length === 1 && isDotted(last);
  if (between === '/') return /^[a-z]{1,2}$/.test(lastPart) && word.text.length <= 2;
  return /^[+&]$/.test(between) && /^[a-z]$/.test(lastPart) && word.text.length === 1;
}

/** True of one letter, or of letters with dots between them. */
function isDotted({ text, start, end }: RawWord): boolean {
  return /^[a-z]+$/.test(text) && end - start === 2 * text.length - 1;
}

function closeSlash(text: string, word: RawWord | undefined): void {
  if (word !== undefined && SLASHED.test(word.text) && text[word.end] === '/') word.text += '/';
}

function toToken(text: string, word: RawWord, last: RawWord | undefined): WordToken {
  const from = last?.end ?? 0;
  const between = text.slice(from, word.start);
  const first = text[word.start] ?? '';
  const number = word.number ?? (/^\d/.test(word.text) ? Number(word.text.replace(',', '.')) : undefined);
  const isQueried = isQuery(between, last === undefined);
  const isCapital = first !== first.toLowerCase();
  return {
    ...word,
    ...(number !== undefined && { number }),
    isCapital,
    isAccented: endsWithOther(text, word) && ACCENTED.test(text.slice(word.start, word.end)),
    isGlued: last !== undefined && between === '',
    before:
      last === undefined
        ? BREAKS.sentence
        : breakBetween({
            between,
            last: last.text,
            isAbbreviation: between.includes('.') && isAbbreviation(last),
            isCapital,
            isQueried,
            text,
            from,
          }),
    marks: marksOf(between),
    isQueried,
  };
}

/** A last letter beyond ASCII: most words end otherwise, and need no search. */
function endsWithOther(text: string, { end }: RawWord): boolean {
  return text.charCodeAt(end - 1) > LAST_ASCII;
}

function isAbbreviation(word: RawWord): boolean {
  return word.text.length === 1 || (word.text.length > 1 && isDotted(word));
}

function isQuery(between: string, isFirst: boolean): boolean {
  if (!between.endsWith('?') && !between.endsWith('? ')) return false;
  const before = between.trimEnd().slice(0, -1);
  return before === '' ? isFirst : /[\s(:,]$/.test(before) && !before.includes('?');
}

function marksOf(between: string): string {
  if (between === '' || between === ' ') return '';
  return between.length > 200
    ? between.slice(0, 200).replace(/\s+/g, '').slice(0, MARKS_KEPT)
    : between.replace(/\s+/g, '').slice(0, MARKS_KEPT);
}
