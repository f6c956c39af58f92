import { createHash } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { makeHttpFetch } from '../../src/platform/http-fetch.ts';
import { audioSha256, audioStream } from '../support/audio-samples.ts';

// nock takes over all of HTTP as soon as it is imported, and knows no back-pressure: here it is on for one test only.
nock.restore();

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

describe('Outgoing HTTP', () => {
  const fetch = makeHttpFetch();
  const closers: (() => Promise<unknown>)[] = [];
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => unhandled.push(error);

  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', onUnhandled).on('uncaughtException', onUnhandled);
  });
  afterEach(async () => {
    await Promise.all(closers.splice(0).map((close) => close()));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', onUnhandled).off('uncaughtException', onUnhandled);
    expect(unhandled).toEqual([]);
  });

  async function serve(handler: Handler): Promise<string> {
    const server = http.createServer(handler);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** A server below HTTP, for what no HTTP library would do. */
  async function serveRaw(onSocket: (socket: net.Socket, count: number) => void): Promise<string> {
    let count = 0;
    const sockets = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      count += 1;
      onSocket(socket, count);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const echo: Handler = async (request, response) => {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of request) {
      hash.update(chunk);
      sizeBytes += chunk.length;
    }
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, sizeBytes, sha256: hash.digest('hex') }));
  };
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

  it('status, headers and body come back as they were sent', async () => {
    const url = await serve((_, response) => {
      response.writeHead(418, 'Teapot', [
        ['x-one', '1'],
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ] as unknown as http.OutgoingHttpHeaders);
      response.end('short and stout');
    });
    const response = await fetch(url);
    expect([response.status, response.statusText, response.ok, response.url]).toEqual([
      418,
      'Teapot',
      false,
      `${url}/`,
    ]);
    expect(response.headers.get('x-one')).toBe('1');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.text()).toBe('short and stout');
  });

  it.each([
    ['a text', () => 'héllo'],
    ['bytes', () => new TextEncoder().encode('héllo')],
    ['a generator', () => pieces(['hé', Buffer.from('llo')])],
    ['a node stream', () => Readable.from([Buffer.from('héllo')])],
    ['a web stream', () => ReadableStream.from(pieces([Buffer.from('hé'), Buffer.from('llo')]))],
    ['a blob', () => new Blob(['héllo'])],
  ])('%s can be the body of a request', async (_, makeBody) => {
    const url = await serve(echo);
    const response = await fetch(url, { method: 'POST', body: makeBody() as never });
    expect(await response.json()).toMatchObject({ method: 'POST', sizeBytes: 6, sha256: sha256('héllo') });
  });

  it('a Request is taken with its method, headers and body', async () => {
    const url = await serve(echo);
    const request = new Request(`${url}/path?q=1`, { method: 'PUT', headers: { 'x-test': 'yes' }, body: 'abc' });
    const answer = await (await fetch(request)).json();
    expect(answer).toMatchObject({ method: 'PUT', url: '/path?q=1', sizeBytes: 3, headers: { 'x-test': 'yes' } });
  });

  it('a stream goes out in chunks, or with the length that the caller announces', async () => {
    const url = await serve(echo);
    const chunked = await fetch(url, { method: 'POST', body: pieces(['abc', '', 'def']) as never });
    expect(await chunked.json()).toMatchObject({ sizeBytes: 6, headers: { 'transfer-encoding': 'chunked' } });
    const headers = { 'content-length': '6' };
    const counted = await fetch(url, { method: 'POST', headers, body: pieces(['abc', 'def', '']) as never });
    expect(await counted.json()).toMatchObject({ sizeBytes: 6, headers });
  });

  it.each(['5', '7'])('a stream of 6 bytes that was announced with %s is an error', async (announced) => {
    const url = await serve(echo);
    const headers = { 'content-length': announced };
    const asked = fetch(url, { method: 'POST', headers, body: pieces(['abc', 'def']) as never });
    await expect(asked).rejects.toBeInstanceOf(TypeError);
  });

  it('no compression is asked for', async () => {
    const url = await serve(echo);
    const { headers } = (await (await fetch(url)).json()) as { headers: object };
    expect(headers).not.toHaveProperty('accept-encoding');
  });

  it('a redirect is given back and not followed', async () => {
    const paths: unknown[] = [];
    const url = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect((await fetch(url)).status).toBe(302);
    expect(paths).toEqual(['/']);
  });

  it.each([
    [204, 'POST'],
    [304, 'GET'],
    [200, 'HEAD'],
  ])('an answer %i to %s has no body', async (status, method) => {
    const url = await serve((_, response) => response.writeHead(status).end());
    const response = await fetch(url, { method });
    expect([response.status, response.body]).toEqual([status, null]);
  });

  it('ten megabytes arrive as they were sent', async () => {
    const url = await serve(echo);
    const sizeBytes = 10 * 1_048_576;
    const response = await fetch(url, { method: 'POST', body: audioStream('flac', sizeBytes) as never });
    expect(await response.json()).toMatchObject({ sizeBytes, sha256: audioSha256('flac', sizeBytes) });
  });

  it('a server that does not read is not sent the whole upload', async () => {
    const url = await serveRaw((socket) => socket.pause());
    const cancel = new AbortController();
    let askedBytes = 0;
    let lastAskedAt = 0;
    const source = audioStream('wav', 100 * 1_048_576, (asked) => {
      askedBytes = asked;
      lastAskedAt = performance.now();
    });
    const asked = fetch(url, { method: 'POST', body: source as never, signal: cancel.signal });
    asked.catch(() => undefined);
    // The kernel takes some megabytes; then the source must be left alone.
    await until(() => askedBytes > 0 && performance.now() - lastAskedAt > 500);
    expect(askedBytes).toBeLessThan(32 * 1_048_576);
    cancel.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('a caller who does not read the answer slows the server down', async () => {
    let writtenBytes = 0;
    const url = await serve(async (_, response) => {
      response.on('error', () => undefined);
      const chunk = Buffer.alloc(65_536);
      while (writtenBytes < 100 * 1_048_576 && !response.destroyed) {
        writtenBytes += chunk.length;
        if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
      response.end();
    });
    const response = await fetch(url);
    const reader = response.body?.getReader();
    await reader?.read();
    let seenBytes = -1;
    await until(async () => {
      const isStill = seenBytes === writtenBytes;
      seenBytes = writtenBytes;
      await new Promise((resolve) => setTimeout(resolve, 250));
      return isStill;
    });
    expect(writtenBytes).toBeLessThan(32 * 1_048_576);
    await reader?.cancel();
  });

  it('an upload that fails while it is read rejects with what it threw, and the server sees it cut', async () => {
    const arrived = Promise.withResolvers<void>();
    const cut = Promise.withResolvers<void>();
    const url = await serve((request) => {
      request.on('error', () => undefined).on('data', () => arrived.resolve());
      request.once('close', () => !request.complete && cut.resolve());
    });
    const broken = new Error('the source broke');
    const body = (async function* () {
      yield Buffer.alloc(1000);
      await arrived.promise;
      throw broken;
    })();
    await expect(fetch(url, { method: 'POST', body: body as never })).rejects.toBe(broken);
    await cut.promise;
  });

  it('a web stream that fails rejects with what it was failed with', async () => {
    const url = await serve(echo);
    const broken = { not: 'even an error' };
    const body = ReadableStream.from(
      (async function* () {
        yield Buffer.alloc(10);
        throw broken;
      })(),
    );
    await expect(fetch(url, { method: 'POST', body })).rejects.toBe(broken);
  });

  it('an answer that comes before the upload has ended is given back, and the upload is read no further', async () => {
    const gone = Promise.withResolvers<void>();
    const url = await serve((request, response) => {
      request.socket.once('close', () => gone.resolve());
      response.writeHead(413).end('too large');
    });
    const stopped = Promise.withResolvers<void>();
    const body = (async function* () {
      try {
        for (;;) yield Buffer.alloc(65_536);
      } finally {
        stopped.resolve();
      }
    })();
    const response = await fetch(url, { method: 'POST', body: body as never });
    expect([response.status, await response.text()]).toEqual([413, 'too large']);
    await Promise.all([stopped.promise, gone.promise]);
  });

  it('an early answer does not wait for a source that is silent', async () => {
    const url = await serve((_, response) => response.writeHead(401).end('no'));
    const cancelled = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.alloc(10)),
      cancel: () => cancelled.resolve(),
    });
    const response = await fetch(url, { method: 'POST', body });
    // The source is told at once, also where nobody ever reads the answer.
    await cancelled.promise;
    expect([response.status, await response.text()]).toEqual([401, 'no']);
  });

  it('a server that answers and then cuts the connection does no harm', async () => {
    const url = await serveRaw((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno', () => socket.resetAndDestroy());
      });
    });
    for (let turn = 0; turn < 20; turn += 1) {
      const body = pieces(new Array(200).fill(Buffer.alloc(65_536)));
      // Which of the two is seen first is the network's choice; neither may be more than a rejection.
      await fetch(url, { method: 'POST', body: body as never }).then(
        (response) => response.text().catch(() => undefined),
        (error) => expect(error).toBeInstanceOf(TypeError),
      );
    }
  });

  it('a server that is not there is a TypeError with its cause', async () => {
    const url = await serve(echo);
    await closers.pop()?.();
    await expect(fetch(url)).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ECONNREFUSED' } });
  });

  it.each(['ftp://127.0.0.1/', 'file:///etc/hosts', 'not an address'])('%s is not fetched', async (url) => {
    await expect(fetch(url)).rejects.toMatchObject({ name: 'TypeError' });
  });

  it('a connection that is not made in time is given up', async () => {
    const impatient = makeHttpFetch({ connectTimeoutMs: 1 });
    const url = await serveRaw(() => undefined);
    // TLS to a server that never says a word: connected, but never ready.
    await expect(impatient(url.replace('http:', 'https:'))).rejects.toMatchObject({
      cause: { message: 'connecting took too long' },
    });
  });

  it('a cancelled call ends at once: before, while it waits, and while the answer comes', async () => {
    const reason = new Error('enough');
    await expect(fetch('http://127.0.0.1:1', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

    const cancelWaiting = new AbortController();
    const gone = Promise.withResolvers<void>();
    const url = await serve((request, response) => {
      request.socket.once('close', () => gone.resolve());
      if (request.url === '/answering') response.write('first');
      else cancelWaiting.abort(reason);
    });
    await expect(fetch(url, { signal: cancelWaiting.signal })).rejects.toBe(reason);
    await gone.promise;

    const cancelReading = new AbortController();
    const response = await fetch(`${url}/answering`, { signal: cancelReading.signal });
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first');
    const next = reader?.read();
    cancelReading.abort(reason);
    await expect(next).rejects.toBe(reason);
  });

  it('a cancelled upload closes its source', async () => {
    const url = await serve((request) => void request.resume());
    const cancel = new AbortController();
    const stopped = Promise.withResolvers<void>();
    const body = (async function* () {
      try {
        for (let count = 0; ; count += 1) {
          if (count === 20) cancel.abort();
          yield Buffer.alloc(1000);
        }
      } finally {
        stopped.resolve();
      }
    })();
    const asked = fetch(url, { method: 'POST', body: body as never, signal: cancel.signal });
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    await stopped.promise;
  });

  it('an answer that is cut is an error and not a shorter answer', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    });
    await expect((await fetch(url)).text()).rejects.toBeInstanceOf(TypeError);
  });

  it('a caller who leaves the answer half read closes the connection', async () => {
    const gone = Promise.withResolvers<void>();
    const url = await serve((request, response) => {
      request.socket.once('close', () => gone.resolve());
      response.write('first');
    });
    for await (const chunk of (await fetch(url)).body ?? []) {
      expect(chunk.length).toBe(5);
      break;
    }
    await gone.promise;
  });

  it('connections are kept and used again', async () => {
    const ports = new Set<unknown>();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('ok');
    });
    for (let turn = 0; turn < 5; turn += 1) await (await fetch(url, { method: 'POST', body: 'x' })).text();
    expect(ports.size).toBe(1);
  });

  it('an upload of announced length is whole when its last byte is sent, also where its source has not ended', async () => {
    const ports = new Set<unknown>();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      request.resume().once('end', () => response.end('ok'));
    });
    for (let turn = 0; turn < 3; turn += 1) {
      const answered = Promise.withResolvers<void>();
      const body = (async function* () {
        yield 'abc';
        await answered.promise;
      })();
      const headers = { 'content-length': '3' };
      const response = await fetch(url, { method: 'POST', headers, body: body as never });
      expect(await response.text()).toBe('ok');
      answered.resolve();
    }
    expect(ports.size).toBe(1);
  });

  it('a signal that outlives the call is left alone', async () => {
    const url = await serve((_, response) => response.end('ok'));
    const { signal } = new AbortController();
    for (let turn = 0; turn < 3; turn += 1) await (await fetch(url, { signal })).text();
    await until(() => getEventListeners(signal, 'abort').length === 0);
  });

  describe('where the server has closed a kept connection just now', () => {
    /** Answers the first request, and resets the connection when a second one comes on it. */
    const serveStale = () =>
      serveRaw((socket) => {
        let requests = 0;
        socket.on('data', () => {
          requests += 1;
          if (requests > 1) socket.resetAndDestroy();
          else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        });
      });

    it('what can be sent again is sent again', async () => {
      const url = await serveStale();
      for (let turn = 0; turn < 3; turn += 1) {
        const response = await fetch(url, { method: 'POST', body: 'x' });
        expect(await response.text()).toBe('ok');
      }
    });

    it('a stream, which cannot be sent again, fails', async () => {
      const url = await serveStale();
      await (await fetch(url)).text();
      const asked = fetch(url, { method: 'POST', body: pieces(['x']) as never });
      await expect(asked).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    });
  });

  it('a fresh connection that is reset is not tried again', async () => {
    let connections = 0;
    const url = await serveRaw((socket) => {
      connections += 1;
      socket.once('data', () => socket.resetAndDestroy());
    });
    await expect(fetch(url, { method: 'POST', body: 'x' })).rejects.toBeInstanceOf(TypeError);
    expect(connections).toBe(1);
  });

  it('nock can stand in for a vendor', async () => {
    nock.activate();
    try {
      const scope = nock('https://vendor.example')
        .post('/v1/say', 'hello', { reqheaders: { 'x-key': 'k' } })
        .reply(201, { said: true }, { 'x-id': '7' });
      const headers = { 'x-key': 'k' };
      const body = pieces(['hel', 'lo']) as never;
      const response = await fetch('https://vendor.example/v1/say', { method: 'POST', headers, body });
      expect([response.status, response.headers.get('x-id'), await response.json()]).toEqual([
        201,
        '7',
        { said: true },
      ]);
      scope.done();
      nock('https://vendor.example').get('/').replyWithError('down');
      await expect(fetch('https://vendor.example/')).rejects.toBeInstanceOf(TypeError);
    } finally {
      nock.cleanAll();
      nock.restore();
    }
  });
});

async function* pieces(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  for (const chunk of chunks) yield chunk;
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}
