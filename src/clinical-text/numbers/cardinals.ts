// A whole number in words: `a hundred and two`, `treinta y ocho`, `mil duzentos e cinquenta`.
import type { NumberWord, NumberWords } from './number-words.ts';

/** Words in a row, independent of the kind of token. */
export type WordRow = {
  /** The folded word; undefined if there is no word at this place. */
  readonly wordAt: (index: number) => string | undefined;
  /** The place at which the number that ends before `index` may go on. */
  readonly goesOnAt: (index: number) => number | undefined;
};

/** `end`: the place behind the last word of the number. */
export type Cardinal = { readonly value: number; readonly end: number };

const TIMES = new Set(['times', 'vez', 'veces', 'vezes']);
/** Nothing is taken more often a day. */
const MOST_TIMES = 6;

/** Reads part after part; each part must be smaller than the one before. */
export function readCardinal(row: WordRow, first: number, language: NumberWords): Cardinal | undefined {
  let [total, current, size, index] = [0, 0, Number.POSITIVE_INFINITY, first];
  for (;;) {
    const at = index === first ? first : nextPart(row, index, size, language);
    const word = at === undefined ? undefined : language.words.get(row.wordAt(at) ?? '');
    if (at === undefined || word === undefined) break;
    if (at === index && isOfTimes(row, at, word, index !== first)) break;
    if (word.kind === 'thousand') {
      if (total > 0) break;
      [total, current, size] = [Math.max(current, 1) * 1000, 0, 1000];
    } else if (word.kind === 'hundred') {
      if (current >= 100 || (index !== first && current === 0)) break;
      [current, size] = [Math.max(current, 1) * 100, 100];
    } else {
      const own = sizeOf(word);
      if (own >= size || (word.value === 0 && index !== first)) break;
      [current, size] = [current + word.value, word.kind === 'teen' || word.value === 0 ? 0 : own];
    }
    index = at + 1;
  }
  return index === first ? undefined : { value: total + current, end: index };
}

/** The place of the next part of the number: right here, or behind the `and` that may join it. */
function nextPart(row: WordRow, index: number, size: number, { joiner }: NumberWords): number | undefined {
  const at = row.goesOnAt(index);
  if (at === undefined || joiner === undefined || row.wordAt(at) !== joiner) return at;
  const joinsHere = joiner === 'and' ? size >= 100 : joiner === 'y' ? size === 10 : size >= 10;
  return joinsHere ? row.goesOnAt(at + 1) : undefined;
}

/** `Four hundred three times a day`: the last digit counts the times. */
function isOfTimes({ wordAt }: WordRow, at: number, { kind, value }: NumberWord, isLater: boolean): boolean {
  return isLater && kind === 'digit' && value > 0 && value <= MOST_TIMES && TIMES.has(wordAt(at + 1) ?? '');
}

function sizeOf({ kind }: NumberWord): number {
  if (kind === 'digit') return 1;
  return kind === 'hundreds' ? 100 : 10;
}
