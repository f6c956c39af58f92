// An audio recording to transcribe.

export const RECORDING_TYPES = [
  'audio/mpeg',
  'audio/mp4',
  'audio/wav',
  'audio/webm',
  'audio/ogg',
  'audio/flac',
  'audio/aac',
] as const;
/** One media type for each container format; the other names of the service interface are synonyms. */
export type RecordingType = (typeof RECORDING_TYPES)[number];

export const MAX_RECORDING_BYTES = 100 * 1_048_576;

export type Recording = {
  readonly type: RecordingType;
  /** Undefined until all bytes have arrived. */
  readonly sizeBytes: number | undefined;
  /** False if the bytes are passed on while they arrive: then `open` works once, and no retry is possible. */
  readonly isReopenable: boolean;
  readonly open: () => AsyncIterable<Uint8Array>;
};
