// What counts as a finding of the patient: the tables beside this file, half of them with findings that must stay.
import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeExtractFacts } from '../../../../src/rules/extraction/extract-facts.ts';
import type { ExtractFacts } from '../../../../src/rules/extraction/history-facts.ts';
import { shippedKnowledge } from '../../knowledge/shipped-knowledge.ts';
import { readTable } from './tables.ts';
import { TESTED_KNOWLEDGE } from './tests-lexicon.ts';

let hear: ExtractFacts;
beforeAll(() => {
  hear = makeExtractFacts(shippedKnowledge());
});

function heardIn(text: string, finding: string, by: ExtractFacts): string {
  return by(text).findings.get(finding)?.presence ?? 'none';
}

describe.each([
  ['A question is no finding until it is answered', 'asked'],
  ['What a clinician considers, explains, orders or warns of is no finding', 'considered'],
  ['A past reaction to a drug, and what happened long ago, is no symptom of today', 'old-events'],
  ["A relative's illness is no finding of the patient, and what a relative tells of the patient is", 'relatives'],
  ['"New" says something only of what it qualifies', 'new-words'],
])('%s', (_, table) => {
  it.each(readTable(table))('($language) $finding is $verdict: $text', ({ verdict, finding, text }) => {
    expect(heardIn(text, finding, hear)).toBe(verdict);
  });
});

describe('A test with a negative result denies, and one with a positive result affirms', () => {
  const hearTests = makeExtractFacts(TESTED_KNOWLEDGE);

  it.each(readTable('tests'))('($language) $finding is $verdict: $text', ({ verdict, finding, text }) => {
    expect(heardIn(text, finding, hearTests)).toBe(verdict);
  });
});
