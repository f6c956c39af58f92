// Finds a telephone number in a conversation, however it was spoken: `five five five, zero one four seven`, `555 0147`.
import { numbersIn } from '../../../clinical-text/numbers/number-words.ts';
import { readNumbers } from '../../../clinical-text/numbers/read-numbers.ts';
import type { TextFacts } from './text-facts.ts';

/** No note has more numbers; an attacker's may. */
const MOST_SEARCHES = 200;
/** The country and the area are often left out. */
const COMPARED_DIGITS = 7;

/** Returns the utterance in which the last digits of this number are spoken, alone or with the one before it. */
export type FindDigits = (digits: string) => number | undefined;

export function makeFindDigits(readings: readonly TextFacts[]): FindDigits {
  let spoken: readonly string[] | undefined;
  let searches = 0;
  return (digits) => {
    searches += 1;
    if (searches > MOST_SEARCHES) return undefined;
    spoken ??= readings.map(digitsOf);
    const wanted = digits.slice(-COMPARED_DIGITS);
    const found = spoken.findIndex((own, utterance) => `${spoken?.[utterance - 1] ?? ''}${own}`.includes(wanted));
    return found < 0 ? undefined : found;
  };
}

function digitsOf({ tokens, language }: TextFacts): string {
  return readNumbers(tokens, numbersIn(language))
    .filter(({ isLoose }) => !isLoose)
    .map(({ values, first }) => {
      const token = tokens[first];
      return token?.kind === 'number' ? token.word.replace(/\D/g, '') : String(values[0] ?? '');
    })
    .join('');
}
