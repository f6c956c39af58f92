import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  EVENT_STREAM_LIMITS,
  EventStream,
  type EventStreamLimits,
} from '../../../../src/inbound/http/server/event-stream.ts';
import { until } from '../../../support/until.ts';

type Use = (stream: EventStream, res: http.ServerResponse) => Promise<void>;

const servers: http.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server whose only answer is the stream that the test writes. */
async function serve(
  use: Use,
  limits: Partial<EventStreamLimits> = {},
  beforeHeaders = async () => {},
): Promise<number> {
  const server = http.createServer(async (_req, res) => {
    const stream = new EventStream({ res, status: 201, beforeHeaders, limits: { ...EVENT_STREAM_LIMITS, ...limits } });
    await use(stream, res).catch(() => res.writeHead(500).end('before the headers'));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

async function read(port: number): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(`http://127.0.0.1:${port}/`);
  return { status: response.status, body: await response.text() };
}

describe('an event stream', () => {
  it('sends each event with its name, a number and one line of JSON that repeats the name, and ends after the last', async () => {
    const port = await serve(async (stream) => {
      await stream.partial({ a: 1 });
      await stream.partial({ a: 2 });
      await stream.end('final', { a: 3 });
    });
    expect(await read(port)).toEqual({
      status: 201,
      body: [
        'event: partial\ndata: {"type":"partial","a":1}\nid: 1\nretry: 3000\n\n',
        'event: partial\ndata: {"type":"partial","a":2}\nid: 2\n\n',
        'event: final\ndata: {"type":"final","a":3}\nid: 3\n\n',
      ].join(''),
    });
  });

  it('does not send a partial that equals the previous one', async () => {
    const port = await serve(async (stream) => {
      await stream.partial({ a: 1 });
      await stream.partial({ a: 1 });
      await stream.end('final', {});
    });
    expect((await read(port)).body.match(/event: partial/g)).toHaveLength(1);
  });

  it('encodes a line break of the data, so that it does not end the event', async () => {
    const port = await serve((stream) => stream.end('final', { text: 'a\n\nevent: error\ndata: x' }));
    expect((await read(port)).body.trimEnd().split('\n')).toHaveLength(4);
  });

  it('delays its headers until the first event', async () => {
    const port = await serve(async (stream, res) => {
      expect(await stream.hasBegun()).toBe(false);
      expect(res.headersSent).toBe(false);
      stream.dispose();
      throw new Error('the reasoner is down');
    });
    expect(await read(port)).toEqual({ status: 500, body: 'before the headers' });
  });

  it('sends its headers without an event after the maximum delay', async () => {
    const port = await serve(
      async (stream, res) => {
        await until(() => res.headersSent);
        await stream.end('error', { statusCode: 500 });
      },
      { holdHeadersMs: 1 },
    );
    expect(await read(port)).toEqual({
      status: 201,
      body: expect.stringMatching(/event: error\ndata: {"type":"error","statusCode":500}\nid: 1\nretry: 3000\n\n$/),
    });
  });

  it('does not send its headers if the session cannot be marked as used', async () => {
    const port = await serve(
      (stream) => stream.partial({}),
      {},
      async () => {
        throw new Error('the database is away');
      },
    );
    expect((await read(port)).status).toBe(500);
  });

  it('sends comments as heartbeats', async () => {
    let sent = '';
    const port = await serve(
      async (stream, res) => {
        const write = res.write.bind(res);
        res.write = (text: string) => {
          sent += text;
          return write(text);
        };
        await stream.open();
        await until(() => sent.split(': still here').length > 2);
        await stream.end('final', {});
      },
      { heartbeatMs: 5 },
    );
    const { body } = await read(port);
    expect(body).toMatch(/^(: still here\n\n){2,}event: final\ndata: .+\nid: 1\nretry: \d+\n\n$/);
  });

  it('skips partials for a slow reader, and still sends the newest one and the final event', async () => {
    const { promise: mayRead, resolve: letRead } = Promise.withResolvers<void>();
    let wanted = 0;
    const port = await serve(async (stream, res) => {
      while (!res.writableNeedDrain) await stream.partial({ count: wanted++, filler: 'x'.repeat(50_000) });
      for (let more = 0; more < 200; more += 1) await stream.partial({ count: wanted++, filler: 'x'.repeat(50_000) });
      expect(res.writableLength).toBeLessThan(200_000);
      letRead();
      await until(() => !res.writableNeedDrain);
      await stream.end('final', {});
    });
    const response = await fetch(`http://127.0.0.1:${port}/`);
    await mayRead;
    const body = await response.text();
    const counts = [...body.matchAll(/"count":(\d+)/g)].map((match) => Number(match[1]));
    expect(counts.at(-1)).toBe(wanted - 1);
    expect(counts.length).toBeLessThan(wanted - 150);
    expect(body).toMatch(/\n\nevent: final\ndata: {"type":"final"}\nid: \d+\n\n$/);
  });

  it('disconnects a reader with too many unread bytes', async () => {
    let isDestroyed = false;
    const port = await serve(
      async (stream, res) => {
        res.once('close', () => {
          isDestroyed = true;
        });
        await stream.end('final', { filler: 'x'.repeat(20_000_000) });
      },
      { maxBufferedBytes: 1_000_000 },
    );
    const response = await fetch(`http://127.0.0.1:${port}/`);
    await until(() => isDestroyed);
    await expect(response.text()).rejects.toThrow();
  });

  it('disconnects a reader that reads nothing', async () => {
    let isDestroyed = false;
    const port = await serve(
      async (stream, res) => {
        res.once('close', () => {
          isDestroyed = true;
        });
        await stream.end('final', { filler: 'x'.repeat(8_000_000) });
      },
      { stalledMs: 20, maxBufferedBytes: 100_000_000 },
    );
    const response = await fetch(`http://127.0.0.1:${port}/`);
    await until(() => isDestroyed);
    await expect(response.text()).rejects.toThrow();
  });
});
