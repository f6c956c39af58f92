// The facts about a synthesised recording: its hash, its duration and the times of each turn. They are in a file beside the recording.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { numberSpeakers, type Transcript } from '../../domain/recording/transcript.ts';
import type { SandboxPatient } from './sandbox-patient.ts';

const seconds = z.number().min(0);
const facts = z.strictObject({
  /** The hash of the recording's bytes. */
  sha256: z.hex().length(64),
  durationSeconds: seconds,
  turns: z.array(z.strictObject({ start: seconds, end: seconds })),
});
export type RecordingFacts = Readonly<Omit<z.output<typeof facts>, 'turns'>> & { readonly turns: readonly TurnTimes[] };
export type TurnTimes = { readonly start: number; readonly end: number };

export const AUDIO_FOLDER: string = path.join(import.meta.dirname, 'audio');

export function recordingFile(id: string, folder: string = AUDIO_FOLDER): string {
  return path.join(folder, `${id}.ogg`);
}

export function factsFile(id: string, folder: string = AUDIO_FOLDER): string {
  return path.join(folder, `${id}.json`);
}

/** Throws if the file is missing or invalid. */
export function readRecordingFacts(id: string, folder: string = AUDIO_FOLDER): RecordingFacts {
  const read = facts.safeParse(JSON.parse(readFileSync(factsFile(id, folder), 'utf8')));
  if (read.success) return read.data;
  throw new Error(`audio/${id}.json:\n${z.prettifyError(read.error)}`);
}

/** The transcript of a speech recognition without errors. */
export function trueTranscript(
  { language, talk }: Pick<SandboxPatient, 'language' | 'talk'>,
  { turns, durationSeconds }: RecordingFacts,
): Transcript {
  const names = [...new Set(talk.map(([name]) => name))];
  const speakers = numberSpeakers(talk.map(([name]) => names.indexOf(name)));
  const utterances = talk.map(([, text], index) => ({
    speaker: speakers[index] ?? 0,
    text,
    startSeconds: turns[index]?.start ?? 0,
    endSeconds: turns[index]?.end ?? 0,
    confidence: 1,
  }));
  return { language, durationSeconds, utterances };
}
