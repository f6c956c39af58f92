import { describe, expect, it } from '@jest/globals';
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { chartToCheck } from '../../../src/domain/history/charted-entries.ts';
import { aCondition, aMedication, anAllergy, anEncounter, aPatient } from '../../support/chart-resources.ts';

type Parts = Parameters<typeof chartToCheck>[0];

const entriesFor = (changes: Partial<Parts> = {}) =>
  chartToCheck({
    encounter: anEncounter() as Encounter,
    patient: aPatient() as Patient,
    chart: {},
    omissions: [],
    timeZone: 'UTC',
    now: new Date('2026-11-21T08:00:00Z'),
    ...changes,
  });

describe('the entries of a chart with which a note is compared', () => {
  it('are in the words of the chart, each with its reference, beside sex, birth date and the day of the visit', () => {
    const reaction = [{ manifestation: [{ text: 'Rash' }] }];
    const dosageInstruction = [{ text: '5 mg once daily' }];
    const chart = {
      allergies: [anAllergy('1', { code: { text: 'Penicillin' }, reaction })],
      medications: [aMedication('2', { medicationCodeableConcept: { text: 'Bisoprolol' }, dosageInstruction })],
      conditions: [aCondition('3', { code: { text: 'Asthma' } })],
    };
    expect(entriesFor({ chart })).toEqual({
      allergies: [{ text: 'Penicillin, reaction: Rash', reference: 'AllergyIntolerance/1' }],
      drugs: [{ text: 'Bisoprolol, 5 mg once daily', reference: 'MedicationRequest/2' }],
      problems: [{ text: 'Asthma', reference: 'Condition/3' }],
      sex: 'female',
      birthDate: '1959-04-02',
      date: '2026-11-20',
    });
  });

  it('leave out what is over, refuted or only suspected, and drugs that must not be given', () => {
    const coded = (code: string) => ({ coding: [{ code }] });
    const chart = {
      allergies: [anAllergy('1', { verificationStatus: coded('refuted') })],
      medications: [aMedication('2', { doNotPerform: true }), aMedication('3', { status: 'stopped' })],
      conditions: [
        aCondition('4', { clinicalStatus: coded('resolved') }),
        aCondition('5', { verificationStatus: coded('provisional') }),
      ],
    };
    expect(entriesFor({ chart })).toMatchObject({ allergies: [], drugs: [], problems: [] });
  });

  it('a list that could not be read is absent, and so is an empty list of allergies of which some were left out', () => {
    expect(entriesFor()).toEqual({ sex: 'female', birthDate: '1959-04-02', date: '2026-11-20' });
    const chart = { allergies: [] };
    expect(entriesFor({ chart }).allergies).toEqual([]);
    for (const omission of [
      'Not all of the allergies were read: there are more than 50, or the EHR does not show them all.',
      '1 resource of the chart is labelled restricted (R or V), and left out.',
    ]) {
      expect(entriesFor({ chart, omissions: [omission] }).allergies).toBeUndefined();
    }
    expect(entriesFor({ chart, omissions: ['The reports cannot be read: the EHR refuses it.'] }).allergies).toEqual([]);
  });

  it('a result of an earlier version without lists compares the person alone', () => {
    const {
      chart: _,
      omissions: __,
      ...older
    } = {
      encounter: anEncounter() as Encounter,
      patient: aPatient() as Patient,
      chart: {},
      omissions: [],
      timeZone: 'UTC',
      now: new Date('2026-11-21T08:00:00Z'),
    };
    expect(chartToCheck(older as Parts)).toMatchObject({ sex: 'female' });
  });
});
