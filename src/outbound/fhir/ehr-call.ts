// One call to an EHR: through its circuit breaker, with one deadline up to the last byte of the answer. It throws only the abort reason
// of the caller's signal; every other result is returned, because its meaning depends on the request.
//
// Two layers break, each with a circuit of its own. This one counts calls of any origin (runs, feeds, probes, commands) and decides
// whether a request is sent at all: it protects the EHR. The one of `flows/run-steps/services.ts` counts failed steps of runs and sends
// nothing: it decides when a waiting run tries again, and whether the run or the EHR is to blame.
import { makeCircuit } from '../../domain/run/circuit.ts';
import { type FhirAnswer, readAnswer } from './fhir-answer.ts';
import { retryAfterMs } from './retry-after.ts';
import { type EhrRequest, type EhrTransport, TransportFailure } from './transport.ts';
import { makeWatchRefusals } from './watch-refusals.ts';

export type EhrCallResult =
  | { readonly kind: 'answer'; readonly answer: FhirAnswer }
  | { readonly kind: 'failure'; readonly failure: TransportFailure }
  /** The circuit is open after several failures: nothing was sent. */
  | { readonly kind: 'circuit-open'; readonly retryAfterMs: number };

export type EhrCall = (
  request: EhrRequest,
  limits: { readonly deadlineMs: number },
  signal: AbortSignal,
) => Promise<EhrCallResult>;

type Parts = {
  readonly transport: EhrTransport;
  readonly now: () => Date;
  readonly monotonicMs: () => number;
  readonly maxAnswerBytes: number;
};

const FAILURES_TO_OPEN = 5;

export function makeEhrCall({ transport, now, monotonicMs, maxAnswerBytes }: Parts): EhrCall {
  const limit = makeLimit({ now, monotonicMs });
  const refusals = makeWatchRefusals({ monotonicMs });
  const circuit = makeCircuit({ failuresToOpen: FAILURES_TO_OPEN });
  const exchange = async (request: EhrRequest, deadlineMs: number, signal: AbortSignal) => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), Math.max(1, deadlineMs));
    try {
      const both = AbortSignal.any([signal, deadline.signal]);
      const response = await transport.send({ ...request, timeoutMs: deadlineMs }, both);
      const answer = await readAnswer(response, maxAnswerBytes);
      return { kind: 'answer', answer } as const;
    } catch (thrown) {
      signal.throwIfAborted();
      return { kind: 'failure', failure: asFailure(thrown, deadline.signal.aborted) } as const;
    } finally {
      clearTimeout(timer);
    }
  };
  return async (request, { deadlineMs }, signal) => {
    signal.throwIfAborted();
    const limited = limit.current();
    if (limited !== undefined) return { kind: 'answer', answer: limited };
    // A late failure of an ordinary call must not end the probe of another one, hence two names.
    const caller = circuit.openForMs(monotonicMs()) === undefined ? 'call' : 'probe';
    const entered = circuit.enter(caller, monotonicMs());
    if (!entered.mayCall) return { kind: 'circuit-open', retryAfterMs: entered.retryInMs };
    let isFailing = caller === 'probe';
    try {
      const result = await exchange(request, deadlineMs, signal);
      if (result.kind === 'answer') limit.note(result.answer);
      const refused = result.kind === 'answer' ? refusals.judge(request, result.answer) : undefined;
      isFailing = isEhrFailing(result);
      if (!isFailing) circuit.succeeded(caller);
      return refused === undefined ? result : { kind: 'failure', failure: refused };
    } finally {
      // A probe that its caller aborted proves nothing: the EHR gets another pause. Any other aborted call is not counted.
      if (isFailing) circuit.failed(caller, monotonicMs());
    }
  };
}

/**
 * An EHR that asked to wait (429) is sent nothing until then: the answer to all other calls is the same, with the time that is left. It is
 * believed for as long as `retryAfterMs` allows.
 */
function makeLimit({ now, monotonicMs }: Pick<Parts, 'now' | 'monotonicMs'>) {
  let untilMs = Number.NEGATIVE_INFINITY;
  return {
    note(answer: FhirAnswer): void {
      const waitMs = answer.status === 429 ? retryAfterMs(answer, now()) : undefined;
      if (waitMs !== undefined) untilMs = Math.max(untilMs, monotonicMs() + waitMs);
    },
    current(): FhirAnswer | undefined {
      const leftMs = untilMs - monotonicMs();
      if (leftMs <= 0) return undefined;
      const headers = new Headers({ 'retry-after': (leftMs / 1_000).toFixed(3) });
      return { status: 429, headers, body: { kind: 'empty' } };
    },
  };
}

/** The EHR is not reached, is too slow, or fails inside. A refusal and a request to slow down (429) are no failures. */
function isEhrFailing(result: Exclude<EhrCallResult, { readonly kind: 'circuit-open' }>): boolean {
  if (result.kind === 'failure') return !['address', 'credentials', 'no-fhir'].includes(result.failure.kind);
  const { status, body } = result.answer;
  return (status >= 500 && status !== 501) || (body.kind === 'unreadable' && body.why === 'cut');
}

function asFailure(thrown: unknown, isTooLate: boolean): TransportFailure {
  if (!(thrown instanceof TransportFailure)) {
    // An unknown error does not show how far the call came.
    return new TransportFailure('the call broke off', {
      kind: 'network',
      wasSent: true,
      isPassing: true,
      cause: thrown,
    });
  }
  if (!isTooLate || thrown.kind !== 'aborted') return thrown;
  return new TransportFailure('it did not answer in time', {
    kind: 'timeout',
    wasSent: thrown.wasSent,
    isPassing: true,
    cause: thrown,
  });
}
