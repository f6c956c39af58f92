// One try of one transcription on the vendor's SDK. What happened is judged by what we saw on the wire: the SDK's own
// errors do not tell a timeout from an abort, and hold the vendor's answer in their message.
import { DeepgramClient } from '@deepgram/sdk';
import { CallFailure } from '../../domain/call-cause.ts';
import { AppError } from '../../domain/errors.ts';
import type { Language } from '../../domain/language.ts';
import type { Recording } from '../../domain/recording/recording.ts';
import type { Transcript } from '../../domain/recording/transcript.ts';
import { toTranscript } from './answer.ts';
import { fromStatus, readRetryAfter, type VendorAnswer } from './failures.ts';
import { type UploadLimits, UploadWatch } from './upload-watch.ts';

export type ListenParts = {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly model: string;
  readonly language: Language | 'detect';
  readonly recording: Recording;
  readonly limits: UploadLimits;
  readonly fetch: typeof fetch;
};

/** A failure, and whether the same bytes may succeed a moment later. */
export class ListenFailure extends Error {
  readonly error: unknown;
  readonly isPassing: boolean;

  constructor(error: unknown, isPassing: boolean) {
    super('a try failed');
    this.error = error;
    this.isPassing = isPassing;
  }
}

const MAX_ANSWER_BYTES = 64 * 1_048_576;
const MAX_ERROR_BYTES = 65_536;
/** The SDK gets this if no answer came: it leaves a timer behind if its fetch rejects. */
const NO_ANSWER = 599;

type Seen = { answer?: VendorAnswer; failure?: unknown };

/** Throws a ListenFailure. */
export async function listenOnce(parts: ListenParts, signal: AbortSignal): Promise<Transcript> {
  const watch = new UploadWatch({ limits: parts.limits, recording: parts.recording, signal });
  const seen: Seen = {};
  const client = new DeepgramClient({
    ...(parts.apiKey === undefined ? { auth: false } : { apiKey: parts.apiKey }),
    ...(parts.baseUrl !== undefined && { baseUrl: parts.baseUrl }),
    maxRetries: 0,
    logging: { silent: true },
    async fetch(input, init) {
      try {
        seen.answer = await readAnswer(await parts.fetch(input, { ...init, signal: watch.signal }));
      } catch (error) {
        seen.failure = error;
      }
      return new Response(seen.answer?.text || null, { status: seen.answer?.status === 200 ? 200 : NO_ANSWER });
    },
  });
  try {
    const body = await sendRecording(client, parts, watch).catch(() => {
      throw explain({ watch, seen, signal });
    });
    // An answer before the last byte can only cover a part of the recording.
    if (!watch.isSent) throw vendorAnswer('The speech service answered before it had the whole recording');
    return toTranscript(body, parts.language);
  } catch (error) {
    throw error instanceof ListenFailure ? error : new ListenFailure(error, false);
  } finally {
    watch.close();
  }
}

async function sendRecording(client: DeepgramClient, parts: ListenParts, watch: UploadWatch): Promise<unknown> {
  const { recording, model, language } = parts;
  return client.listen.v1.media.transcribeFile(
    {
      data: ReadableStream.from(watch.read()),
      contentType: recording.type,
      ...(recording.sizeBytes !== undefined && { contentLength: recording.sizeBytes }),
    },
    {
      model,
      // All languages that the vendor can detect: a foreign one must be reported as such, not as the nearest of ours.
      ...(language === 'detect' ? { detect_language: true } : { language }),
      diarize: true,
      utterances: true,
      smart_format: true,
      punctuate: true,
      // Recordings of patients must not train models.
      mip_opt_out: true,
    },
  );
}

async function readAnswer(response: Response): Promise<VendorAnswer> {
  const { status } = response;
  const retryAfterSeconds = readRetryAfter(response.headers.get('retry-after'), Date.now());
  if (status !== 200) {
    // Only the status counts; a body that is long, cut or absent changes nothing.
    return { status, retryAfterSeconds, text: await readText(response, MAX_ERROR_BYTES).catch(() => '') };
  }
  try {
    return { status, retryAfterSeconds, text: await readText(response, MAX_ANSWER_BYTES) };
  } catch (error) {
    if (error instanceof ListenFailure) throw error;
    throw new ListenFailure(vendorAnswer('The speech service broke off its answer', error), true);
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new ListenFailure(vendorAnswer('The speech service gave an endless answer'), false);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

type Evidence = { readonly watch: UploadWatch; readonly seen: Seen; readonly signal: AbortSignal };

/** Checks causes before their effects: a source that breaks also breaks the connection. */
function explain({ watch, seen, signal }: Evidence): ListenFailure {
  if (watch.sourceFailure) return new ListenFailure(watch.sourceFailure.error, false);
  if (signal.aborted) return new ListenFailure(new AppError('cancelled', 'The transcription was cancelled'), false);
  // After so long a wait, a further try would only keep the caller waiting as long again.
  if (watch.lapse) return new ListenFailure(tooSlow(watch.lapse), false);
  if (seen.answer && seen.answer.status !== 200) {
    const error = fromStatus(seen.answer);
    return new ListenFailure(error, error.code === 'vendorUnavailable' && seen.answer.status !== 504);
  }
  if (seen.failure instanceof ListenFailure) return seen.failure;
  if (seen.failure !== undefined) {
    const error = new AppError('vendorUnavailable', 'The speech service cannot be reached', { cause: seen.failure });
    return new ListenFailure(error, true);
  }
  // The SDK could not read a 200. Its error quotes the answer, so it is not kept as the cause.
  return new ListenFailure(vendorAnswer('The speech service gave an answer that cannot be read'), false);
}

function tooSlow(lapse: 'sending' | 'answering'): AppError {
  const cause = new CallFailure('timeout');
  return lapse === 'sending'
    ? new AppError('vendorUnavailable', 'The speech service does not take the recording', { cause })
    : new AppError('vendorUnavailable', 'The speech service took too long to answer', { cause });
}

function vendorAnswer(message: string, cause?: unknown): AppError {
  return new AppError('vendorAnswer', message, cause === undefined ? {} : { cause });
}
