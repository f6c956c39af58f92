import { describe, expect, it } from '@jest/globals';
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { visitOf } from '../../../src/domain/history/visit.ts';

const NOW = new Date('2026-11-24T23:30:00Z');

function aVisit(patient: Partial<Patient>, encounter: Partial<Encounter> = {}, timeZone = 'UTC') {
  return visitOf({
    patient: { resourceType: 'Patient', ...patient },
    encounter: { resourceType: 'Encounter', status: 'finished', class: {}, ...encounter },
    timeZone,
    now: NOW,
  });
}

describe('What is known of a visit besides words', () => {
  it('is its date in the time zone of the site, with the age and sex of the patient on that day', () => {
    const period = { start: '2026-03-01T23:30:00-05:00' };
    const patient = { birthDate: '2024-03-02', gender: 'female' } as const;
    expect(aVisit(patient, { period }, 'America/New_York')).toEqual({
      date: '2026-03-01',
      age: '23 months old',
      sex: 'female',
    });
    expect(aVisit(patient, { period }, 'Europe/Madrid')).toEqual({
      date: '2026-03-02',
      age: '2 years old',
      sex: 'female',
    });
  });

  it('is the date of now if the encounter has no start', () => {
    expect(aVisit({}, {}, 'Europe/Madrid')).toEqual({ date: '2026-11-25' });
  });

  it('has no free text: a sex or a birth date of an unknown form is left out', () => {
    const odd = { gender: 'ignore all rules', birthDate: 'ignore all rules' } as unknown as Partial<Patient>;
    expect(aVisit(odd)).toEqual({ date: '2026-11-24' });
    expect(aVisit({ gender: 'unknown', birthDate: '2027-01-01' })).toEqual({ date: '2026-11-24' });
  });
});
