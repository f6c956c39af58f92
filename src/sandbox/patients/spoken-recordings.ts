// The recordings of a made-up encounter: the conversation, and for some encounters a late recording.
import type { SandboxPatient, Turn } from './sandbox-patient.ts';

export type SpokenRecording = {
  /** The name of its files. */
  readonly id: string;
  readonly talk: readonly Turn[];
  readonly silentSeconds?: number;
};

export function recordingsOf(patient: SandboxPatient): readonly SpokenRecording[] {
  const { id, talk, late, silentSeconds } = patient;
  const first = { id, talk, ...(silentSeconds !== undefined && { silentSeconds }) };
  return late === undefined ? [first] : [first, { id: lateRecordingId(id), talk: late }];
}

export function lateRecordingId(id: string): string {
  return `${id}-late`;
}
