// Sends finished spans to a collector, over OTLP/HTTP as JSON. It never delays the work that is traced: spans wait in a bounded queue, and those
// that find it full, or that the collector refuses, are dropped and counted.
import { setTimeout as sleep } from 'node:timers/promises';
import { type OtlpResource, otlpBody } from './otlp-body.ts';
import type { FinishedSpan } from './tracing.ts';

export type OtlpExporter = {
  readonly add: (span: FinishedSpan) => void;
  /** Sends what waits, in one try. Never throws. */
  readonly stop: () => Promise<void>;
};

type ExporterParts = {
  /** The address of the collector; `/v1/traces` is added. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: OtlpResource;
  /** Without traces of its own. */
  readonly fetch: typeof fetch;
  readonly onEnded: (end: { readonly outcome: 'sent' | 'dropped'; readonly count: number }) => void;
  /** Called for the first failure after a success, with a status or the code of an error. */
  readonly onFailed: (reason: string) => void;
  /** For tests; the defaults are those of OpenTelemetry. */
  readonly limits?: Partial<Limits>;
};

type Limits = {
  readonly mostWaiting: number;
  readonly mostAtOnce: number;
  readonly everyMs: number;
  readonly firstRetryMs: number;
  readonly answerMs: number;
  readonly stopMs: number;
};

const LIMITS: Limits = {
  mostWaiting: 2_048,
  mostAtOnce: 512,
  everyMs: 5_000,
  firstRetryMs: 1_000,
  answerMs: 10_000,
  stopMs: 2_000,
};
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MOST_TRIES = 5;
const LONGEST_WAIT_MS = 60_000;

type Answer = {
  readonly isTaken: boolean;
  readonly canRetry: boolean;
  readonly waitMs?: number;
  readonly reason: string;
};

export function makeOtlpExporter(parts: ExporterParts): OtlpExporter {
  const limits = { ...LIMITS, ...parts.limits };
  /** No pauses and no further tries from now on. */
  const stopping = new AbortController();
  /** What is under way ends. */
  const over = new AbortController();
  const waiting: FinishedSpan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let isFailing = false;

  const drop = (count: number) => parts.onEnded({ outcome: 'dropped', count });

  function note({ isTaken, reason }: Answer): void {
    if (!isTaken && !isFailing) parts.onFailed(reason);
    isFailing = !isTaken;
  }

  async function sendBatch(batch: readonly FinishedSpan[]): Promise<void> {
    const body = otlpBody(batch, parts.resource);
    for (let tries = 1; ; tries += 1) {
      const answer = await post(parts, body, AbortSignal.any([over.signal, AbortSignal.timeout(limits.answerMs)]));
      note(answer);
      if (answer.isTaken) return parts.onEnded({ outcome: 'sent', count: batch.length });
      if (!answer.canRetry || tries >= MOST_TRIES || stopping.signal.aborted) return drop(batch.length);
      const waitMs = answer.waitMs ?? limits.firstRetryMs * 2 ** (tries - 1);
      await sleep(Math.min(waitMs, LONGEST_WAIT_MS), undefined, { signal: stopping.signal, ref: false }).catch(
        () => {},
      );
    }
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) await sendBatch(waiting.splice(0, limits.mostAtOnce));
  }

  function send(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  }

  return {
    add(span) {
      if (waiting.length >= limits.mostWaiting) return drop(1);
      waiting.push(span);
      if (waiting.length >= limits.mostAtOnce) void send();
      else timer ??= setTimeout(() => void send(), limits.everyMs).unref();
    },
    async stop() {
      stopping.abort();
      const timer = setTimeout(() => over.abort(), limits.stopMs);
      await sending;
      await send();
      clearTimeout(timer);
    },
  };
}

/** A failure of the network may pass, like the statuses that say so. The text of an answer is not read. */
async function post({ endpoint, headers, fetch }: ExporterParts, body: string, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await fetch(`${endpoint.replace(/\/+$/, '')}/v1/traces`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      signal,
    });
    await response.body?.cancel();
    const { ok, status } = response;
    const waitMs = retryAfterMs(response.headers.get('retry-after'));
    return {
      isTaken: ok,
      canRetry: RETRIED.has(status),
      reason: `status ${status}`,
      ...(waitMs !== undefined && { waitMs }),
    };
  } catch {
    return { isTaken: false, canRetry: true, reason: 'not reached' };
  }
}

/** Seconds, or a date. */
function retryAfterMs(value: string | null): number | undefined {
  if (value === null) return undefined;
  const waitMs = /^\s*\d{1,6}\s*$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return waitMs >= 0 ? waitMs : undefined;
}
