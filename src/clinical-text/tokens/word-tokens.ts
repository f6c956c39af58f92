// A text as words and numbers, each with the marks around it. Phrases of the knowledge are cut by the same rules, so that both meet.

import { foldText } from '../fold.ts';
import { joinNumbers } from '../numbers/join-numbers.ts';
import { BREAKS, type Break, breakBetween } from './breaks.ts';
import { readFixedExpressions } from './fixed-expressions.ts';
import { joinPlusSigns } from './plus-signs.ts';
import type { RawWord } from './raw-word.ts';
import { spellWeeks } from './spelled-weeks.ts';

export type WordToken = {
  /** Folded; "n/v" and "s/" stay one word, "S.O.B." is "sob". */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly number?: number;
  /** Begins with a capital letter, as after the end of a sentence. */
  readonly isCapital: boolean;
  /** Nothing stands between it and what is before: "58yo". */
  readonly isGlued: boolean;
  /** What stands between it and the word before. */
  readonly before: Break;
  /** Of the marks before it: only ":" "?" "/" and the like, spaces left out. */
  readonly marks: string;
  /** "?PE": asked, by a mark in front. */
  readonly isQueried: boolean;
};

/** "Tª" and "38ºC" hold ordinals, which are letters to Unicode. */
const WORD =
  /(?:(?![ªº])\p{L})(?:(?![ªº])[\p{L}\p{M}])*(?:['’´`](?:(?![ªº])\p{L})(?:(?![ªº])[\p{L}\p{M}])*)*|\d+(?:[.,]\d{1,2}(?!\d))?/gu;
/** "c/ dor", "s/ febre", "w/ cough": with, without. */
const SLASHED = /^[cspw]$/;
const MARKS_KEPT = 16;

export function readWordTokens(text: string): WordToken[] {
  const words = readFixedExpressions(
    joinPlusSigns(text, spellWeeks(text, joinNumbers(text, joinLetters(text, rawWords(text))))),
  );
  return words.map((word, index) => toToken(text, word, words[index - 1]));
}

/** What follows the last word, where marks may stand that belong to it. */
export function tailMarks(text: string, tokens: readonly WordToken[]): string {
  return marksOf(text.slice(tokens.at(-1)?.end ?? 0, (tokens.at(-1)?.end ?? 0) + MARKS_KEPT * 2));
}

function rawWords(text: string): RawWord[] {
  return Array.from(text.matchAll(WORD), (match) => ({
    text: foldText(match[0]).replace(/['’´`]/g, ''),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Puts together what people write in letters with marks between: N/V, D+V, c/o, S.O.B. */
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

/** One letter, or letters that have dots between them already. */
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
    isGlued: last !== undefined && between === '',
    before:
      last === undefined
        ? BREAKS.sentence
        : breakBetween({
            between,
            last: last.text,
            isAbbreviation: isAbbreviation(last),
            isCapital,
            isQueried,
            text,
            from,
          }),
    marks: marksOf(between),
    isQueried,
  };
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
  return between.length > 200
    ? between.slice(0, 200).replace(/\s+/g, '').slice(0, MARKS_KEPT)
    : between.replace(/\s+/g, '').slice(0, MARKS_KEPT);
}
