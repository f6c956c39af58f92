import { describe, expect, it } from '@jest/globals';
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { judgeIdentity } from '../../../src/domain/chart/encounter-identity.ts';

const MRN = 'urn:oid:1.2.3';

function aPatient(id: string, changes: Partial<Patient> = {}): Patient {
  return { resourceType: 'Patient', id, birthDate: '1970-02-03', ...changes };
}

function anEncounter(subject: string | undefined, status: Encounter['status'] = 'finished'): Encounter {
  return {
    resourceType: 'Encounter',
    id: 'e-1',
    status,
    class: { code: 'AMB' },
    ...(subject !== undefined && { subject: { reference: subject } }),
  };
}

const patient = aPatient('p-1', { identifier: [{ system: MRN, value: '100' }] });

describe('right before a write', () => {
  it('the same patient on the same encounter is written to', () => {
    expect(judgeIdentity({ patient, encounterNow: anEncounter('Patient/p-1'), patientNow: patient })).toEqual({
      kind: 'same',
    });
  });

  it('a record with a further number is the same one, in any order', () => {
    const identifier = [
      { system: MRN, value: '200' },
      { system: MRN, value: '100' },
    ];
    const parts = { patient, encounterNow: anEncounter('Patient/p-1'), patientNow: { ...patient, identifier } };
    expect(judgeIdentity({ ...parts, mrnSystem: MRN })).toEqual({ kind: 'same' });
  });

  it.each([null, [null], {}, 'x', 0, [[]]])(
    'a record with %j where its links and numbers belong breaks nothing',
    (odd) => {
      const patientNow = { ...patient, link: odd, identifier: odd } as unknown as Patient;
      const parts = { patient, encounterNow: anEncounter('Patient/p-1'), patientNow, mrnSystem: MRN };
      expect(judgeIdentity(parts)).toEqual({ kind: 'same' });
    },
  );

  it('a link that is not in a list still counts', () => {
    const link = { type: 'replaced-by', other: { reference: 'Patient/p-9' } };
    const patientNow = { ...patient, link } as unknown as Patient;
    expect(judgeIdentity({ patient, encounterNow: anEncounter('Patient/p-1'), patientNow }).kind).toBe('other');
  });

  it('a reference with the address of the server in front is the same one', () => {
    const encounterNow = anEncounter('https://ehr.example.org/fhir/Patient/p-1');
    const baseUrl = 'https://ehr.example.org/fhir';
    expect(judgeIdentity({ patient, encounterNow, patientNow: patient, baseUrl }).kind).toBe('same');
  });

  it('the same id at another server is another patient', () => {
    const encounterNow = anEncounter('https://elsewhere.example.org/fhir/Patient/p-1');
    const baseUrl = 'https://ehr.example.org/fhir';
    expect(judgeIdentity({ patient, encounterNow, patientNow: patient, baseUrl }).kind).toBe('other');
  });

  it.each(['cancelled', 'entered-in-error'] as const)('an encounter that is %s now is not documented', (status) => {
    const encounterNow = anEncounter('Patient/p-1', status);
    expect(judgeIdentity({ patient, encounterNow, patientNow: patient })).toEqual({ kind: 'cancelled' });
  });

  it('a patient who was merged into the present subject is followed, whichever of the two has the link', () => {
    const encounterNow = anEncounter('Patient/p-2');
    const old = { ...patient, link: [{ type: 'replaced-by' as const, other: { reference: 'Patient/p-2' } }] };
    const survivor = aPatient('p-2');
    expect(judgeIdentity({ patient, encounterNow, patientNow: old, subjectNow: survivor })).toEqual({
      kind: 'merged',
      into: 'Patient/p-2',
    });
    const replaces = aPatient('p-2', { link: [{ type: 'replaces', other: { reference: 'Patient/p-1' } }] });
    expect(judgeIdentity({ patient, encounterNow, patientNow: undefined, subjectNow: replaces }).kind).toBe('merged');
  });

  const other: readonly (readonly [string, Parameters<typeof judgeIdentity>[0]])[] = [
    ['is gone', { patient, encounterNow: undefined, patientNow: patient }],
    ['has no patient', { patient, encounterNow: anEncounter(undefined), patientNow: patient }],
    [
      'was moved to another patient',
      { patient, encounterNow: anEncounter('Patient/p-2'), patientNow: patient, subjectNow: aPatient('p-2') },
    ],
    [
      'was moved to a patient who only mentions them',
      {
        patient,
        encounterNow: anEncounter('Patient/p-2'),
        patientNow: patient,
        subjectNow: aPatient('p-2', { link: [{ type: 'seealso', other: { reference: 'Patient/p-1' } }] }),
      },
    ],
    [
      'is of a patient who is not in the EHR any more',
      { patient, encounterNow: anEncounter('Patient/p-1'), patientNow: undefined },
    ],
    [
      'stayed behind with a patient who was merged away',
      {
        patient,
        encounterNow: anEncounter('Patient/p-1'),
        patientNow: { ...patient, link: [{ type: 'replaced-by', other: { reference: 'Patient/p-9' } }] },
      },
    ],
    [
      'is of a record that another person was written over',
      { patient, encounterNow: anEncounter('Patient/p-1'), patientNow: { ...patient, birthDate: '2001-01-01' } },
    ],
    [
      'is of a record with another number',
      {
        patient,
        encounterNow: anEncounter('Patient/p-1'),
        patientNow: { ...patient, identifier: [{ system: MRN, value: '200' }] },
        mrnSystem: MRN,
      },
    ],
  ];
  it.each(other)('nothing is written if the encounter %s', (_, parts) => {
    expect(judgeIdentity(parts).kind).toBe('other');
  });
});
