// Streams a finished diagnosis in steps, in the order in which the interface shows it: disease by disease, then the triage.
// A snapshot only grows. The event loop runs between two steps.
import { setImmediate } from 'node:timers/promises';
import type { Diagnosis, Disease, PartialDiagnosis, Triage } from '../../domain/diagnosis/diagnosis.ts';
import type { DiagnosisEvent } from '../../ports/reasoner.ts';

/** The fields that each step adds. */
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

/** `check` throws if the caller has gone. */
export async function* streamDiagnosis(diagnosis: Diagnosis, check: () => void): AsyncGenerator<DiagnosisEvent> {
  const { diseases } = diagnosis.diagnosis;
  const diseaseSteps = Math.max(1, diseases.length * DISEASE_STEPS.length);
  for (let step = 1; step <= diseaseSteps + TRIAGE_STEPS.length; step += 1) {
    check();
    yield { kind: 'progress', snapshot: () => snapshotAt(diagnosis, step, diseaseSteps) };
    await setImmediate();
  }
  check();
  yield { kind: 'final', diagnosis };
}

function snapshotAt({ diagnosis, triage }: Diagnosis, step: number, diseaseSteps: number): PartialDiagnosis {
  const diseases = diagnosis.diseases
    .map((disease, index) => pick(disease, DISEASE_STEPS, step - index * DISEASE_STEPS.length))
    .filter((disease) => disease !== undefined);
  const partialTriage = pick(triage, TRIAGE_STEPS, step - diseaseSteps);
  return { diagnosis: { diseases }, ...(partialTriage !== undefined && { triage: partialTriage }) };
}

/** Returns the fields of the first steps, or undefined before the first step. */
function pick<T extends object>(
  whole: T,
  fields: readonly (readonly (keyof T)[])[],
  steps: number,
): Partial<T> | undefined {
  if (steps <= 0) return undefined;
  const shown = fields.slice(0, steps).flat();
  const entries = shown.filter((field) => whole[field] !== undefined).map((field) => [field, whole[field]]);
  return Object.fromEntries(entries) as Partial<T>;
}
