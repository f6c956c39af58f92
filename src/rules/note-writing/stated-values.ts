// Finds the numbers of a statement. A number in words is written in digits only if it has a single meaning.

import { numbersIn } from '../../clinical-text/numbers/number-words.ts';
import { type NumberReading, readNumbers } from '../../clinical-text/numbers/read-numbers.ts';
import { readTokens, type Token } from '../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../domain/language.ts';

export type StatedValue = {
  readonly text: string;
  readonly value: number;
  /** Offsets in the statement. */
  readonly from: number;
  readonly to: number;
};

/** Returns each number once, in the order of the text. */
export function findValues(text: string, language: Language): readonly StatedValue[] {
  const tokens = readTokens(text);
  const read = readNumbers(tokens, numbersIn(language));
  const values: StatedValue[] = [];
  for (let index = 0; index < read.length; ) {
    const first = read[index];
    if (first === undefined) break;
    const end = runEnd(read, index);
    const run = read.slice(index, end);
    values.push(...valuesOf(run, text, tokens, language));
    index = end;
  }
  return values;
}

/** Overlapping readings belong to the same words. */
function runEnd(read: readonly NumberReading[], from: number): number {
  let [index, reach] = [from + 1, read[from]?.end ?? 0];
  for (; index < read.length && (read[index]?.first ?? 0) < reach; index += 1)
    reach = Math.max(reach, read[index]?.end ?? 0);
  return index;
}

function valuesOf(
  run: readonly NumberReading[],
  text: string,
  tokens: readonly Token[],
  language: Language,
): readonly StatedValue[] {
  const [first] = run;
  const last = Math.max(...run.map(({ end }) => end));
  if (first === undefined) return [];
  const [from, to] = [tokens[first.first]?.from ?? 0, tokens[last - 1]?.to ?? text.length];
  const [value] = first.values;
  if (value === undefined) return [];
  const isWritten = tokens.slice(first.first, last).every(({ kind }) => kind !== 'word');
  const isPlain = run.length === 1 && first.values.length === 1 && !isWritten;
  return [{ text: isPlain ? digits(value, language) : text.slice(from, to), value, from, to }];
}

function digits(value: number, language: Language): string {
  return language === 'en' ? String(value) : String(value).replace('.', ',');
}
