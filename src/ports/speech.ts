// Speech recognition: turns a recording into a transcript with speakers and times.
import type { Language } from '../domain/language.ts';
import type { Recording } from '../domain/recording/recording.ts';
import type { Transcript } from '../domain/recording/transcript.ts';

export type TranscriptionRequest = {
  readonly recording: Recording;
  /** `detect`: the transcript names the language that was found, even one that is not supported. */
  readonly language: Language | 'detect';
};

/**
 * Throws an AppError: `notConfigured`, `vendorUnavailable`, `vendorAnswer`, `vendorRejected`, `unsupportedMedia` (the vendor cannot decode
 * it), `cancelled`; or what `recording.open()` throws, as for an upload that broke off. A recording without speech is no error: its transcript
 * has no utterances.
 */
export type Speech = {
  readonly engine: string | undefined;
  /** Throws `notConfigured` if no speech recognition is configured. */
  ensureConfigured(): void;
  transcribe(request: TranscriptionRequest, signal: AbortSignal): Promise<Transcript>;
};
