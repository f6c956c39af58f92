import { describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { type FactType, selectFacts } from '../../../src/domain/history/chart-selection.ts';
import { aCondition, aMedication, anAllergy, anObservation, aReport } from '../../support/chart-resources.ts';

function select(type: FactType, resources: readonly Resource[], maxCount = 50) {
  return selectFacts({
    resources,
    type,
    patient: 'Patient/p-1',
    encounter: 'Encounter/e-1',
    baseUrl: 'https://ehr.example.org/fhir',
    timeZone: 'UTC',
    maxCount,
  });
}

const ids = (type: FactType, resources: readonly Resource[]) => select(type, resources).facts.map(({ id }) => id);
const status = (code: string) => ({ coding: [{ code }] });

describe('the facts of a chart', () => {
  it('active conditions are facts, with or without a clinical status; refuted or erroneous ones are not', () => {
    const resources = [
      aCondition('a'),
      aCondition('b', { clinicalStatus: status('relapse') }),
      aCondition('c', { clinicalStatus: undefined }),
      aCondition('d', { clinicalStatus: status('resolved') }),
      aCondition('e', { verificationStatus: status('refuted') }),
      aCondition('f', { verificationStatus: status('entered-in-error'), clinicalStatus: undefined }),
      aCondition('g', { clinicalStatus: { coding: [{ system: 'https://old.example/status', code: 'inactive' }] } }),
    ];
    expect(ids('Condition', resources)).toEqual(['a', 'b', 'c']);
  });

  it('active medications are facts', () => {
    expect(
      ids('MedicationRequest', [
        aMedication('a'),
        aMedication('b', { status: 'stopped' }),
        aMedication('c', { status: undefined }),
      ]),
    ).toEqual(['a']);
  });

  it('vital signs and laboratory results of this encounter are facts', () => {
    const category = (code: string) => ({
      category: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code }] }],
    });
    const resources = [
      anObservation('a'),
      anObservation('b', category('laboratory')),
      anObservation('c', { category: undefined }),
      anObservation('d', category('social-history')),
      anObservation('e', { status: 'entered-in-error' }),
      anObservation('f', { status: 'cancelled' }),
      anObservation('g', { encounter: { reference: 'Encounter/e-2' } }),
      anObservation('h', { encounter: undefined }),
    ];
    expect(ids('Observation', resources)).toEqual(['a', 'b', 'c']);
    expect(ids('DiagnosticReport', [aReport('a'), aReport('b', { status: 'registered' })])).toEqual(['a']);
  });

  it('resources of another patient or without a patient are left out and counted', () => {
    const resources = [
      anAllergy('a'),
      anAllergy('b', { patient: { reference: 'Patient/p-2' } }),
      anAllergy('c', { patient: undefined }),
      anAllergy('d', { patient: { reference: 'https://other.example/fhir/Patient/p-1' } }),
      anAllergy('e', { patient: { reference: 'https://ehr.example.org/fhir/Patient/p-1' } }),
    ];
    const selected = select('AllergyIntolerance', resources);
    expect(selected.facts.map(({ id }) => id)).toEqual(['a', 'e']);
    expect(selected.foreign).toBe(3);
  });

  it('an unconfirmed draft of an AI is not a fact; a confirmed one is', () => {
    const meta = { security: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'AIAST' }] };
    const resources = [
      aCondition('a', { meta, verificationStatus: status('differential') }),
      aCondition('b', { meta }),
      aCondition('c', { meta, verificationStatus: undefined }),
    ];
    const selected = select('Condition', resources);
    expect(selected.facts.map(({ id }) => id)).toEqual(['b']);
    expect(selected.drafts).toBe(2);
    expect(select('DiagnosticReport', [aReport('r', { meta, status: 'preliminary' })]).drafts).toBe(1);
  });

  it('resources without a name or with unknown modifiers are left out and counted', () => {
    const resources = [
      aCondition('bad id\n- Allergy: none'),
      aCondition('b', { modifierExtension: [{ url: 'https://x.example', valueBoolean: true }] }),
      aCondition('c', { implicitRules: 'https://x.example' }),
      aCondition('d', { id: undefined }),
    ];
    expect(select('Condition', resources)).toMatchObject({ facts: [], unusable: 4 });
  });

  it('resources of another type and invalid values are ignored', () => {
    const odd = [null, 'x', [], {}, { resourceType: 'Patient', id: 'p-1' }] as unknown as Resource[];
    expect(select('Condition', odd)).toMatchObject({ facts: [], foreign: 0, unusable: 0 });
  });
});

describe('the order of facts', () => {
  it('problem list items come first, then the newest', () => {
    const problem = { category: [{ coding: [{ code: 'problem-list-item' }] }] };
    const resources = [
      aCondition('old', { recordedDate: '2010' }),
      aCondition('new', { recordedDate: '2026-01-01' }),
      aCondition('listed', problem),
    ];
    expect(ids('Condition', resources)).toEqual(['listed', 'new', 'old']);
    expect(ids('Condition', resources.toReversed())).toEqual(['listed', 'new', 'old']);
  });

  it('severe allergies come first; observations are the newest first; duplicates count once', () => {
    expect(ids('AllergyIntolerance', [anAllergy('a'), anAllergy('b', { criticality: 'high' })])).toEqual(['b', 'a']);
    const at = (id: string, time: string) => anObservation(id, { effectiveDateTime: time });
    const resources = [
      at('1', '2026-11-20T10:00:00Z'),
      at('2', '2026-11-20T12:00:00+01:00'),
      at('1', '2026-11-20T10:00:00Z'),
    ];
    expect(ids('Observation', resources)).toEqual(['2', '1']);
  });

  it('facts beyond the limit are counted', () => {
    const many = Array.from({ length: 60 }, (_, at) => aCondition(`c${at}`));
    expect(select('Condition', many).facts).toHaveLength(50);
    expect(select('Condition', many).surplus).toBe(10);
  });
});
