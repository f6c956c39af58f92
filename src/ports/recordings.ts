// Uploaded recordings, stored encrypted until their run has ended. A recording is never whole in memory.
import type { Recording, RecordingType } from '../domain/recording/recording.ts';

export type StoredRecording = {
  readonly id: string;
  readonly site: string;
  readonly encounter: string;
  readonly type: RecordingType;
  /** The patient that the sender named, if the site checks it: `Patient/1`, or `system|value` of a record number. */
  readonly patient?: string;
  /** A dateTime, as the sender stated it. */
  readonly recordedAt?: string;
  readonly language?: string;
  readonly noteType?: string;
  readonly template?: string;
  /** `Practitioner/7` */
  readonly practitioner?: string;
};

/** Throws `overloaded`, and what the bytes throw; nothing of the recording is stored then. */
export type Recordings = {
  /** Resolves once all bytes are stored, with their sha-256 in hex. */
  readonly store: (
    recording: StoredRecording,
    bytes: AsyncIterable<Uint8Array>,
  ) => Promise<{ readonly sha256: string; readonly sizeBytes: number }>;
  readonly find: (id: string) => Promise<StoredRecording | undefined>;
  /** Throws `notFound` if it was deleted. */
  readonly open: (id: string) => Promise<Recording>;
  readonly remove: (id: string) => Promise<void>;
  /** Deletes recordings whose upload broke off. Returns their number. */
  readonly sweep: () => Promise<number>;
};
