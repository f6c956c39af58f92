// Recordings that were handed to the engine, kept until their run is through: encrypted, and never whole in memory.
import type { Recording, RecordingType } from '../domain/recording/recording.ts';

export type StoredRecording = {
  readonly id: string;
  readonly site: string;
  readonly encounter: string;
  readonly type: RecordingType;
  /** Whose the sender said it is, where that was asked of them: `Patient/1`, or `system|value` of a record number. */
  readonly patient?: string;
  /** As the sender says; a dateTime. */
  readonly recordedAt?: string;
  readonly language?: string;
  readonly noteType?: string;
  readonly template?: string;
  /** `Practitioner/7` */
  readonly practitioner?: string;
};

/** Throws `overloaded`, and what the bytes throw; then nothing of it is left. */
export type Recordings = {
  /** Resolves once all of it is stored, with what it hashes to (sha-256, hex). */
  readonly store: (
    recording: StoredRecording,
    bytes: AsyncIterable<Uint8Array>,
  ) => Promise<{ readonly sha256: string; readonly sizeBytes: number }>;
  readonly find: (id: string) => Promise<StoredRecording | undefined>;
  /** `notFound` where it was deleted. */
  readonly open: (id: string) => Promise<Recording>;
  readonly remove: (id: string) => Promise<void>;
  /** Those whose upload broke off; how many. */
  readonly sweep: () => Promise<number>;
};
