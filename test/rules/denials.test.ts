// The rules read denial in a way of their own; they are held to the same sentences as the check of a note.
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Language } from '../../src/domain/language.ts';
import { makeExtractFacts } from '../../src/rules/extraction/extract-facts.ts';
import type { ExtractFacts } from '../../src/rules/extraction/history-facts.ts';
import { DENIALS } from '../support/denials.ts';
import { shippedKnowledge } from './knowledge/shipped-knowledge.ts';

let hear: ExtractFacts;
beforeAll(() => {
  hear = makeExtractFacts(shippedKnowledge());
});

/** Without it, a person who speaks of a brother may have brought the brother. */
const OF_MYSELF: Readonly<Record<Language, string>> = {
  en: "I've a bad knee.",
  es: 'Tengo mal la rodilla.',
  pt: 'Tenho o joelho ruim.',
};

/** The finding as the lexicon names it. */
function idsOf(finding: string): readonly string[] {
  return [...hear(`${finding}.`).findings.keys()];
}

it('has words for nearly all of their findings', () => {
  const findings = Object.values(DENIALS).flatMap((rows) => rows.map(([, , finding]) => finding));
  expect(findings.filter((finding) => idsOf(finding).length === 0)).toEqual(['pain', 'dolor', 'dor']);
});

describe.each(Object.entries(DENIALS))('%s', (_name, rows) => {
  it.each(rows)('in %s “%s” means that “%s” is %s', (language, said, finding, meant) => {
    const { findings } = hear(`${OF_MYSELF[language]}\n${said.replaceAll(' | ', '\n')}`);
    const presences = idsOf(finding).map((id) => findings.get(id)?.presence ?? 'not heard');
    // Of what is not heard, or uncertain, the rules conclude neither.
    expect(presences).not.toContain(meant === 'denied' ? 'present' : 'absent');
  });
});
