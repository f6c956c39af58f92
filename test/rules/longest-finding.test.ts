// The longest finding wins: a word inside a longer finding is not heard by itself. This is a law of the whole shipped lexicon.
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readWordTokens } from '../../src/clinical-text/tokens/word-tokens.ts';
import { LANGUAGES, type Language } from '../../src/domain/language.ts';
import { makeExtractFacts } from '../../src/rules/extraction/extract-facts.ts';
import type { ExtractFacts } from '../../src/rules/extraction/history-facts.ts';
import type { Finding, Knowledge } from '../../src/rules/knowledge/knowledge.ts';
import { shippedKnowledge } from './knowledge/shipped-knowledge.ts';

let knowledge: Knowledge;
let hear: ExtractFacts;
beforeAll(() => {
  knowledge = shippedKnowledge();
  hear = makeExtractFacts(knowledge);
});

/** One way to speak a phrase: the first of each choice, without optional words. */
function spoken(phrase: string): string {
  const words = phrase.replace(/\[[^\]]*\]|\{\d+\}/g, ' ').split(/\s+/);
  return words
    .map((word) => (word.split('|')[0] ?? '').replace(/\*$/, ''))
    .join(' ')
    .trim();
}

function asSentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** The findings that are heard in fewer words than the phrase of this finding has, and that it does not imply. */
function partsHeard(finding: Finding, phrase: string): readonly string[] {
  const sentence = asSentence(spoken(phrase));
  const heard = hear(sentence);
  if (heard.findings.get(finding.id)?.presence !== 'present') return [];
  const length = readWordTokens(spoken(phrase)).length;
  const whole = [...heard.findings.values()].filter(({ quote }) => readWordTokens(quote).length >= length);
  const itself = { id: finding.id };
  const meant = new Set([itself, ...whole].flatMap(({ id }) => [id, ...(knowledge.findings.get(id)?.implies ?? [])]));
  return [...heard.findings.values()]
    .filter(({ id, presence }) => presence !== 'absent' && !meant.has(id) && !isMeasured(id))
    .map(({ id }) => `${finding.id}: "${sentence}" is heard as ${id}, too`);
}

function isMeasured(id: string): boolean {
  return (knowledge.findings.get(id)?.values.length ?? 0) > 0;
}

const PLAIN: Readonly<Record<Language, string>> = {
  en: 'She has depression.',
  es: 'Tiene depresión.',
  pt: 'Tem depressão.',
};
const OTHERS: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'ECG: ST depression in V4 to V6.',
    'A depressed skull fracture.',
    'Respiratory depression.',
    'Depression of the ST segment.',
  ],
  es: [
    'ECG: depresión del ST en V4 a V6.',
    'Fractura de cráneo deprimida.',
    'Depresión respiratoria.',
    'ST deprimido.',
  ],
  pt: ['ECG: depressão do ST em V4 a V6.', 'Fratura de crânio deprimida.', 'Depressão respiratória.', 'ST deprimido.'],
};

describe('A word inside a longer finding', () => {
  it.each(LANGUAGES)('is not heard by itself in any phrase of the lexicon (%s)', (language) => {
    const wrong = [...knowledge.findings.values()].flatMap((finding) =>
      finding.phrases[language].flatMap((phrase) => partsHeard(finding, phrase)),
    );
    expect(wrong).toEqual([]);
  });

  it.each(LANGUAGES)('is no low mood if it is a depression of something else (%s)', (language) => {
    expect(hear(PLAIN[language]).findings.get('low-mood')?.presence).toBe('present');
    for (const text of OTHERS[language]) expect([text, hear(text).findings.has('low-mood')]).toEqual([text, false]);
  });

  it.each(['Massa na fossa posterior.', 'Lesão na fossa nasal.', 'Dor na fossa ilíaca direita.'])(
    'is no exposure if it names a part of the body: %s',
    (text) => {
      expect(hear(text).findings.has('flood-rat-exposure')).toBe(false);
    },
  );
});
