import { describe, expect, it } from '@jest/globals';
import { compilePhrase } from '../../../src/clinical-text/phrases/phrase-notation.ts';
import { makeExtractFacts } from '../../../src/rules/extraction/extract-facts.ts';
import { knowledgeOf } from './small-lexicon.ts';

function isFound(phrase: string, text: string): boolean {
  const quoted = JSON.stringify(phrase);
  const lexicon = `it:\n  name: { en: x, es: x, pt: x }\n  en: [${quoted}]\n  es: [zzzz]\n  pt: [zzzz]\n`;
  return makeExtractFacts(knowledgeOf(lexicon))(text).findings.has('it');
}

describe('A phrase of the knowledge', () => {
  it.each([
    ['chest pain', 'chest pain', true],
    ['chest pain', 'Chest  PAIN', true],
    ['chest pain', 'chest wall pain', false],
    ['chest {1} pain', 'chest wall pain', true],
    ['chest {1} pain', 'chest pain', true],
    ['chest {1} pain', 'chest wall muscle pain', false],
    ['chest {4} pain', 'chest. pain', false],
    ['chest {4} pain', 'chest clear, no pain', false],
    ['chest {4} pain', 'chest; pain', false],
    ['chest pain', 'chest, pain', false],
    ['cough*', 'coughing', true],
    ['cough*', 'cough', true],
    ['cough', 'coughing', false],
    ['tummy|belly ache', 'belly ache', true],
    ['tummy|belly ache', 'ache', false],
    ['pain in [the] leg', 'pain in leg', true],
    ['pain in [the] leg', 'pain in the leg', true],
    ['pain in [the] leg', 'pain in my leg', false],
    ['x-ray', 'X ray', true],
    ['N/V', 'n/v', true],
    ['D+V', 'D&V', true],
    ['SOB', 'S.O.B. at night', true],
    ["bull's eye", 'bulls eye', true],
    ['DM2', 'DM 2', true],
    ['café', 'CAFE', true],
  ])('the phrase "%s" is found in "%s": %s', (phrase, text, expected) => {
    expect(isFound(phrase, text)).toBe(expected);
  });

  it.each([
    '',
    '[the]',
    'a {2}',
    '{2} a',
    'a {1} {2} b',
    'a {0} b',
    'a {9} b',
    'cou*',
    '*ough',
    'a [b',
    '[a|] b',
    'a | b',
    '+',
    'a [] b',
    '[a] [b] [c] [d] e',
  ])('the phrase "%s" is refused', (phrase) => {
    expect(compilePhrase(phrase)).toHaveProperty('problem');
  });
});
