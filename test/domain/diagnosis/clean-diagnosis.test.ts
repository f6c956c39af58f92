import { describe, expect, it } from '@jest/globals';
import { cleanDiagnosis, cleanPartialDiagnosis } from '../../../src/domain/diagnosis/clean-diagnosis.ts';
import type { Diagnosis } from '../../../src/domain/diagnosis/diagnosis.ts';

const isAllowedSource = (url: string): boolean => url === 'https://who.int/a';

const GOOD: Diagnosis = {
  diagnosis: {
    diseases: [
      {
        name: 'Angina, SpO2 <90 %',
        icd10_code: 'I20.9',
        probability: 0.4,
        why: 'Pain on exertion.',
        diagnostic_tests: ['ECG', 'Troponin'],
        standard_care: [{ name: 'Rest', url: 'https://who.int/a' }, { name: 'Advice' }],
        drugs: [
          { name: 'Aspirin', class: 'Antiplatelet', dosage: '75 mg daily', considerations: '', first_line: true },
        ],
        category: 'most-likely',
      },
    ],
  },
  triage: { triage_level: 'WHITE', triage_justification: 'Calm.', triage_recommendation: 'See a doctor.' },
};

const BAD: Diagnosis = {
  diagnosis: {
    diseases: [
      {
        name: '<b>Angina</b>',
        icd10_code: 'I20.9',
        probability: 0.4,
        why: 'See https://evil.example/a.',
        diagnostic_tests: ['![x](https://evil.example/x.png)', 'ECG'],
        standard_care: [
          { name: 'Rest', url: 'https://evil.example' },
          { name: '<script>1</script>', url: 'https://who.int/a' },
        ],
        drugs: [
          {
            name: '<i>Aspirin</i>',
            class: 'Antiplatelet',
            dosage: '90000 mg',
            considerations: 'javascript:x',
            first_line: true,
          },
        ],
        category: 'most-likely',
      },
      { ...GOOD.diagnosis.diseases[0], name: '<img src=x>' } as Diagnosis['diagnosis']['diseases'][number],
    ],
  },
  triage: { triage_level: 'RED', triage_justification: '<p>Now</p>', triage_recommendation: 'Call a@evil.example now' },
};

describe('A cleaned diagnosis', () => {
  it('is the same if nothing has to go', () => {
    const removed = { links: 0, dosages: 0, markup: 0 };
    expect(cleanDiagnosis({ diagnosis: GOOD, isAllowedSource })).toEqual({ diagnosis: GOOD, removed });
  });

  it('has no markup, no address, no link to another source and no dosage that cannot be meant; what goes is counted', () => {
    const { diagnosis, removed } = cleanDiagnosis({ diagnosis: BAD, isAllowedSource });
    expect(diagnosis).toEqual({
      diagnosis: {
        diseases: [
          {
            name: 'Angina',
            icd10_code: 'I20.9',
            probability: 0.4,
            why: 'See.',
            diagnostic_tests: ['ECG'],
            standard_care: [{ name: 'Rest' }],
            drugs: [{ name: 'Aspirin', class: 'Antiplatelet', dosage: '', considerations: '', first_line: true }],
            category: 'most-likely',
          },
        ],
      },
      triage: { triage_level: 'RED', triage_justification: 'Now', triage_recommendation: 'Call now' },
    });
    expect(removed).toEqual({ links: 4, dosages: 1, markup: 9 });
  });

  it('is not changed by a second call', () => {
    const { diagnosis } = cleanDiagnosis({ diagnosis: BAD, isAllowedSource });
    expect(cleanDiagnosis({ diagnosis, isAllowedSource }).diagnosis).toEqual(diagnosis);
  });

  it('keeps an address that the history has', () => {
    const { diagnosis } = cleanDiagnosis({
      diagnosis: BAD,
      isAllowedSource,
      isSaid: (address) => address === 'https://evil.example/a',
    });
    expect(diagnosis.diagnosis.diseases[0]?.why).toBe('See https://evil.example/a.');
  });

  it('may still be arriving: absent fields stay absent', () => {
    const clean = (diagnosis: Parameters<typeof cleanPartialDiagnosis>[0]['diagnosis']) =>
      cleanPartialDiagnosis({ diagnosis, isAllowedSource }).diagnosis;
    expect(clean({})).toEqual({});
    expect(clean({ diagnosis: {} })).toEqual({ diagnosis: {} });
    expect(clean({ diagnosis: { diseases: [{ name: '<b>A' }, {}] }, triage: { triage_level: 'RED' } })).toEqual({
      diagnosis: { diseases: [{ name: 'A' }, {}] },
      triage: { triage_level: 'RED' },
    });
    const arriving = {
      diagnosis: { diseases: [{ standard_care: [{ url: 'https://evil.example' }, {}], drugs: [{ dosage: '1' }, {}] }] },
    };
    expect(clean(arriving)).toEqual({
      diagnosis: { diseases: [{ standard_care: [{}, {}], drugs: [{ dosage: '1' }, {}] }] },
    });
  });
});
