// The EHR behind the faults: a listener in this process that is called without a port, or a server at an address.
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { duplexPair } from 'node:stream';
import type { FaultRequest, Reply } from './exchange.ts';

export type Upstream = {
  readonly send: (request: Pick<FaultRequest, 'method' | 'path' | 'query' | 'headers' | 'body'>) => Promise<Reply>;
  /** Passes the request on unchanged, including streams; absent for a server at an address. */
  readonly listener?: RequestListener;
};

export function toListener(listener: RequestListener): Upstream {
  const server = createServer(listener);
  return {
    listener,
    send: ({ method, path, query, headers, body }) =>
      sent(body, (onAnswer) => {
        const [near, far] = duplexPair();
        server.emit('connection', far);
        const options = { method, path: withQuery(path, query), headers: { ...hopHeaders(headers, body) } };
        return httpRequest({ ...options, createConnection: () => near }, onAnswer);
      }),
  };
}

/** `proxyTo` is the base of its FHIR, and so is the base here: `http://ehr/fhir` answers for what is asked of `/fhir`. */
export function toServer(proxyTo: string): Upstream {
  const target = new URL(proxyTo);
  const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return {
    send: ({ method, path, query, headers, body }) =>
      sent(body, (onAnswer) => {
        const url = new URL(withQuery(path, query), target);
        if (url.origin !== target.origin) throw new Error('a request leads away from the EHR');
        return request(url, { method, headers: { ...hopHeaders(headers, body), host: target.host } }, onAnswer);
      }),
  };
}

function sent(
  body: Buffer,
  start: (onAnswer: (message: IncomingMessage) => void) => ReturnType<typeof httpRequest>,
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const request = start((message) => {
    const headers = Object.entries(message.headers).map(([name, value]) => [name, [value].flat().join(', ')] as const);
    const passed = headers.filter(([name]) => !HOP_BY_HOP.has(name));
    resolve({ status: message.statusCode ?? 502, headers: Object.fromEntries(passed), body: message });
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}

const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date']);

function hopHeaders(headers: FaultRequest['headers'], body: Buffer): Record<string, string> {
  const passed = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && name !== 'content-length');
  const values = passed.map(([name, value]) => [name, [value].flat().join(', ')] as const);
  return { ...Object.fromEntries(values), connection: 'close', 'content-length': String(body.length) };
}

function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}
