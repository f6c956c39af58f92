// A finished diagnosis told bit by bit, in the order in which the interface shows it: disease by disease, then the triage.
// What is shown only grows. Others get their turn between two pieces.
import { setImmediate } from 'node:timers/promises';
import type { Diagnosis, Disease, PartialDiagnosis, Triage } from '../../domain/diagnosis/diagnosis.ts';
import type { DiagnosisEvent } from '../../ports/reasoner.ts';

/** What becomes known at a time. */
const DISEASE_STEPS: readonly (readonly (keyof Disease)[])[] = [
  ['name'],
  ['icd10_code', 'probability', 'category'],
  ['why'],
  ['diagnostic_tests'],
  ['standard_care', 'drugs'],
];
const TRIAGE_STEPS: readonly (readonly (keyof Triage)[])[] = [
  ['triage_level'],
  ['triage_justification'],
  ['triage_recommendation'],
];

/** `check` throws where nobody waits for it any more. */
export async function* streamDiagnosis(diagnosis: Diagnosis, check: () => void): AsyncGenerator<DiagnosisEvent> {
  const { diseases } = diagnosis.diagnosis;
  const diseaseSteps = Math.max(1, diseases.length * DISEASE_STEPS.length);
  for (let step = 1; step <= diseaseSteps + TRIAGE_STEPS.length; step += 1) {
    check();
    yield { kind: 'progress', snapshot: () => knownAt(diagnosis, step, diseaseSteps) };
    await setImmediate();
  }
  check();
  yield { kind: 'final', diagnosis };
}

function knownAt({ diagnosis, triage }: Diagnosis, step: number, diseaseSteps: number): PartialDiagnosis {
  const diseases = diagnosis.diseases
    .map((disease, index) => pick(disease, DISEASE_STEPS, step - index * DISEASE_STEPS.length))
    .filter((disease) => disease !== undefined);
  const told = pick(triage, TRIAGE_STEPS, step - diseaseSteps);
  return { diagnosis: { diseases }, ...(told !== undefined && { triage: told }) };
}

/** The fields of the first steps; undefined before the first one. */
function pick<T extends object>(
  whole: T,
  fields: readonly (readonly (keyof T)[])[],
  steps: number,
): Partial<T> | undefined {
  if (steps <= 0) return undefined;
  const known = fields.slice(0, steps).flat();
  const entries = known.filter((field) => whole[field] !== undefined).map((field) => [field, whole[field]]);
  return Object.fromEntries(entries) as Partial<T>;
}
