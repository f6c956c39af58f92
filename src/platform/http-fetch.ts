// A `fetch` over node:http: request bodies are sent as they come, with the back-pressure of the socket, and never held
// whole (Node's own fetch buffers uploads). Never follows a redirect: a 3xx is returned as it is. Asks for no compression.
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { getCACertificates } from 'node:tls';
import { type ClientTracing, startClientSpan } from './tracing/client-span.ts';

type Chunk = Uint8Array | string;
type WholeBody = { readonly kind: 'whole'; readonly bytes: Uint8Array };
type StreamedBody = {
  readonly kind: 'streamed';
  readonly next: () => Promise<{ readonly done?: boolean | undefined; readonly value?: Chunk | undefined }>;
  /** Tells the source that nothing more is wanted. Never throws. */
  readonly stop: () => void;
};
type Call = {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: WholeBody | StreamedBody | undefined;
  readonly signal: AbortSignal | undefined;
};
type ConnectionOptions = {
  readonly agent: http.Agent;
  readonly connectTimeoutMs: number;
  readonly tracing: ClientTracing | undefined;
};

export type HttpFetchOptions = {
  readonly connectTimeoutMs?: number;
  /** PEM texts. */
  readonly tls?: {
    /** PEM certificates that are trusted instead of those of Node. */
    readonly ca?: string | undefined;
    /** PEM certificates that are trusted in addition. */
    readonly furtherCa?: string | undefined;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
  };
  /** `http://user:password@proxy.example.org:3128`: all requests go through it, also those to this machine. */
  readonly proxy?: string | undefined;
  /**
   * Which requests are sent again if a reused connection turns out to be closed: the other side may have processed the request
   * before. `reads` is for callers that search before they repeat a write.
   */
  readonly resends?: 'all' | 'reads';
  /** Each request is a span, and carries its `traceparent`. */
  readonly tracing?: ClientTracing | undefined;
};

export type HttpFetch = {
  readonly fetch: typeof fetch;
  /** Closes idle connections; running calls end by themselves, and their connections with them. */
  readonly close: () => void;
};

const IDLE_SOCKET_MS = 15_000;
const STATUSES_WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The failure of a network, as fetch throws it: the cause is the network's own error. */
export class FetchFailure extends TypeError {
  /** False: no byte of the request went to the other side, because there never was a connection. */
  readonly wasSent: boolean;

  constructor(cause: unknown, { wasSent }: { readonly wasSent: boolean }) {
    super('fetch failed', { cause: typeof cause === 'string' ? new Error(cause) : cause });
    this.wasSent = wasSent;
  }
}

/** The other side closed the reused connection before it processed the request. */
class StaleSocketError extends Error {
  readonly networkError: unknown;

  constructor(networkError: unknown) {
    super();
    this.networkError = networkError;
  }
}

/** For callers that never close it: see `openHttpFetch`. */
export function makeHttpFetch(options: HttpFetchOptions = {}): typeof fetch {
  return openHttpFetch(options).fetch;
}

/**
 * Rejects like fetch: with the signal's reason, or with a TypeError whose cause is the network's failure. A request
 * body that throws while it is read rejects with that error. An answer that comes before the whole body was sent is
 * returned, and the body is read no further.
 */
export function openHttpFetch(options: HttpFetchOptions = {}): HttpFetch {
  const { connectTimeoutMs = 10_000, resends = 'all', tracing } = options;
  const agents: ReadonlyMap<string, http.Agent> = new Map([
    ['http:', makeAgent('http:', options, { keepAlive: true, timeout: IDLE_SOCKET_MS })],
    ['https:', makeAgent('https:', options, { keepAlive: true, timeout: IDLE_SOCKET_MS })],
  ]);
  const fetchOnce: typeof fetch = async (input, init) => {
    const call = readCall(input, init);
    const agent = agents.get(call.url.protocol);
    if (!agent) throw new FetchFailure('only http and https addresses', { wasSent: false });
    call.signal?.throwIfAborted();
    try {
      return await exchange(call, { agent, connectTimeoutMs, tracing });
    } catch (error) {
      if (!(error instanceof StaleSocketError)) throw error;
      if (resends === 'reads' && !READS.has(call.method)) throw new FetchFailure(error.networkError, { wasSent: true });
      const fresh = makeAgent(call.url.protocol, options, { keepAlive: false });
      return await exchange(call, { agent: fresh, connectTimeoutMs, tracing });
    }
  };
  return { fetch: fetchOnce, close: () => [...agents.values()].forEach(closeIdle) };
}

function makeAgent(protocol: string, { tls = {}, proxy }: HttpFetchOptions, options: http.AgentOptions): http.Agent {
  const proxied = { ...options, ...(proxy !== undefined && { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }) };
  if (protocol === 'http:') return new http.Agent(proxied);
  const { ca, furtherCa, cert, key } = tls;
  // Listing all the certificates is slow, so only if one more is configured.
  const trusted = ca ?? (furtherCa === undefined ? undefined : [...getCACertificates('default'), furtherCa]);
  return new https.Agent({
    ...proxied,
    ...(trusted !== undefined && { ca: trusted }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  });
}

function closeIdle(agent: http.Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

function readCall(input: string | URL | Request, init: RequestInit = {}): Call {
  const base = input instanceof Request ? input : undefined;
  const url = new URL(base ? base.url : String(input));
  const headers = new Headers(init.headers ?? base?.headers);
  const given = init.body ?? base?.body ?? undefined;
  return {
    url,
    method: (init.method ?? base?.method ?? 'GET').toUpperCase(),
    headers,
    body: given === undefined ? undefined : readBody(given, headers),
    signal: init.signal ?? base?.signal ?? undefined,
  };
}

function readBody(body: unknown, headers: Headers): WholeBody | StreamedBody {
  if (typeof body === 'string') {
    if (!headers.has('content-type')) headers.set('content-type', 'text/plain;charset=UTF-8');
    return { kind: 'whole', bytes: Buffer.from(body) };
  }
  if (ArrayBuffer.isView(body)) {
    return { kind: 'whole', bytes: new Uint8Array(body.buffer, body.byteOffset, body.byteLength) };
  }
  if (body instanceof Readable) return streamedBody(body[Symbol.asyncIterator](), () => body.destroy());
  if (body instanceof ReadableStream) {
    const reader: ReadableStreamDefaultReader<Chunk> = body.getReader();
    return { kind: 'streamed', next: () => reader.read(), stop: () => void reader.cancel().catch(() => undefined) };
  }
  if (isAsyncIterable(body)) {
    const iterator = body[Symbol.asyncIterator]();
    return streamedBody(iterator, () => void iterator.return?.()?.catch(() => undefined));
  }
  // Forms, blobs, plain buffers: Node encodes them and sets their content type.
  const written = new Response(body as ConstructorParameters<typeof Response>[0]);
  const contentType = written.headers.get('content-type');
  if (contentType && !headers.has('content-type')) headers.set('content-type', contentType);
  return written.body ? readBody(written.body, headers) : { kind: 'whole', bytes: new Uint8Array() };
}

function streamedBody(iterator: AsyncIterator<Chunk>, stop: () => void): StreamedBody {
  return { kind: 'streamed', next: () => iterator.next(), stop };
}

function isAsyncIterable(body: unknown): body is AsyncIterable<Chunk> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

function exchange(call: Call, { agent, connectTimeoutMs, tracing }: ConnectionOptions): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const { body, signal } = call;
  const stopBody = () => body?.kind === 'streamed' && body.stop();
  if (body?.kind === 'whole') call.headers.set('content-length', String(body.bytes.length));

  const span = tracing && startClientSpan(tracing, call);
  if (span !== undefined) call.headers.set('traceparent', span.traceparent);
  const request = startRequest(call, agent);
  let bytesReadBefore = 0;
  let isConnected = false;
  let answer: http.IncomingMessage | undefined;
  let failure: unknown;
  const fail = (reason: unknown) => {
    failure = reason;
    reject(reason);
    answer?.destroy();
    request.destroy();
  };
  const onAbort = () => fail(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const connectTimer = setTimeout(
    () => fail(networkError(coded('connecting took too long', 'ETIMEDOUT'), false)),
    connectTimeoutMs,
  );
  const onConnected = () => {
    isConnected = true;
    clearTimeout(connectTimer);
  };

  request.on('socket', (socket) => {
    bytesReadBefore = socket.bytesRead;
    if (request.reusedSocket || !socket.connecting) onConnected();
    else socket.once(call.url.protocol === 'https:' ? 'secureConnect' : 'connect', onConnected);
  });
  request.on('response', (message) => {
    onConnected();
    answer = message;
    if (!request.writableEnded) {
      stopBody();
      // The rest of the body will never come: this connection cannot be used again.
      message.once('end', () => request.destroy());
    }
    try {
      resolve(toResponse(message, call));
    } catch (error) {
      fail(networkError(error));
    }
  });
  // The listener stays for good: a reset after the answer came must not become an unhandled error.
  request.on('error', (error: NodeJS.ErrnoException) => {
    const isStale =
      request.reusedSocket && error.code === 'ECONNRESET' && request.socket?.bytesRead === bytesReadBefore;
    failure = error;
    reject(isStale && body?.kind !== 'streamed' ? new StaleSocketError(error) : networkError(error, isConnected));
  });
  request.on('close', () => {
    clearTimeout(connectTimer);
    signal?.removeEventListener('abort', onAbort);
    if (answer === undefined) reject(networkError(coded('the connection was closed', 'ECONNRESET'), isConnected));
    stopBody();
    span?.end(answer?.statusCode, failure);
  });
  sendBody(request, call, () => answer !== undefined).catch(fail);
  return promise;
}

function startRequest({ url, method, headers }: Call, agent: http.Agent): http.ClientRequest {
  const secure = url.protocol === 'https:';
  try {
    return (secure ? https : http).request(url, { method, headers: Object.fromEntries(headers), agent });
  } catch (error) {
    throw networkError(error, false);
  }
}

async function sendBody(request: http.ClientRequest, call: Call, isAnswered: () => boolean): Promise<void> {
  const { body, headers } = call;
  if (!body) return void request.end();
  if (body.kind === 'whole') return void request.end(body.bytes);
  const announced = headers.get('content-length');
  const announcedBytes = announced === null ? undefined : Number(announced);
  let sentBytes = 0;
  for (;;) {
    const { done, value } = await body.next();
    if (isAnswered() || request.destroyed) return;
    if (done || value === undefined) break;
    if (value.length === 0) continue;
    sentBytes += Buffer.byteLength(value);
    if (announcedBytes !== undefined && sentBytes > announcedBytes) throw networkError('more body than announced');
    const isTaken = request.write(value);
    if (sentBytes === announcedBytes) request.end();
    else if (!isTaken) await drained(request);
  }
  // The other side would wait for the missing bytes for ever.
  if (announcedBytes !== undefined && sentBytes < announcedBytes) throw networkError('less body than announced');
  request.end();
}

function drained(request: http.ClientRequest): Promise<void> {
  if (request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      request.off('drain', done).off('close', done);
      resolve();
    };
    request.on('drain', done).on('close', done);
  });
}

function toResponse(message: http.IncomingMessage, { url, method, signal }: Call): Response {
  const headers = new Headers();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    headers.append(message.rawHeaders[index] ?? '', message.rawHeaders[index + 1] ?? '');
  }
  const status = message.statusCode ?? 0;
  const hasBody = method !== 'HEAD' && !STATUSES_WITHOUT_BODY.has(status);
  if (!hasBody) message.resume();
  const body = hasBody ? toStream(message, signal) : null;
  const response = new Response(body, { status, statusText: message.statusMessage ?? '', headers });
  Object.defineProperty(response, 'url', { value: url.href });
  return response;
}

/** Reads on only on demand, so that a slow reader slows the sender. */
function toStream(message: http.IncomingMessage, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const iterator: AsyncIterator<Uint8Array> = message[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await iterator.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          controller.error(signal?.aborted ? signal.reason : new TypeError('terminated', { cause: error }));
        }
      },
      cancel() {
        message.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

function networkError(cause: unknown, wasSent = true): FetchFailure {
  return new FetchFailure(cause, { wasSent });
}

/** With a code like those of Node's own errors, for logs that have no messages. */
function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}
