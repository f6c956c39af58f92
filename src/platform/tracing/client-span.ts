// The span of one outgoing HTTP request, by OpenTelemetry's names. It has no path and no query: both may hold ids of patients.
import { errorTypeOf, type Tracing } from './tracing.ts';

export type ClientTracing = Pick<Tracing, 'startSpan'>;

export type ClientSpan = {
  /** To send with the request. */
  readonly traceparent: string;
  /** The whole answer was read, or the request has failed. `status`: undefined without an answer. */
  readonly end: (status: number | undefined, failure: unknown) => void;
};

export function startClientSpan(tracing: ClientTracing, { url, method }: { url: URL; method: string }): ClientSpan {
  const span = tracing.startSpan({
    name: method,
    kind: 'client',
    attributes: {
      'http.request.method': method,
      'server.address': url.hostname,
      'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    },
  });
  return {
    traceparent: span.traceparent,
    end: (status, failure) =>
      span.end({ attributes: { 'http.response.status_code': status }, errorType: errorTypeFor(status, failure) }),
  };
}

function errorTypeFor(status: number | undefined, failure: unknown): string | undefined {
  if (status !== undefined) return status >= 400 ? String(status) : undefined;
  return failure === undefined ? 'closed' : errorTypeOf(failure);
}
