import { describe, expect, it } from '@jest/globals';
import type { Disease } from '../../../../src/domain/diagnosis/diagnosis.ts';
import type { Language } from '../../../../src/domain/language.ts';
import { checkNote } from '../../../../src/domain/note/check-note.ts';
import { aConversation, aNote } from './check-cases.ts';

const DISEASE: Disease = {
  name: 'Pneumonia',
  icd10_code: 'J18.9',
  probability: 0.5,
  why: '',
  diagnostic_tests: [],
  standard_care: [],
  category: 'most-likely',
};
const TRIAGE = { triage_level: 'WHITE', triage_justification: '', triage_recommendation: '' } as const;
const CHART = { allergies: [], drugs: [{ text: 'Metformin 500 mg', reference: 'MedicationRequest/1' }], problems: [] };

/** `for cough @1`: how it speaks, its words, and the utterances or entries of the chart on which it rests. */
function reasonsOf(said: string, whys: readonly string[], language: Language): readonly string[] {
  const diagnosis = { diagnosis: { diseases: whys.map((why) => ({ ...DISEASE, why })) }, triage: TRIAGE };
  const transcript = aConversation(said, language);
  const parts = { note: aNote(''), transcript, language, maxUnsupported: {}, chart: CHART, diagnosis };
  return (checkNote(parts).reasons ?? []).map(({ disease, from, to, speaks, moments, chart }) => {
    const places = [...moments.map(({ utterance }) => `@${utterance}`), ...chart.map(({ reference }) => reference)];
    return [disease, speaks, whys[disease]?.slice(from, to), ...places].join(' ');
  });
}

describe('The reasons of a differential diagnosis', () => {
  it.each([
    ['en', 'Any fever? | No. | I cough a lot and take metformin.', 'Cough, without fever; takes metformin.'],
    ['es', '¿Tiene fiebre? | No. | Tengo tos y tomo metformina.', 'Tos, sin fiebre; toma metformina.'],
    ['pt', 'Tem febre? | Não. | Tenho tosse e tomo metformina.', 'Tosse, sem febre; toma metformina.'],
  ] as const)('are found in the talk and the chart, for and against (%s)', (language, said, why) => {
    expect(reasonsOf(said, [why], language).map((reason) => reason.replace(/ \p{L}+/u, '').replace(/^0 /, ''))).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/(?:cough|tos|tosse) @2$/i),
        expect.stringMatching(/(?:fever|fiebre|febre) @0$/),
        expect.stringMatching(/metformina? @2 MedicationRequest\/1$/),
      ]),
    );
    const denied = reasonsOf(said, [why], language).filter((reason) => reason.includes(' against '));
    expect(denied).toEqual([expect.stringMatching(/fever|fiebre|febre/)]);
  });

  it('name their candidate, and leave out what is in neither', () => {
    const said = 'I have a cough.';
    expect(reasonsOf(said, ['A rash.', 'The cough.', 'Two conclusions of its own.'], 'en')).toEqual(['1 for cough @0']);
  });

  it('are none without a diagnosis', () => {
    const parts = { note: aNote('Cough.'), transcript: aConversation('I cough.', 'en'), language: 'en' } as const;
    expect(checkNote({ ...parts, maxUnsupported: {} })).not.toHaveProperty('reasons');
  });
});
