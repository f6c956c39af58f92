// Reads the event stream of an engine, also one that stops sending.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readEvents, type ServerEvent } from '../../../src/cli/shared/event-lines.ts';
import { EngineAway, makeOpsClient } from '../../../src/cli/shared/ops-client.ts';
import { readSettings } from '../../../src/cli/shared/settings.ts';
import { passDeadline } from '../../support/held-timers.ts';
import { type LocalServers, makeLocalServers } from '../../support/local-servers.ts';

async function read(...pieces: readonly string[]): Promise<readonly ServerEvent[]> {
  const bytes = ReadableStream.from(pieces.map((piece) => Buffer.from(piece, 'latin1')));
  return Array.fromAsync(readEvents(bytes, () => undefined));
}

/** Encodes to bytes, so that a character may be cut in two. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

describe('An event of the stream', () => {
  it('an event has its id, its name and its data', async () => {
    expect(await read('id: 7\nevent: run\ndata: {"a":1}\n\n')).toEqual([{ id: '7', event: 'run', data: '{"a":1}' }]);
  });

  it('an event is the same however the network cuts it', async () => {
    const text = utf8('id: 7\r\nevent: run\r\ndata: né\r\n\r\n: still here\n\nevent: run\ndata: b\n\n');
    const whole = await read(text);
    expect(whole).toEqual([
      { id: '7', event: 'run', data: 'né' },
      { id: '7', event: 'run', data: 'b' },
    ]);
    for (let at = 1; at < text.length; at += 1) expect(await read(text.slice(0, at), text.slice(at))).toEqual(whole);
  });

  it.each<[string, string, readonly ServerEvent[]]>([
    ['several lines of data are one text', 'data: a\ndata: b\n\n', [{ event: 'message', data: 'a\nb' }]],
    ['a comment is not an event', ': still here\n\n', []],
    [
      'an event without data is ignored, but its id is kept for the next',
      'id: 1\n\ndata: a\n\n',
      [{ id: '1', event: 'message', data: 'a' }],
    ],
    ['an incomplete event is ignored', 'data: a\n', []],
    [
      'the time to reconnect comes with the next event',
      'retry: 1500\n\ndata: a\n\n',
      [{ event: 'message', data: 'a', retryMs: 1500 }],
    ],
    ['an unknown field is ignored', 'colour: red\ndata\n\n', [{ event: 'message', data: '' }]],
    ['data may contain a colon', 'data: a: b\n\n', [{ event: 'message', data: 'a: b' }]],
  ])('%s', async (_, text, events) => {
    expect(await read(text)).toEqual(events);
  });

  it('a line without an end is refused', async () => {
    await expect(read(`data: ${'x'.repeat(2_000_000)}`)).rejects.toThrow('has no end');
  });
});

describe('A stream that stops sending', () => {
  let servers: LocalServers;
  beforeEach(() => {
    servers = makeLocalServers();
  });
  afterEach(() => servers.close());

  it('a stream that stops sending is given up, and so is one that never answered', async () => {
    let unanswered = 0;
    const url = await servers.serve((req, res) => {
      if (req.headers['last-event-id'] !== undefined) {
        unanswered += 1;
        return;
      }
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: run\ndata: {}\n\n');
    });
    const settings = readSettings({ CHARTWRIGHT_URL: url, OPERATOR_KEY: 'x'.repeat(32) });
    const client = makeOpsClient({ settings, silenceMs: 3_000 });
    const { signal } = new AbortController();
    const heard: ServerEvent[] = [];
    const listen = async () => {
      const { events } = await client.listen({ path: '/events', signal });
      for await (const event of events) heard.push(event);
    };
    const listening = passDeadline(listen, { after: () => heard.length === 1, ms: 3_000 });
    await expect(listening).rejects.toThrow(EngineAway);
    const again = () => client.listen({ path: '/events', lastEventId: '7', signal });
    const waiting = passDeadline(again, { after: () => unanswered === 1, ms: 3_000 });
    await expect(waiting).rejects.toThrow(/did not answer within 3 s/);
  });
});
