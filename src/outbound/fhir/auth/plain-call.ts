// A call without the site's credentials, for discovery and for tokens. The answer is read whole, up to a limit; a redirect is an answer
// like any other and is not followed.
import { type FhirAnswer, readAnswer } from '../fhir-answer.ts';
import { toTransportFailure } from '../network-failure.ts';

export type PlainOrder = {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly maxBytes: number;
  /** The name of the other side in messages: `The token server`. */
  readonly who: string;
};

/** Throws TransportFailures that count as not sent: the EHR's charts were not touched. */
export type PlainCall = (order: PlainOrder) => Promise<FhirAnswer>;

type PlainCallParts = {
  /** Adds what the site's settings require at its own origin, and chooses the connections. */
  readonly fetchAt: (url: URL, init: RequestInit) => Promise<Response>;
  readonly timeoutMs: number;
};

export function makePlainCall({ fetchAt, timeoutMs }: PlainCallParts): PlainCall {
  return async ({ url, method, headers, body, maxBytes, who }) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const given = { accept: 'application/json', 'accept-encoding': 'identity', ...headers };
    try {
      const response = await fetchAt(url, { method, headers: given, signal, ...(body !== undefined && { body }) });
      const answer = await readAnswer(response, maxBytes);
      if (answer.body.kind === 'unreadable' && answer.body.why === 'cut') throw signal.reason ?? new TypeError('cut');
      return answer;
    } catch (thrown) {
      throw toTransportFailure(thrown, { who, isBeforeCall: true });
    }
  };
}
