// Speech recognition by Deepgram, hosted or self-hosted. The bytes are passed on while they arrive. Only a recording that can be
// opened again is sent again. Nothing is logged, and no error repeats the vendor's words.
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, spreadMs } from '../../domain/backoff.ts';
import { type CallCause, callCauseOf } from '../../domain/call-cause.ts';
import { AppError, asAppError } from '../../domain/errors.ts';
import { present } from '../../domain/present.ts';
import type { Transcript } from '../../domain/recording/transcript.ts';
import type { Speech, TranscriptionRequest } from '../../ports/speech.ts';
import { ListenFailure, listenOnce } from './listen-once.ts';
import { engineName, modelFor, type SpeechModels } from './models.ts';

export { parseDeepgramModels } from './models.ts';

/** One finished call to the vendor, for the metrics. Each try is a call. */
export type SpeechCall = {
  readonly vendor: 'deepgram';
  readonly operation: 'transcribe';
  /** `success`, or the code of the failure. */
  readonly outcome: string;
  readonly durationMs: number;
  /** Why it failed. */
  readonly cause?: CallCause;
};

export type DeepgramParts = {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly models: SpeechModels;
  /** How long an answer may take; the size of the recording adds to it. */
  readonly baseTimeoutMs: number;
  readonly fetch: typeof fetch;
  readonly onCall?: (call: SpeechCall) => void;
  /** For tests; the defaults are right for a hospital. */
  readonly pace?: Partial<Pace>;
};

type Pace = { readonly sendIdleMs: number; readonly answerMsPerMebibyte: number; readonly retryBaseMs: number };

const DEFAULT_PACE: Pace = { sendIdleMs: 60_000, answerMsPerMebibyte: 3000, retryBaseMs: 400 };
const MAX_FURTHER_TRIES = 2;
/** A longer wait is left to the caller. */
const MAX_RETRY_AFTER_SECONDS = 8;

export function makeDeepgramSpeech(parts: DeepgramParts): Speech {
  const pace: Pace = { ...DEFAULT_PACE, ...parts.pace };
  return {
    engine: engineName(parts.models),
    ensureConfigured: () => undefined,
    async transcribe(request, signal) {
      for (let furtherTries = 0; ; furtherTries += 1) {
        try {
          return await tryOnce(parts, pace, request, signal);
        } catch (thrown) {
          const { error, isPassing } = thrown instanceof ListenFailure ? thrown : new ListenFailure(thrown, false);
          const canTryAgain = isPassing && request.recording.isReopenable && furtherTries < MAX_FURTHER_TRIES;
          const waitMs = canTryAgain
            ? retryPauseMs(error, backoffMs(furtherTries, { firstMs: pace.retryBaseMs }))
            : undefined;
          if (waitMs === undefined) throw error;
          await pause(waitMs, signal);
        }
      }
    },
  };
}

async function tryOnce(
  parts: DeepgramParts,
  pace: Pace,
  { recording, language }: TranscriptionRequest,
  signal: AbortSignal,
): Promise<Transcript> {
  if (signal.aborted) throw cancelled();
  const startedAtMs = performance.now();
  const report = (outcome: string, cause?: CallCause) =>
    parts.onCall?.({
      vendor: 'deepgram',
      operation: 'transcribe',
      outcome,
      durationMs: performance.now() - startedAtMs,
      ...present({ cause }),
    });
  const limits = {
    sendIdleMs: pace.sendIdleMs,
    answerBaseMs: parts.baseTimeoutMs,
    answerMsPerMebibyte: pace.answerMsPerMebibyte,
  };
  const { apiKey, baseUrl, models, fetch } = parts;
  try {
    const model = modelFor(models, language);
    const transcript = await listenOnce({ apiKey, baseUrl, model, language, recording, limits, fetch }, signal);
    report('success');
    return transcript;
  } catch (thrown) {
    const error = asAppError(thrown instanceof ListenFailure ? thrown.error : thrown);
    report(error.code, callCauseOf(error));
    throw thrown;
  }
}

/** Undefined if the vendor asks for a longer pause than a caller waits. */
function retryPauseMs(error: unknown, baseMs: number): number | undefined {
  const asked = error instanceof AppError ? error.retryAfterSeconds : undefined;
  if (asked !== undefined && asked > MAX_RETRY_AFTER_SECONDS) return undefined;
  return spreadMs(Math.max((asked ?? 0) * 1000, baseMs), [1, 1.5], Math.random());
}

async function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(waitMs, undefined, { signal });
  } catch {
    throw cancelled();
  }
}

function cancelled(): AppError {
  return new AppError('cancelled', 'The transcription was cancelled');
}
