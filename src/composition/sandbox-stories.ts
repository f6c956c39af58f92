// The made-up encounters that come with the engine: read once at the start.
import { type KnownRecording, knownRecordings } from '../sandbox/patients/known-recordings.ts';
import { readPatients } from '../sandbox/patients/read-patients.ts';
import type { SandboxPatient } from '../sandbox/patients/sandbox-patient.ts';

export type SandboxStories = {
  readonly stories: readonly SandboxPatient[];
  readonly recordings: readonly KnownRecording[];
};

export function readStories(): SandboxStories {
  const stories = readPatients();
  return { stories, recordings: knownRecordings(stories) };
}
