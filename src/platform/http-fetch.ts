// A `fetch` over node:http: request bodies are sent as they come, with the back-pressure of the socket, and never held
// whole (Node's own fetch buffers uploads). Never follows a redirect: a 3xx is returned as it is. Asks for no compression.
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';

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
type ConnectionOptions = { readonly agent: http.Agent | false; readonly connectTimeoutMs: number };

const IDLE_SOCKET_MS = 15_000;
const STATUSES_WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The kept connection was closed by the other side before it took up the request. */
class StaleSocketError extends Error {}

/**
 * Rejects like fetch: with the signal's reason, or with a TypeError whose cause is the network's failure. A request
 * body that throws while it is read rejects with what it threw. An answer that comes before the whole body was sent is
 * returned, and the body is read no further.
 */
export function makeHttpFetch({
  connectTimeoutMs = 10_000,
}: {
  readonly connectTimeoutMs?: number;
} = {}): typeof fetch {
  const agents: Readonly<Record<string, http.Agent>> = {
    'http:': new http.Agent({ keepAlive: true, timeout: IDLE_SOCKET_MS }),
    'https:': new https.Agent({ keepAlive: true, timeout: IDLE_SOCKET_MS }),
  };
  return async (input, init) => {
    const call = readCall(input, init);
    const agent = agents[call.url.protocol];
    if (!agent) throw new TypeError('fetch failed: only http and https addresses');
    call.signal?.throwIfAborted();
    try {
      return await exchange(call, { agent, connectTimeoutMs });
    } catch (error) {
      if (!(error instanceof StaleSocketError)) throw error;
      return await exchange(call, { agent: false, connectTimeoutMs });
    }
  };
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
  // Forms, blobs, plain buffers: the platform knows how they are written and what they are called.
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

function exchange(call: Call, { agent, connectTimeoutMs }: ConnectionOptions): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const { body, signal } = call;
  const stopBody = () => body?.kind === 'streamed' && body.stop();
  if (body?.kind === 'whole') call.headers.set('content-length', String(body.bytes.length));

  const request = startRequest(call, agent);
  let bytesReadBefore = 0;
  let answer: http.IncomingMessage | undefined;
  const fail = (reason: unknown) => {
    reject(reason);
    answer?.destroy();
    request.destroy();
  };
  const onAbort = () => fail(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const connectTimer = setTimeout(() => fail(networkError('connecting took too long')), connectTimeoutMs);
  const onConnected = () => clearTimeout(connectTimer);

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
    reject(isStale && body?.kind !== 'streamed' ? new StaleSocketError() : networkError(error));
  });
  request.on('close', () => {
    clearTimeout(connectTimer);
    signal?.removeEventListener('abort', onAbort);
    reject(networkError('the connection was closed'));
    stopBody();
  });
  sendBody(request, call, () => answer !== undefined).catch(fail);
  return promise;
}

function startRequest({ url, method, headers }: Call, agent: http.Agent | false): http.ClientRequest {
  const secure = url.protocol === 'https:';
  try {
    return (secure ? https : http).request(url, { method, headers: Object.fromEntries(headers), agent });
  } catch (error) {
    throw networkError(error);
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

/** Reads on only when it is asked to, so that a slow reader slows the sender. */
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

function networkError(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause: typeof cause === 'string' ? new Error(cause) : cause });
}
