// Lists the recordings of all scenarios with their transcripts.
import { statSync } from 'node:fs';
import type { Transcript } from '../../domain/recording/transcript.ts';
import { readRecordingFacts, recordingFile, trueTranscript } from './recording-facts.ts';
import type { SandboxPatient } from './sandbox-patient.ts';
import { recordingsOf } from './spoken-recordings.ts';

export type IndexedRecording = {
  /** The name of its files: `en-common-cold`, `en-common-cold-late`. */
  readonly id: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** The hash of its bytes, in hex. */
  readonly sha256: string;
  readonly transcript: Transcript;
};

export function indexRecordings(patients: readonly SandboxPatient[]): readonly IndexedRecording[] {
  return patients.flatMap((patient) =>
    recordingsOf(patient).map(({ id, talk }) => {
      const facts = readRecordingFacts(id);
      const path = recordingFile(id);
      const transcript = trueTranscript({ language: patient.language, talk }, facts);
      return { id, path, sizeBytes: statSync(path).size, sha256: facts.sha256, transcript };
    }),
  );
}
