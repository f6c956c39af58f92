// An invented visit of an invented patient, to try out an EHR. Each resource is labelled as test data.
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import { parseChartFacts } from '../mapping/chart-facts.ts';
import { listOf, memberOf, textOf } from '../raw-members.ts';
import type { ChartFacts } from './chart.ts';
import { type Identity, identifierSystem } from './identity.ts';

const TEST_LABEL = {
  system: 'http://terminology.hl7.org/CodeSystem/v3-ActReason',
  code: 'HTEST',
  display: 'test health data',
} as const;

export function testPatient(identity: Identity): Patient {
  return {
    resourceType: 'Patient',
    meta: { security: [TEST_LABEL] },
    identifier: [identity],
    active: false,
    name: [{ use: 'usual', family: 'Chartwright-Test', given: ['Not a person'] }],
    gender: 'unknown',
    birthDate: '1900-01-01',
  };
}

/** Its status is planned, so that it does not count as an encounter to document. */
export function testEncounter(identity: Identity, patient: string): Encounter {
  return {
    resourceType: 'Encounter',
    meta: { security: [TEST_LABEL] },
    identifier: [identity],
    status: 'planned',
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB', display: 'ambulatory' },
    subject: { reference: patient },
  };
}

/** An Encounter that a write test at this site has made: its events are no reason for a run. */
export function isTestEncounter(resource: unknown, site: string): boolean {
  const system = identifierSystem(site);
  const isOurs = listOf(resource, 'identifier').some((each) => textOf(each, 'system') === system);
  const labels = listOf(memberOf(resource, 'meta'), 'security');
  return isOurs && labels.some((label) => textOf(label, 'code') === TEST_LABEL.code);
}

export function labelledAsTest<T extends Resource>(resource: T): T {
  return { ...resource, meta: { ...resource.meta, security: [...(resource.meta?.security ?? []), TEST_LABEL] } };
}

const IDENTITY = { system: 'urn:chartwright:test', value: 'test' };

/** The facts of a draft and of its approval: some documents are made only after it. For what a site's mappings make, without an EHR. */
export function testDrafts(): readonly ChartFacts[] {
  const patient = { ...testPatient(IDENTITY), id: 'test' };
  const encounter = { ...testEncounter(IDENTITY, 'Patient/test'), id: 'test' };
  const visit = { patient, encounter, session: 'test', run: { id: 'test', time: '2026-01-01T00:00:00Z' } };
  return [testFacts(visit), testFacts({ ...visit, isSigned: true, reviewer: 'Practitioner/test' })];
}

type Visit = {
  readonly patient: Patient;
  readonly encounter: Encounter;
  readonly session: string;
  readonly run: { readonly id: string; readonly time: string };
  readonly isSigned?: boolean;
  /** The reviewer who approved it: `Practitioner/7`. */
  readonly reviewer?: string;
};

const TEXT = 'Test of the connection. This is not a person.';

/** Has everything that any document is made of: a note, a diagnosis, a triage that raises a flag. */
export function testFacts({ patient, encounter, session, run, isSigned = false, reviewer }: Visit): ChartFacts {
  return parseChartFacts({
    note: {
      title: 'Connection test, not a person',
      type: 'PROGRESS_NOTE',
      template: 'SOAP',
      sections: ['SUBJECTIVE', 'OBJECTIVE', 'ASSESSMENT', 'PLAN'].map((key) => ({ key, title: key, text: TEXT })),
    },
    diagnosis: {
      diseases: [
        { name: 'Connection test', icd10_code: 'J00', probability: 1, why: TEXT },
        { name: 'Connection test', icd10_code: 'R05', probability: 0.2, why: TEXT, category: 'expanded' },
      ],
    },
    triage: { triage_level: 'RED', triage_justification: TEXT, triage_recommendation: TEXT },
    recordings: [{ contentType: 'audio/wav', start: run.time, end: run.time, durationSeconds: 60 }],
    patient,
    encounter,
    session: { key: session },
    run: {
      ...run,
      status: isSigned ? 'final' : 'preliminary',
      // Each test has a Device of its own.
      model: { name: 'connection test', version: run.id, kind: 'rules' },
    },
    ...(reviewer !== undefined && { review: { decision: 'approve', time: run.time, reviewer } }),
  });
}
