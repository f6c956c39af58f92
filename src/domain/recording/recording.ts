// An audio recording that is to be transcribed.

export const RECORDING_TYPES = [
  'audio/mpeg',
  'audio/mp4',
  'audio/wav',
  'audio/webm',
  'audio/ogg',
  'audio/flac',
  'audio/aac',
] as const;
/** One canonical media type a container; the other names of the service interface are synonyms of these. */
export type RecordingType = (typeof RECORDING_TYPES)[number];

export const MAX_RECORDING_BYTES = 100 * 1_048_576;

export type Recording = {
  readonly type: RecordingType;
  /** Known once all of it has arrived. */
  readonly sizeBytes: number | undefined;
  /** False where the bytes are passed on while they arrive: then `open` works once, and nothing can be tried again. */
  readonly isReopenable: boolean;
  readonly open: () => AsyncIterable<Uint8Array>;
};
