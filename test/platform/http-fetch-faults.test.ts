import { getEventListeners, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeHttpFetch } from '../../src/platform/http-fetch.ts';
import { audioStream } from '../support/audio-samples.ts';
import { makeLocalServers, pieces, runningTimers } from '../support/local-servers.ts';
import { until } from '../support/until.ts';

const TURNS = 5_000;

/** Both ends are on this event loop, so bytes that can still move do so within its turns. */
async function untilStill(bytes: () => number): Promise<void> {
  for (let seen = -1; seen !== bytes(); ) {
    seen = bytes();
    for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
  }
}

describe('Failures of outgoing HTTP', () => {
  const fetch = makeHttpFetch();
  const servers = makeLocalServers();
  const { serve, serveRaw } = servers;
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => unhandled.push(error);

  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', onUnhandled).on('uncaughtException', onUnhandled);
  });
  afterEach(async () => {
    await servers.close();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', onUnhandled).off('uncaughtException', onUnhandled);
    expect(unhandled).toEqual([]);
  });

  it('a server that does not read is not sent the whole upload', async () => {
    const url = await serveRaw((socket) => socket.pause());
    const cancel = new AbortController();
    let askedBytes = 0;
    const source = audioStream('wav', 100 * 1_048_576, (asked) => {
      askedBytes = asked;
    });
    const asked = fetch(url, { method: 'POST', body: source as never, signal: cancel.signal });
    asked.catch(() => undefined);
    // The kernel buffers some megabytes. Then the source must not be read any more.
    await until(() => askedBytes > 0);
    await untilStill(() => askedBytes);
    expect(askedBytes).toBeLessThan(32 * 1_048_576);
    cancel.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('a caller that does not read the answer slows the server down', async () => {
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
    await untilStill(() => writtenBytes);
    expect(writtenBytes).toBeLessThan(32 * 1_048_576);
    await reader?.cancel();
  });

  it('an upload that fails while it is read rejects with its error, and the server sees it cut', async () => {
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

  it('a web stream that fails rejects with its error', async () => {
    const url = await serve((request, response) => void request.resume().once('end', () => response.end()));
    const broken = { not: 'even an error' };
    const body = ReadableStream.from(
      (async function* () {
        yield Buffer.alloc(10);
        throw broken;
      })(),
    );
    await expect(fetch(url, { method: 'POST', body })).rejects.toBe(broken);
  });

  it('an answer that comes before the upload has ended is returned, and the upload is read no further', async () => {
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
    // The source is closed at once, also if the answer is never read.
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
      // Whether the answer or the reset is seen first depends on the network. Neither may cause more than a rejection.
      await fetch(url, { method: 'POST', body: body as never }).then(
        (response) => response.text().catch(() => undefined),
        (error) => expect(error).toBeInstanceOf(TypeError),
      );
    }
  });

  it('a call to a server that cannot be reached rejects with a TypeError that has a cause', async () => {
    const url = await serve((request, response) => void request.resume().once('end', () => response.end()));
    await servers.close();
    await expect(fetch(url)).rejects.toMatchObject({ name: 'TypeError', cause: { code: 'ECONNREFUSED' } });
  });

  it('a connection that is not made in time is given up', async () => {
    const impatient = makeHttpFetch({ connectTimeoutMs: 1 });
    const url = await serveRaw(() => undefined);
    // The server accepts the connection but never begins TLS, so the connection is made but never ready.
    await expect(impatient(url.replace('http:', 'https:'))).rejects.toMatchObject({
      cause: { message: 'connecting took too long' },
    });
  });

  it('a call that failed leaves no timer behind', async () => {
    const url = await serve(() => undefined);
    await servers.close();
    const before = runningTimers();
    const patient = makeHttpFetch({ connectTimeoutMs: 600_000 });
    await expect(patient(url)).rejects.toMatchObject({ name: 'TypeError' });
    await until(() => runningTimers() <= before);
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

  it('a caller that leaves the answer half read closes the connection', async () => {
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

  it('a call leaves no listener on a signal that outlives it', async () => {
    const url = await serve((_, response) => response.end('ok'));
    const { signal } = new AbortController();
    for (let turn = 0; turn < 3; turn += 1) await (await fetch(url, { signal })).text();
    await until(() => getEventListeners(signal, 'abort').length === 0);
  });

  describe('after the server has closed a reused connection', () => {
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

    it('a request that can be repeated is sent again', async () => {
      const url = await serveStale();
      for (let turn = 0; turn < 3; turn += 1) {
        const response = await fetch(url, { method: 'POST', body: 'x' });
        expect(await response.text()).toBe('ok');
      }
    });

    it('a stream, which cannot be repeated, fails', async () => {
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
});
