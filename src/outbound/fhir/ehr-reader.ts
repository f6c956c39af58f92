// Sends a request that is safe to repeat: again after a passing failure, with growing pauses, within one deadline. The answer is
// complete: 2xx, or a refusal (3xx, 4xx).
import { type BackoffLimits, backoffMs, type Spread, spreadMs } from '../../domain/backoff.ts';
import { EhrLimit } from '../../domain/ehr-limit.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { EhrCall, EhrCallResult } from './ehr-call.ts';
import { fromFailure, unavailable, unreadable } from './ehr-errors.ts';
import type { FhirAnswer } from './fhir-answer.ts';
import type { SendRequest } from './fhir-client.ts';
import { retryAfterMs } from './retry-after.ts';

type Parts = {
  readonly site: string;
  readonly call: EhrCall;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs' | 'pause' | 'chance'>;
  /** For all tries together. */
  readonly deadlineMs: number;
};

/** Worth another try. */
type Trouble = {
  readonly why: string;
  readonly waitMs: number | undefined;
  readonly isLimit?: boolean;
  readonly error: () => Error;
};

const MAX_TRIES = 4;
/** Calls that wait for the same limit must not all return at the same moment. */
const LIMIT_SPREAD: Spread = [1, 1.2];
const PAUSE: BackoffLimits = { firstMs: 250, spread: [0.5, 1.5] };
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 423, 425]);

export function makeEhrReader({ site, call, runtime, deadlineMs }: Parts): SendRequest<FhirAnswer> {
  return async (request, what, signal) => {
    const about = { site, what };
    const endMs = runtime.monotonicMs() + deadlineMs;
    for (let tries = 1; ; tries += 1) {
      const result = await call(request, { deadlineMs: endMs - runtime.monotonicMs() }, signal);
      if (result.kind === 'circuit-open') {
        throw unavailable(about, 'it failed several times in a row', { retryAfterMs: result.retryAfterMs });
      }
      const trouble = troubleOf(result, about, runtime.now());
      if (trouble === undefined) return answerOf(result, about);
      signal.throwIfAborted();
      const { waitMs = 0, isLimit = false } = trouble;
      const askedMs = isLimit ? Math.ceil(spreadMs(waitMs, LIMIT_SPREAD, runtime.chance())) : waitMs;
      const pauseMs = Math.max(askedMs, Math.round(backoffMs(tries - 1, PAUSE, runtime.chance())));
      if (tries >= MAX_TRIES || runtime.monotonicMs() + pauseMs >= endMs) throw trouble.error();
      await runtime.pause(pauseMs, signal);
    }
  };
}

function troubleOf(
  result: Exclude<EhrCallResult, { readonly kind: 'circuit-open' }>,
  about: { readonly site: string; readonly what: string },
  now: Date,
): Trouble | undefined {
  if (result.kind === 'failure') {
    const { failure } = result;
    if (!failure.isPassing) return undefined;
    return { why: failure.message, waitMs: failure.retryAfterMs, error: () => fromFailure(about, failure) };
  }
  const { answer } = result;
  const waitMs = retryAfterMs(answer, now);
  if (answer.status === 429) {
    const { site } = about;
    return { why: 'it limits requests', waitMs, isLimit: true, error: () => new EhrLimit({ site, waitMs, now }) };
  }
  if (PASSING_STATUSES.has(answer.status) || (answer.status >= 500 && answer.status !== 501)) {
    const why = `it answers ${answer.status}`;
    return { why, waitMs, error: () => unavailable(about, why, { retryAfterMs: waitMs }) };
  }
  if (answer.body.kind === 'unreadable' && answer.body.why === 'cut') {
    const why = 'the answer broke off';
    return { why, waitMs, error: () => unreadable(about, why) };
  }
  return undefined;
}

function answerOf(
  result: Exclude<EhrCallResult, { readonly kind: 'circuit-open' }>,
  about: { readonly site: string; readonly what: string },
): FhirAnswer {
  if (result.kind === 'failure') throw fromFailure(about, result.failure);
  return result.answer;
}
