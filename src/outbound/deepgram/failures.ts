// What a failed call means, from the status alone. Nothing that the vendor wrote goes into our messages: it may quote
// the patient, or our key.
import { statusFailure } from '../../domain/call-cause.ts';
import { AppError } from '../../domain/errors.ts';

export type VendorAnswer = {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly text: string;
};

const MAX_RETRY_AFTER_SECONDS = 3600;
/** How the vendor says that it cannot decode the audio; its 400 also means a wrong parameter. */
const UNREADABLE_AUDIO = /corrupt|unsupported|failed to process audio|decod|invalid (audio|media|data)/i;

export function fromStatus({ status, retryAfterSeconds, text }: VendorAnswer): AppError {
  const cause = statusFailure(status);
  if (status === 401 || status === 403) {
    return new AppError('vendorRejected', 'The speech service refuses the key: check DEEPGRAM_API_KEY', { cause });
  }
  if (status === 402) {
    return new AppError('vendorRejected', 'The speech service has no credit left for us: check the Deepgram account', {
      cause,
    });
  }
  if (status === 413) return new AppError('payloadTooLarge', 'The recording is too large for the speech service');
  if (status === 415 || ((status === 400 || status === 422) && UNREADABLE_AUDIO.test(text))) {
    return new AppError('unsupportedMedia', 'The speech service cannot read the recording: it is damaged or no audio');
  }
  if (status === 404 || status < 400) {
    return new AppError('vendorRejected', 'The speech service is not where we look for it: check DEEPGRAM_BASE_URL', {
      cause,
    });
  }
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const message = `The speech service is not available (HTTP ${status})`;
    return new AppError('vendorUnavailable', message, {
      cause,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  }
  return new AppError(
    'vendorRejected',
    `The speech service refuses the request (HTTP ${status}): check DEEPGRAM_MODEL`,
    { cause },
  );
}

/** Seconds or a date; anything else and a past date are ignored. */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\s*\d+\s*$/.test(value) ? Number(value) : (Date.parse(value) - nowMs) / 1000;
  if (!Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_SECONDS);
}
