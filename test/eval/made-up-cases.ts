// Cases and answers for the tests of scoring. Not scored by `npm run eval`.
import type { Diagnosis, TriageLevel } from '../../src/domain/diagnosis/diagnosis.ts';
import type { NoteAnswer } from '../../src/ports/reasoner.ts';
import type { Talk, Vignette } from './sets.ts';

export function aVignette({
  expect,
  ...rest
}: Partial<Omit<Vignette, 'expect'>> & { expect?: Partial<Vignette['expect']> } = {}): Vignette {
  return {
    id: 'en-made-up',
    file: 'en-seen.yaml',
    language: 'en',
    part: 'seen',
    kind: 'usual',
    text: '60-year-old man with pressure in the chest.',
    why: 'made up',
    ...rest,
    expect: { among3: [], among5: [], mustNotMiss: [], not3: [], nothing: false, triage: 'WHITE', ...expect },
  };
}

export function aTalk(parts: Partial<Talk> = {}): Talk {
  return {
    id: 'en-talk',
    file: 'en-talks.yaml',
    language: 'en',
    template: 'SOAP',
    medical: true,
    talk: [[0, 'I have had this cough for three days.']],
    sections: {},
    fields: {},
    invented: [],
    why: 'made up',
    ...parts,
  };
}

/** The diseases in this order, each as likely as said; 0.2 where nothing is said. */
export function aDiagnosis(
  codes: readonly (string | readonly [code: string, probability: number])[],
  triage: TriageLevel = 'WHITE',
): Diagnosis {
  return {
    diagnosis: {
      diseases: codes.map((one) => {
        const [icd10_code, probability] = typeof one === 'string' ? [one, 0.2] : one;
        return {
          name: icd10_code,
          icd10_code,
          probability,
          why: 'made up',
          diagnostic_tests: [],
          standard_care: [],
          category: 'most-likely',
        };
      }),
    },
    triage: { triage_level: triage, triage_justification: 'made up', triage_recommendation: 'made up' },
  };
}

export function aNote(
  texts: Readonly<Record<string, string>>,
  dynamicFields?: Readonly<Record<string, string>>,
): NoteAnswer {
  const sections = Object.entries(texts).map(([key, text]) => ({ key, title: key, text }));
  return { isMedical: true, note: { title: 'Cough', sections }, ...(dynamicFields && { dynamicFields }) };
}
