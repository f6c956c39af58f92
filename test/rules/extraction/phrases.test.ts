import { describe, expect, it } from '@jest/globals';
import { compilePhrase } from '../../../src/clinical-text/phrases/phrase-notation.ts';
import { isMisspelling } from '../../../src/clinical-text/spelling/speller.ts';
import { readWordTokens } from '../../../src/clinical-text/tokens/word-tokens.ts';
import { makeExtractFacts } from '../../../src/rules/extraction/hear-history.ts';
import { knowledgeOf } from './small-lexicon.ts';

function isHeard(phrase: string, text: string): boolean {
  const quoted = JSON.stringify(phrase);
  const lexicon = `it:\n  name: { en: x, es: x, pt: x }\n  en: [${quoted}]\n  es: [zzzz]\n  pt: [zzzz]\n`;
  return makeExtractFacts(knowledgeOf(lexicon))(text).findings.has('it');
}

describe('A phrase', () => {
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
  ])('%s in %s: %s', (phrase, text, expected) => {
    expect(isHeard(phrase, text)).toBe(expected);
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
  ])('cannot be read: "%s"', (phrase) => {
    expect(compilePhrase(phrase)).toHaveProperty('problem');
  });
});

describe('Words and numbers', () => {
  it.each([
    ['T 38,5ºC', 't 38,5 c'],
    ['58yo', '58 yo'],
    ['c/o N/V and D+V', 'c/o n/v and d/v'],
    ['s/ febre c/ tosse', 's/ febre c/ tosse'],
    ["doesn't can’t", 'doesnt cant'],
    ['Niña coração', 'nina coracao'],
    ['and/or fever/cough', 'and or fever cough'],
    ['IG 8sem com dor', 'ig 8 semanas com dor'],
    ['há 2 sem tosse, 2x/sem, na sem. passada', 'ha 2 semanas tosse 2 x semanas na semanas passada'],
    ['FR 22 sem tiragem', 'fr 22 sem tiragem'],
    ['BHCG +, Murphy (+). Lasègue + à E', 'bhcg positivo murphy positivo lasegue positivo a e'],
    ['febre + tosse, edema 2+/4+', 'febre tosse edema 2 4'],
    ['dor no pé da barriga e no pé', 'dor no hipogastrio da barriga e no pe'],
    ['dor no peito do pé', 'dor no dorso do pe'],
  ])('%s', (text, expected) => {
    expect(
      readWordTokens(text)
        .map((token) => token.text)
        .join(' '),
    ).toBe(expected);
  });

  it.each([
    ['Fever. Cough', 2],
    ['Dr. Smith saw him', 1],
    ['abd. flácido', 1],
    ['T 38.5 and cough', 1],
    ['fever\ncough', 2],
    ['A line of a letter that was wrapped by a program at its margin\nand goes on', 1],
    ['fever.cough', 2],
    ['- fever\n- cough', 2],
    ['Fever! Cough? Rash', 3],
    ['?PE', 1],
  ])('%s: %s sentences', (text, count) => {
    expect(readWordTokens(text).filter(({ before }) => before === 3)).toHaveLength(count);
  });

  it('one slip is one letter more, less or other, or two that changed places', () => {
    expect(['vomting', 'vommiting', 'vomitnig', 'vomiteng'].map((word) => isMisspelling(word, 'vomiting'))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['vomiting', 'vomtng', 'xomating', 'vomits'].map((word) => isMisspelling(word, 'vomiting'))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
