import { describe, expect, it } from '@jest/globals';
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { type HistoryParts, writeHistory } from '../../../src/domain/history/chart-history.ts';
import { lineOf } from '../../../src/domain/history/chart-lines.ts';
import {
  aCondition,
  aMedication,
  anAllergy,
  anEncounter,
  anObservation,
  aPatient,
  aReport,
  aResource,
} from '../../support/chart-resources.ts';
import { fc } from '../../support/fast-check.ts';

function history(changes: Partial<HistoryParts> = {}) {
  return writeHistory({
    encounter: anEncounter() as Encounter,
    patient: aPatient() as Patient,
    groups: {},
    timeZone: 'UTC',
    now: new Date('2026-11-21T08:00:00Z'),
    maxCharacters: 16_000,
    ...changes,
  });
}

const ageOn = (start: string | undefined, birthDate: unknown) =>
  history({
    encounter: anEncounter({ period: { start } }) as Encounter,
    patient: aPatient({ birthDate, gender: undefined }) as Patient,
  }).text;

describe('the patient', () => {
  it('age and sex are those at the time of the encounter', () => {
    expect(history().text).toBe('- Patient: 67 years old, female [Patient/p-1]');
    expect(ageOn('2026-04-01T12:00:00Z', '1959-04-02')).toBe('- Patient: 66 years old [Patient/p-1]');
  });

  it('the age is in months below two years and in days below a month', () => {
    expect(ageOn('2026-11-20', '2024-11-20')).toContain(': 2 years old');
    expect(ageOn('2026-11-20', '2024-11-21')).toContain(': 23 months old');
    expect(ageOn('2026-11-20', '2026-10-20')).toContain(': 1 month old');
    expect(ageOn('2026-11-20', '2026-10-21')).toContain(': 30 days old');
    expect(ageOn('2026-02-28', '2026-01-31')).toContain(': 1 month old');
    expect(ageOn('2026-11-20', '2026-11-20')).toContain(': 0 days old');
  });

  it('the day is that of the site’s time zone', () => {
    const groups = {
      timeZone: 'America/Chicago',
      encounter: anEncounter({ period: { start: '2026-04-02T02:00:00Z' } }) as Encounter,
    };
    expect(history(groups).text).toContain(': 66 years old');
  });

  it('with only the year or month of birth the age says about', () => {
    expect(ageOn('2026-11-20', '1959')).toContain(': about 67 years old');
    expect(ageOn('2026-11-20', '2026-08')).toContain(': about 3 months old');
    expect(ageOn('2026-11-20', '2026-11')).toContain(': under 1 month old');
    expect(ageOn('2026-11-20', '2025')).toContain(': under 2 years old');
  });

  it('an encounter without a time counts as now; a birth in the future gives no age', () => {
    expect(ageOn(undefined, '2016-11-22')).toContain(': 9 years old');
    for (const birthDate of ['2027-01-01', '2027', '1959-02-30', 'unknown', 1959, null]) {
      expect(ageOn('2026-11-20', birthDate)).toBe('');
    }
  });

  it('the reason for the encounter is included', () => {
    const encounter = anEncounter({ reasonCode: [{ text: 'Cough' }, { coding: [{ display: 'Fever' }] }] }) as Encounter;
    expect(history({ encounter }).text).toContain('\n- Reason for the encounter: Cough; Fever [Encounter/e-1]');
  });
});

describe('one line per fact', () => {
  const line = (resource: { resourceType: string; id?: string | undefined }) =>
    lineOf(resource, `${resource.resourceType}/${resource.id}`);

  it('a condition has its onset and its verification', () => {
    expect(line(aCondition('3', { code: { text: 'Asthma' }, onsetDateTime: '2019-05-01T10:00:00Z' }))).toBe(
      '- Condition: Asthma, since 2019-05-01 [Condition/3]',
    );
    const unsure = { verificationStatus: { coding: [{ code: 'provisional' }] }, onsetAge: { value: 40, unit: 'a' } };
    expect(line(aCondition('4', { ...unsure, severity: { text: 'severe' } }))).toBe(
      '- Condition: Condition 4, severe, since the age of 40 a, provisional [Condition/4]',
    );
    expect(line(aCondition('5', { recordedDate: '2020-01-02' }))).toContain(', recorded 2020-01-02 ');
  });

  it('a medication has its dose, as text or made of its parts', () => {
    expect(
      line(aMedication('1', { dosageInstruction: [{ text: '1 tablet twice\na day' }], authoredOn: '2025-02-03' })),
    ).toBe('- Medication: Medicine 1, 1 tablet twice a day, since 2025-02-03 [MedicationRequest/1]');
    const dose = {
      doseAndRate: [{ doseQuantity: { value: 500, unit: 'mg' } }],
      timing: { repeat: { frequency: 2, period: 1, periodUnit: 'd' } },
      route: { text: 'oral' },
      asNeededBoolean: true,
    };
    expect(line(aMedication('2', { dosageInstruction: [dose] }))).toBe(
      '- Medication: Medicine 2, 500 mg 2 times every 1 d oral as needed [MedicationRequest/2]',
    );
    const statement = aResource('MedicationStatement', '3', {
      medicationReference: { reference: '#m' },
      contained: [{ resourceType: 'Medication', id: 'm', code: { text: 'Metformin' } }],
      dosage: [{ text: 'daily' }],
    });
    expect(line(statement)).toBe('- Medication: Metformin, daily [MedicationStatement/3]');
    const byName = aMedication('4', {
      medicationCodeableConcept: undefined,
      medicationReference: { display: 'Aspirin' },
    });
    expect(line(byName)).toBe('- Medication: Aspirin [MedicationRequest/4]');
  });

  it('a medication that must not be given never reads like one that is given', () => {
    expect(line(aMedication('1', { doNotPerform: true }))).toMatch(/^- Medication that must not be given: /);
  });

  it('an allergy has its reaction and severity', () => {
    const reaction = [{ manifestation: [{ text: 'Rash' }, { text: 'Wheeze' }], severity: 'severe' }];
    expect(line(anAllergy('1', { reaction, criticality: 'high' }))).toBe(
      '- Allergy: Substance 1, reaction: Rash and Wheeze (severe), high criticality [AllergyIntolerance/1]',
    );
    expect(line(anAllergy('2', { type: 'intolerance' }))).toBe('- Intolerance: Substance 2 [AllergyIntolerance/2]');
  });

  it('an observation has its value, unit and time, also of its components', () => {
    expect(line(anObservation('1'))).toBe('- Vital sign: Heart rate 88 /min, 2026-11-20 10:05 UTC [Observation/1]');
    const pressure = {
      code: { text: 'Blood pressure' },
      valueQuantity: undefined,
      component: [
        { code: { text: 'Systolic' }, valueQuantity: { value: 142, unit: 'mmHg' } },
        { code: { text: 'Diastolic' }, valueQuantity: { value: 90, unit: 'mmHg' } },
      ],
      interpretation: [{ text: 'High' }],
    };
    expect(line(anObservation('2', pressure))).toContain(
      'Blood pressure Systolic 142 mmHg, Diastolic 90 mmHg (High), ',
    );
    expect(line(anObservation('3', { valueQuantity: undefined, valueBoolean: false }))).toContain('Heart rate no,');
    expect(line(anObservation('4', { valueQuantity: undefined, dataAbsentReason: { text: 'x' } }))).toBeUndefined();
  });

  it('a report has its conclusion, shortened', () => {
    expect(line(aReport('1'))).toBe(
      '- Report: Chest X-ray, 2026-11-20, conclusion: No infiltrate. [DiagnosticReport/1]',
    );
    const long = line(aReport('2', { conclusion: 'word '.repeat(1_000) })) ?? '';
    expect(long.length).toBeLessThan(620);
    expect(long).toContain('…');
  });

  it('any resource gives one line or none', () => {
    const types = ['Condition', 'MedicationRequest', 'AllergyIntolerance', 'Observation', 'DiagnosticReport'];
    const names = [
      'code',
      'reaction',
      'component',
      'dosageInstruction',
      'conclusion',
      'category',
      'medicationReference',
    ];
    const value = fc.oneof(
      fc.anything({ maxDepth: 4 }),
      fc.record({ text: fc.string({ unit: 'binary' }), coding: fc.anything() }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.dictionary(fc.constantFrom(...names), value), (type, members) => {
        const told = lineOf({ resourceType: type, ...members }, `${type}/1`);
        expect(told === undefined || (!/[\n\r\u2028\u2029]/.test(told) && told.endsWith(` [${type}/1]`))).toBe(true);
      }),
    );
  });
});

describe('the whole history', () => {
  const groups = {
    conditions: [aCondition('1')],
    allergies: [anAllergy('2')],
    medications: [aMedication('3')],
    observations: [anObservation('4'), anObservation('5', { valueQuantity: undefined })],
    reports: [aReport('6')],
  };

  it('it is the same each time, has allergies first, and lists the included resources', () => {
    const first = history({ groups });
    expect(first.text.split('\n').map((line) => line.replace(/:.*/, ''))).toEqual([
      '- Patient',
      '- Allergy',
      '- Condition',
      '- Medication',
      '- Vital sign',
      '- Report',
    ]);
    expect(history({ groups }).text).toBe(first.text);
    expect([...first.included].map(({ id }) => id)).toEqual(['2', '1', '3', '4', '6']);
    expect(first.unusable).toBe(1);
  });

  it('facts that do not fit are cut as whole lines and counted', () => {
    const conditions = Array.from({ length: 1_000 }, (_, at) =>
      aCondition(`c${at}`, { code: { text: 'x'.repeat(100) } }),
    );
    const cut = history({ groups: { ...groups, conditions }, maxCharacters: 2_000 });
    expect(cut.text.length).toBeLessThanOrEqual(2_000);
    expect(cut.text.split('\n').every((line) => line.endsWith(']'))).toBe(true);
    expect(cut.included.size + cut.leftOut + cut.unusable).toBe(1_005);
    expect(cut.text).toContain('- Allergy');
  });

  it('an empty chart gives an empty text', () => {
    expect(history({ patient: aResource('Patient', 'p-1') as Patient }).text).toBe('');
  });
});
