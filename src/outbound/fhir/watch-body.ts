// Watches the body of an answer: it fails if the sender pauses for too long, or is too slow on the whole. Only the time spent waiting
// for the sender counts; a slow reader has no limit.
import { toTransportFailure } from './network-failure.ts';
import { TransportFailure } from './transport-failure.ts';

export type BodyLimits = {
  readonly idleMs: number;
  /** The time that any answer may take … */
  readonly totalMs: number;
  /** … and what received bytes add to it. */
  readonly minBytesPerMs: number;
};

export type BodyWatch = {
  readonly limits: BodyLimits;
  /** Ends the call and its body. */
  readonly abort: (reason: unknown) => void;
  readonly signal: AbortSignal;
};

/** The same answer with a body that fails with TransportFailures. A compressed body is not read: it could expand without a limit. */
export function watchBody(response: Response, watch: BodyWatch): Response {
  if (response.body === null) return response;
  const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  const isPlain = encoding === '' || encoding === 'identity';
  const body = isPlain ? watchedStream(response.body, watch) : refusedStream(response.body);
  const { status, statusText, headers, url } = response;
  const watched = new Response(body, { status, statusText, headers });
  Object.defineProperty(watched, 'url', { value: url });
  return watched;
}

function watchedStream(source: ReadableStream<Uint8Array>, watch: BodyWatch): ReadableStream<Uint8Array> {
  const { limits, abort, signal } = watch;
  const reader = source.getReader();
  let waitedMs = 0;
  let sizeBytes = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const leftMs = limits.totalMs + sizeBytes / limits.minBytesPerMs - waitedMs;
    const timer = setTimeout(() => abort(tooSlow()), Math.max(0, Math.min(limits.idleMs, leftMs)));
    const startedAtMs = performance.now();
    try {
      const { done, value } = await reader.read();
      waitedMs += performance.now() - startedAtMs;
      if (done) return controller.close();
      sizeBytes += value.length;
      controller.enqueue(value);
    } catch (thrown) {
      controller.error(bodyFailure(thrown, signal));
    } finally {
      clearTimeout(timer);
    }
  };
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
}

function refusedStream(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  source.cancel().catch(() => undefined);
  const failure = new TransportFailure('The EHR gave a compressed answer, though it was asked for a plain one', {
    kind: 'answer',
    wasSent: true,
    isPassing: false,
  });
  return new ReadableStream({ pull: (controller) => controller.error(failure) }, { highWaterMark: 0 });
}

function bodyFailure(thrown: unknown, signal: AbortSignal): TransportFailure {
  if (signal.aborted) return abortedFailure(signal, true);
  return toTransportFailure(thrown, { who: 'The EHR' });
}

export function abortedFailure(signal: AbortSignal, wasSent: boolean): TransportFailure {
  const message = 'The call to the EHR was stopped';
  return new TransportFailure(message, { kind: 'aborted', wasSent, isPassing: true, cause: signal.reason });
}

function tooSlow(): TransportFailure {
  const message = 'The EHR stopped in the middle of its answer';
  return new TransportFailure(message, { kind: 'timeout', wasSent: true, isPassing: true });
}
