import { describe, expect, it } from '@jest/globals';
import { numbersIn } from '../../src/clinical-text/numbers/number-words.ts';
import { readNumbers } from '../../src/clinical-text/numbers/read-numbers.ts';
import { readTokens } from '../../src/clinical-text/tokens/tokens.ts';
import type { Language } from '../../src/domain/language.ts';

function plainNumbers(text: string, language: Language): readonly (readonly number[])[] {
  const numbers = readNumbers(readTokens(text), numbersIn(language));
  return numbers.filter(({ isLoose }) => !isLoose).map(({ values }) => values);
}

describe('The numbers of a text', () => {
  it.each<[string, Language, number[][]]>([
    ['two hundred and five', 'en', [[205]]],
    ['thirty-eight point five', 'en', [[38.5]]],
    ['a hundred-and-two', 'en', [[102]]],
    ['two thousand five hundred', 'en', [[2500]]],
    ['treinta y ocho y medio', 'es', [[38.5]]],
    ['mil duzentos e cinquenta', 'pt', [[1250]]],
    ['1.000', 'es', [[1000, 1]]],
    ['1,000', 'en', [[1000]]],
    ['five and six', 'en', [[5], [6]]],
  ])('"%s" (%s) holds %j', (text, language, expected) => {
    expect(plainNumbers(text, language)).toEqual(expected);
  });
});
