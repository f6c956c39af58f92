// What of an encounter's chart is not as it has to be, whatever was said: how its run ended, which resources stand there, and what
// checkers that others wrote say of each. In words; none where all is well.
import type { Resource } from '@medplum/fhirtypes';
import { chooseConditions } from '../../src/domain/chart/likely-conditions.ts';
import type { RunStatus } from '../../src/domain/run/run.ts';
import type { SandboxPatient } from '../../src/sandbox/patients/sandbox-patient.ts';
import { checkWithAll } from '../support/fhir-checkers.ts';
import { diagnosisIn, writtenIn } from './chart-answer.ts';
import type { PlayedVisit } from './play-sandbox.ts';

type End = { readonly status: RunStatus; readonly reason?: string };

/** As the story says that its run ends. */
function wantedEnd({ trap, expected }: Pick<SandboxPatient, 'trap' | 'expected'>): End {
  if (trap === 'silent') return { status: 'skipped', reason: 'no-speech' };
  return expected.medical ? { status: 'written' } : { status: 'skipped', reason: 'not-medical' };
}

export function endMisses(patient: SandboxPatient, { run }: PlayedVisit): readonly string[] {
  const wanted = wordsOfEnd(wantedEnd(patient));
  const given = wordsOfEnd(run);
  return wanted === given ? [] : [`run ${given} instead of ${wanted}`];
}

function wordsOfEnd({ status, reason }: End): string {
  return reason === undefined ? status : `${status} (${reason})`;
}

/**
 * Each type as often as the run's answer asks for, and nothing else; the predictions are those of the answer, the Conditions its likely
 * ones. None of them is found by a search for active Conditions.
 */
export function resourceMisses({ run, chart }: PlayedVisit): readonly string[] {
  const written = writtenIn(chart);
  const wanted = wantedTypes(run);
  const types = new Set([...wanted.keys(), ...written.map(({ resourceType }) => resourceType)]);
  const counts = [...types].flatMap((type) => {
    const given = written.filter(({ resourceType }) => resourceType === type).length;
    const asked = wanted.get(type) ?? 0;
    return given === asked ? [] : [`${given} ${type} instead of ${asked}`];
  });
  const diseases = run.status === 'written' ? (run.diagnosis?.diagnosis.diseases ?? []) : [];
  const codes = diseases.map(({ icd10_code }) => icd10_code);
  const likely = chooseConditions(diseases, 'likely').map(({ icd10_code }) => icd10_code);
  const predicted = diagnosisIn(chart).diagnosis.diseases.map(({ icd10_code }) => icd10_code);
  return [
    ...counts,
    ...(codes.join() === predicted.join() ? [] : ['the RiskAssessment has another order']),
    ...(likely.toSorted().join() === conditionCodes(written).toSorted().join() ? [] : ['Conditions of other codes']),
    ...(written.some(isActiveCondition) ? ['an active Condition'] : []),
  ];
}

function wantedTypes({ status, diagnosis }: PlayedVisit['run']): ReadonlyMap<Resource['resourceType'], number> {
  if (status !== 'written') return new Map();
  const diseases = diagnosis?.diagnosis.diseases ?? [];
  return new Map([
    ['Composition', 1],
    ['DocumentReference', 1],
    ['Condition', chooseConditions(diseases, 'likely').length],
    ['RiskAssessment', Math.min(1, diseases.length)],
    ['Flag', diagnosis?.triage.triage_level === 'RED' ? 1 : 0],
    ['Provenance', 1],
    ['Device', 1],
  ]);
}

function conditionCodes(written: readonly Resource[]): readonly string[] {
  return written
    .filter((resource) => resource.resourceType === 'Condition')
    .map(({ code }) => code?.coding?.[0]?.code ?? '');
}

function isActiveCondition(resource: Resource): boolean {
  return resource.resourceType === 'Condition' && resource.clinicalStatus !== undefined;
}

/** Of each resource that the engine wrote. */
export function checkerComplaints({ chart }: PlayedVisit): readonly string[] {
  return writtenIn(chart).flatMap((resource) =>
    checkWithAll(resource).map((complaint) => `${resource.resourceType}: ${complaint}`),
  );
}
