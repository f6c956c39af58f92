// Clients that send requests and read no answers, and clients that close their side and wait.
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HTTP_LIMITS, type HttpLimits, makeHttpServer } from '../../../../src/inbound/http/server/http-server.ts';
import { RawClient } from '../../../support/raw-http.ts';
import { until } from '../../../support/until.ts';

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const MEGABYTE = Buffer.alloc(1_048_576, 'a');

let server: Server;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function serve(answer: Answer, limits: Partial<HttpLimits> = {}): Promise<number> {
  server = makeHttpServer(answer, { ...HTTP_LIMITS, ...limits }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A client that never reads. */
async function deafClient(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' }).pause();
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

describe('a client that sends many requests at once', () => {
  it('has at most sixteen of them begun, each of the rest when one is answered, in their order', async () => {
    const begun: { readonly url: string; readonly res: ServerResponse }[] = [];
    const port = await serve((req, res) => begun.push({ url: req.url ?? '', res }));
    const client = await RawClient.connect(port);
    client.write(Array.from({ length: 40 }, (_, at) => GET.replace('/', `/${at}`)).join(''));
    await until(() => begun.length === 16);
    begun[0]?.res.end('first');
    await client.until('first');
    await until(() => begun.length === 17);
    for (let at = 1; at < 40; at += 1) {
      await until(() => begun[at] !== undefined);
      begun[at]?.res.end();
    }
    expect(begun.map(({ url }) => url)).toEqual(Array.from({ length: 40 }, (_, at) => `/${at}`));
    client.destroy();
  });

  it('has no further one begun while a megabyte of answers waits for it', async () => {
    let begun = 0;
    const port = await serve((_req, res) => {
      begun += 1;
      res.end(MEGABYTE);
    });
    const socket = await deafClient(port);
    socket.write(GET.repeat(200));
    // What the kernel takes for itself is no more than a few megabytes.
    await until(() => begun > 0);
    const other = await RawClient.connect(port);
    for (let round = 0; round < 5; round += 1) {
      other.write(GET);
      await until(() => other.received.length > (round + 1) * MEGABYTE.length);
    }
    expect(begun - 5).toBeLessThanOrEqual(16);
    other.destroy();
    socket.resume();
    await until(() => begun === 205);
  });

  it('is forgotten with its waiting requests when it goes away', async () => {
    let begun = 0;
    let ended = 0;
    const port = await serve((_req, res) => {
      begun += 1;
      res.once('close', () => {
        ended += 1;
      });
    });
    const client = await RawClient.connect(port);
    client.write(GET.repeat(100));
    await until(() => begun === 16);
    client.reset();
    await until(() => ended === 16);
    expect(begun).toBe(16);
  });
});

describe('a client that reads nothing', () => {
  it('is disconnected after a time', async () => {
    const port = await serve((_req, res) => res.end(Buffer.concat(Array(16).fill(MEGABYTE))), {
      stalledMs: 50,
      checkIntervalMs: 10,
    });
    const closed = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
    const socket = await deafClient(port);
    socket.write(GET);
    await closed;
  });

  it('is the one to be disconnected if all clients together hold too much', async () => {
    const port = await serve((req, res) => res.end(Buffer.alloc(Number(req.url?.slice(1)) * MEGABYTE.length)), {
      mostUnsentInAllBytes: 12 * MEGABYTE.length,
      checkIntervalMs: 10,
    });
    const closed: string[] = [];
    const ask = async (name: string, megabytes: number): Promise<void> => {
      server.once('connection', (socket) => socket.once('close', () => closed.push(name)));
      (await deafClient(port)).write(GET.replace('/', `/${megabytes}`));
    };
    await ask('small', 8);
    await ask('large', 24);
    await until(() => closed.length > 0);
    expect(closed).toEqual(['large']);
  });

  it('keeps its connection while nothing waits for it', async () => {
    const port = await serve((_req, res) => res.end('ok'), { stalledMs: 20, checkIntervalMs: 5 });
    const client = await RawClient.connect(port);
    client.write(GET);
    await client.until('ok');
    const later = await RawClient.connect(port);
    for (let round = 1; round <= 20; round += 1) {
      later.write(GET);
      await until(() => later.received.split('ok').length > round);
    }
    client.write(GET);
    await until(() => client.received.split('ok').length === 3);
    client.destroy();
    later.destroy();
  });
});

describe('a client that closes its side behind its request', () => {
  it('gets its answer', async () => {
    const port = await serve((req, res) => {
      req.socket.once('end', () => setImmediate(() => res.end('the answer')));
    });
    const client = await RawClient.connect(port);
    client.write(GET);
    client.end();
    const answer = await client.answer();
    expect([answer.status, answer.body]).toEqual([200, 'the answer']);
    await client.closed;
  });

  it('is informed that a longer answer is being made', async () => {
    let res: ServerResponse | undefined;
    const port = await serve(
      (_req, made) => {
        res = made;
      },
      { announceEveryMs: 5 },
    );
    const client = await RawClient.connect(port);
    client.write(GET);
    client.end();
    await client.until('HTTP/1.1 102 Processing\r\n\r\n');
    res?.end('the answer');
    await client.until('the answer');
    await client.closed;
  });

  it('is found out if it has gone away', async () => {
    let isClosed = false;
    const port = await serve(
      (_req, res) => {
        res.once('close', () => {
          isClosed = !res.writableFinished;
        });
      },
      { announceEveryMs: 5 },
    );
    const client = await RawClient.connect(port);
    client.write(GET);
    client.destroy();
    await until(() => isClosed);
  });
});
