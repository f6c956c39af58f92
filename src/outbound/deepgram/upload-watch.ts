// Watches one upload: whether it was sent to its end, whether the source broke, and whether the vendor is too slow.
// The time that the source itself takes is never counted against the vendor.

import type { Recording } from '../../domain/recording/recording.ts';

export type UploadLimits = {
  /** How long the vendor may accept no bytes while some are waiting. */
  readonly sendIdleMs: number;
  /** How long its answer may take from the moment when it has all bytes … */
  readonly answerBaseMs: number;
  /** … and what each MiB adds. */
  readonly answerMsPerMebibyte: number;
};

type UploadWatchParts = {
  readonly limits: UploadLimits;
  readonly recording: Recording;
  /** The caller's. */
  readonly signal: AbortSignal;
};

const MEBIBYTE = 1_048_576;

/** One for each try. `close` it at the end. */
export class UploadWatch {
  /** What the source threw. */
  sourceFailure: { readonly error: unknown } | undefined;
  /** The limit that was crossed. */
  lapse: 'sending' | 'answering' | undefined;
  /** All bytes were handed to the connection. */
  isSent = false;
  /** Ends the call: by the caller's signal, or by a crossed limit. */
  readonly signal: AbortSignal;
  readonly #limits: UploadLimits;
  readonly #recording: Recording;
  readonly #ended = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ limits, recording, signal }: UploadWatchParts) {
    this.#limits = limits;
    this.#recording = recording;
    this.signal = AbortSignal.any([signal, this.#ended.signal]);
  }

  async *read(): AsyncGenerator<Uint8Array> {
    let sentBytes = 0;
    try {
      for await (const chunk of this.#recording.open()) {
        sentBytes += chunk.length;
        // If the size is known, the vendor may answer before the source reports its end.
        this.isSent = sentBytes === this.#recording.sizeBytes;
        this.#startClock('sending', this.#limits.sendIdleMs);
        yield chunk;
        this.#stopClock();
      }
    } catch (error) {
      this.sourceFailure = { error };
      throw error;
    }
    this.isSent = true;
    const { answerBaseMs, answerMsPerMebibyte } = this.#limits;
    this.#startClock('answering', answerBaseMs + (answerMsPerMebibyte * sentBytes) / MEBIBYTE);
  }

  /** The source may still be at its last chunk; no clock starts any more. */
  close(): void {
    this.#isClosed = true;
    this.#stopClock();
  }

  #startClock(lapse: 'sending' | 'answering', limitMs: number): void {
    this.#stopClock();
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.lapse = lapse;
      this.#ended.abort();
    }, limitMs);
  }

  #stopClock(): void {
    clearTimeout(this.#timer);
  }
}
