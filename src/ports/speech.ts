// What the product needs of whoever listens: a recording made into a transcript with speakers and times.
import type { Language } from '../domain/language.ts';
import type { Recording } from '../domain/recording/recording.ts';
import type { Transcript } from '../domain/recording/transcript.ts';

export type TranscriptionRequest = {
  readonly recording: Recording;
  /** `detect`: the transcript says which one it was, also where it is none of ours. */
  readonly language: Language | 'detect';
};

/**
 * A throw is an AppError: `notConfigured`, `vendorUnavailable`, `vendorAnswer`, `vendorRejected`, `unsupportedMedia`
 * (the vendor cannot decode it), `cancelled`; or whatever `recording.open()` threw (an upload that broke off).
 * A recording in which nobody speaks is no error: its transcript has no utterances.
 */
export type Speech = {
  readonly engine: string | undefined;
  /** Throws `notConfigured` where nobody listens here. */
  ensureConfigured(): void;
  transcribe(request: TranscriptionRequest, signal: AbortSignal): Promise<Transcript>;
};
