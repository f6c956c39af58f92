// One call to an EHR: through the breaker, with a deadline over everything up to the last byte, its answer read. Throws only what its
// caller's signal was aborted with; everything else is told, for what it means depends on what was asked.
import { type FhirAnswer, readAnswer } from './fhir-answer.ts';
import type { Breaker } from './pacing.ts';
import { type EhrRequest, type EhrTransport, TransportFailure } from './transport.ts';

export type EhrCallResult =
  | { readonly kind: 'answer'; readonly answer: FhirAnswer }
  | { readonly kind: 'failure'; readonly failure: TransportFailure }
  /** Left alone after failing: nothing was sent. */
  | { readonly kind: 'shut'; readonly retryAfterMs: number };

export type EhrCall = (
  request: EhrRequest,
  limits: { readonly deadlineMs: number },
  signal: AbortSignal,
) => Promise<EhrCallResult>;

type Parts = { readonly transport: EhrTransport; readonly breaker: Breaker; readonly maxAnswerBytes: number };

export function makeEhrCall({ transport, breaker, maxAnswerBytes }: Parts): EhrCall {
  const exchange = async (request: EhrRequest, deadlineMs: number, signal: AbortSignal): Promise<EhrCallResult> => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), Math.max(1, deadlineMs));
    try {
      const both = AbortSignal.any([signal, deadline.signal]);
      const response = await transport.send({ ...request, timeoutMs: deadlineMs }, both);
      const answer = await readAnswer(response, maxAnswerBytes);
      return { kind: 'answer', answer };
    } catch (thrown) {
      signal.throwIfAborted();
      return { kind: 'failure', failure: asFailure(thrown, deadline.signal.aborted) };
    } finally {
      clearTimeout(timer);
    }
  };
  return async (request, { deadlineMs }, signal) => {
    signal.throwIfAborted();
    const answer = await breaker.run(() => exchange(request, deadlineMs, signal), isEhrFailing);
    return answer.kind === 'done' ? answer.value : answer;
  };
}

/** Not reached, too slow, or broken inside. That it has too much to do (429), or says no, is no failure. */
function isEhrFailing(result: EhrCallResult): boolean {
  if (result.kind === 'failure') return !['address', 'credentials'].includes(result.failure.kind);
  if (result.kind !== 'answer') return false;
  const { status, body } = result.answer;
  return (status >= 500 && status !== 501) || (body.kind === 'unreadable' && body.why === 'cut');
}

function asFailure(thrown: unknown, isTooLate: boolean): TransportFailure {
  if (!(thrown instanceof TransportFailure)) {
    // Whoever threw it, nobody knows how far it came.
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
