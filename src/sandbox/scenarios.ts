// Reads the made-up encounters that come with the engine.

import { readPatients } from './patients/read-patients.ts';
import { type IndexedRecording, indexRecordings } from './patients/recording-index.ts';
import type { SandboxPatient } from './patients/sandbox-patient.ts';

export type SandboxScenarios = {
  readonly scenarios: readonly SandboxPatient[];
  readonly recordings: readonly IndexedRecording[];
};

export function readScenarios(): SandboxScenarios {
  const scenarios = readPatients();
  return { scenarios, recordings: indexRecordings(scenarios) };
}
