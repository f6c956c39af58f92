import { describe, expect, it } from '@jest/globals';
import type { Diagnosis, Disease } from '../../../src/domain/diagnosis/diagnosis.ts';
import { findBadForm, hasWrongCode, repairDiagnosis } from '../../../src/domain/diagnosis/repair-diagnosis.ts';
import { LANGUAGES } from '../../../src/domain/language.ts';

function aDisease(name: string, code: string, more: Partial<Disease> = {}): Disease {
  return {
    name,
    icd10_code: code,
    probability: 0.3,
    why: 'Made-up reasons.',
    diagnostic_tests: [],
    standard_care: [],
    category: 'expanded',
    ...more,
  };
}

function aDiagnosis(...diseases: readonly Disease[]): Diagnosis {
  const triage = { triage_level: 'WHITE', triage_justification: 'None.', triage_recommendation: 'None.' } as const;
  return { diagnosis: { diseases }, triage };
}

function repaired(...diseases: readonly Disease[]): readonly Disease[] {
  return repairDiagnosis(aDiagnosis(...diseases), 'en').diagnosis.diseases;
}

const PNEUMONIA = aDisease('Pneumonia', 'J18.9', { probability: 0.6, category: 'most-likely' });
const BRONCHITIS = aDisease('Acute bronchitis', 'J20.9');
const EMBOLISM = aDisease('Pulmonary embolism', 'I26.9', { probability: 0.05, category: 'cant-miss' });

describe('The form of a diagnosis', () => {
  it('is good if each disease is there once, with its own code and a probability of being the cause', () => {
    expect(findBadForm(aDiagnosis(PNEUMONIA, BRONCHITIS, EMBOLISM))).toEqual([]);
    expect(findBadForm(aDiagnosis())).toEqual([]);
  });

  it.each([
    ['a name with the code of another disease', [aDisease('Migraine', 'I21.9')], ['code']],
    ['one disease twice, by its name', [PNEUMONIA, aDisease('Pneumonia', 'J15.9')], ['same-disease']],
    ['one disease twice, by its code', [BRONCHITIS, aDisease('Bronquitis aguda', 'J20.9')], ['same-disease']],
    [
      'two certain causes',
      [aDisease('Pneumonia', 'J18.9', { probability: 1 }), aDisease('Migraine', 'G43.9', { probability: 1 })],
      ['probabilities'],
    ],
    [
      'probabilities that exceed 1 by far together',
      [PNEUMONIA, BRONCHITIS, EMBOLISM].map((disease) => ({ ...disease, probability: 0.6 })),
      ['probabilities'],
    ],
  ] as const)('is bad for %s', (_, diseases, forms) => {
    expect(findBadForm(aDiagnosis(...diseases))).toEqual(forms);
  });

  it('tolerates probabilities that are a little more than 1 together, and one certain cause', () => {
    const diseases = [0.7, 0.4, 0.3].map((probability, index) => ({
      ...(([PNEUMONIA, BRONCHITIS, EMBOLISM] as const)[index] ?? PNEUMONIA),
      probability,
    }));
    expect(findBadForm(aDiagnosis(...diseases))).toEqual([]);
    expect(findBadForm(aDiagnosis({ ...PNEUMONIA, probability: 1 }, BRONCHITIS))).toEqual([]);
  });

  it('names everything that is bad at once', () => {
    const diseases = [
      aDisease('Migraine', 'I21.9', { probability: 1 }),
      aDisease('Pneumonia', 'J18.9', { probability: 1 }),
      aDisease('Pneumonia', 'J18.9', { probability: 0.1 }),
    ];
    expect(findBadForm(aDiagnosis(...diseases))).toEqual(['same-disease', 'probabilities', 'code']);
  });
});

describe('The repair of a diagnosis', () => {
  it('changes nothing in a diagnosis of good form', () => {
    const diagnosis = aDiagnosis(PNEUMONIA, BRONCHITIS, EMBOLISM);
    expect(repairDiagnosis(diagnosis, 'en')).toEqual(diagnosis);
  });

  it('keeps probabilities as they were stated, even if they cannot be right', () => {
    const certain = [PNEUMONIA, BRONCHITIS].map((disease) => ({ ...disease, probability: 1 }));
    expect(repaired(...certain)).toEqual(certain);
  });

  it.each([
    ['en', 'Migraine', 'Given without an ICD-10 code: the code in the answer belongs to another disease.'],
    ['es', 'Migraña', 'Sin código CIE-10: el código de la respuesta corresponde a otra enfermedad.'],
    ['pt', 'Enxaqueca', 'Sem código CID-10: o código da resposta corresponde a outra doença.'],
  ] as const)(
    'leaves a code of another disease out and says so at the end of the reasons (%s)',
    (language, name, end) => {
      const wrong = aDisease(name, 'I21.9');
      const { diseases } = repairDiagnosis(aDiagnosis(wrong, PNEUMONIA), language).diagnosis;
      expect(diseases).toEqual([{ ...wrong, icd10_code: '', why: `Made-up reasons. ${end}` }, PNEUMONIA]);
    },
  );

  it('keeps a code of which it is not known whether it fits', () => {
    const unknown = aDisease('Quibblewort syndrome of the made-up kind', 'J18.9');
    expect(repaired(unknown)).toEqual([unknown]);
  });

  it('merges a disease that is there twice into the more probable one, at the place of the first', () => {
    const again = aDisease('Pneumonia', 'J18.9', { probability: 0.8, why: 'Better reasons.' });
    expect(repaired(PNEUMONIA, BRONCHITIS, again)).toEqual([again, BRONCHITIS]);
    expect(repaired(again, BRONCHITIS, PNEUMONIA)).toEqual([again, BRONCHITIS]);
  });

  it('keeps that a disease must not be missed if either of two entries says so and it is not the most likely one', () => {
    const possible = aDisease('Pneumonia', 'J18.9', { probability: 0.2, category: 'expanded' });
    const cantMiss = aDisease('Pneumonia', 'J18.9', { probability: 0.1, category: 'cant-miss' });
    expect(repaired(possible, cantMiss)).toEqual([{ ...possible, category: 'cant-miss' }]);
    expect(repaired(cantMiss, possible)).toEqual([{ ...possible, category: 'cant-miss' }]);
    expect(repaired(PNEUMONIA, cantMiss)).toEqual([PNEUMONIA]);
    expect(repaired(cantMiss, PNEUMONIA)).toEqual([PNEUMONIA]);
  });

  it('gives a disease without its code the code of its other entry', () => {
    const wrong = aDisease('Migraine', 'I21.9', { probability: 0.5 });
    const right = aDisease('Migraine', 'G43.9', { probability: 0.2 });
    expect(repaired(wrong, right)).toEqual([{ ...wrong, icd10_code: 'G43.9' }]);
  });

  it('does not merge two diseases because one of them has the code of the other', () => {
    const infarction = aDisease('Acute myocardial infarction', 'I21.9');
    const migraine = aDisease('Migraine', 'I21.9');
    expect(repaired(infarction, migraine).map(({ name, icd10_code }) => [name, icd10_code])).toEqual([
      ['Acute myocardial infarction', 'I21.9'],
      ['Migraine', ''],
    ]);
  });

  it.each(LANGUAGES)('is of good form afterwards, and a second repair changes nothing (%s)', (language) => {
    const diseases = [
      aDisease('Migraine', 'I21.9', { probability: 0.4 }),
      aDisease('Migraña', 'G43.9', { probability: 0.2 }),
      aDisease('Pneumonia', 'K35.8', { probability: 0.1, why: '' }),
      aDisease('Pneumonia', 'S72.0', { probability: 0.3 }),
    ];
    const once = repairDiagnosis(aDiagnosis(...diseases), language);
    expect(findBadForm(once)).toEqual([]);
    expect(once.diagnosis.diseases.length).toBe(2);
    expect(repairDiagnosis(once, language)).toEqual(once);
  });

  it('keeps a code if any of its official names is like the name of the disease', () => {
    const wrong = { ...PNEUMONIA, name: 'Migraine', icd10_code: 'I21.9' };
    const names = (...displays: readonly string[]) => new Map([['I21.9', displays]]);
    expect(hasWrongCode(wrong, names('Infarto agudo de miocardio', 'Migraña, no especificada'))).toBe(false);
    expect(hasWrongCode(wrong, names('Infarto agudo de miocardio'))).toBe(true);
    expect(hasWrongCode(wrong, new Map([['G43.9', ['Migraine, unspecified']]]))).toBe(true);
    const diagnosis = aDiagnosis(wrong, BRONCHITIS);
    expect(findBadForm(diagnosis, names('Migraña'))).toEqual([]);
    expect(repairDiagnosis(diagnosis, 'en', names('Migraña'))).toEqual(diagnosis);
  });

  it('does not take a missing code for a wrong one', () => {
    expect(hasWrongCode({ name: 'Migraine', icd10_code: '' })).toBe(false);
    expect(hasWrongCode({ name: 'Migraine', icd10_code: 'I21.9' })).toBe(true);
  });
});
