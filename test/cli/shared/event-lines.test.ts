// What an engine sends as it happens, read off the wire; and a wire that says nothing any more.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readEvents, type ServerEvent } from '../../../src/cli/shared/event-lines.ts';
import { EngineAway, makeOpsClient } from '../../../src/cli/shared/ops-client.ts';
import { readSettings } from '../../../src/cli/shared/settings.ts';
import { type LocalServers, makeLocalServers } from '../../support/local-servers.ts';

async function read(...pieces: readonly string[]): Promise<readonly ServerEvent[]> {
  const bytes = ReadableStream.from(pieces.map((piece) => Buffer.from(piece, 'latin1')));
  return Array.fromAsync(readEvents(bytes, () => undefined));
}

/** As bytes: a letter may be cut in two. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

describe('an event', () => {
  test('has its id, its name and its data', async () => {
    expect(await read('id: 7\nevent: run\ndata: {"a":1}\n\n')).toEqual([{ id: '7', event: 'run', data: '{"a":1}' }]);
  });

  test('is the same wherever the wire cuts it', async () => {
    const text = utf8('id: 7\r\nevent: run\r\ndata: né\r\n\r\n: still here\n\nevent: run\ndata: b\n\n');
    const whole = await read(text);
    expect(whole).toEqual([
      { id: '7', event: 'run', data: 'né' },
      { id: '7', event: 'run', data: 'b' },
    ]);
    for (let at = 1; at < text.length; at += 1) expect(await read(text.slice(0, at), text.slice(at))).toEqual(whole);
  });

  test.each<[string, string, readonly ServerEvent[]]>([
    ['several lines of data are one text', 'data: a\ndata: b\n\n', [{ event: 'message', data: 'a\nb' }]],
    ['a comment is none', ': still here\n\n', []],
    ['one without data is none, but its id counts', 'id: 1\n\ndata: a\n\n', [{ id: '1', event: 'message', data: 'a' }]],
    ['one that is not whole is none', 'data: a\n', []],
    [
      'when to come back is told with the next',
      'retry: 1500\n\ndata: a\n\n',
      [{ event: 'message', data: 'a', retryMs: 1500 }],
    ],
    ['a field that nobody knows is nothing', 'colour: red\ndata\n\n', [{ event: 'message', data: '' }]],
    ['a colon may be in it', 'data: a: b\n\n', [{ event: 'message', data: 'a: b' }]],
  ])('%s', async (_, text, events) => {
    expect(await read(text)).toEqual(events);
  });

  test('whose line has no end is not waited for', async () => {
    await expect(read(`data: ${'x'.repeat(2_000_000)}`)).rejects.toThrow('has no end');
  });
});

describe('a wire that says nothing any more', () => {
  let servers: LocalServers;
  beforeEach(() => {
    servers = makeLocalServers();
  });
  afterEach(() => servers.close());

  test('is given up, and so is one that never answered', async () => {
    const url = await servers.serve((req, res) => {
      if (req.headers['last-event-id'] !== undefined) return;
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: run\ndata: {}\n\n');
    });
    const settings = readSettings({ CHARTWRIGHT_URL: url, OPERATOR_KEY: 'x'.repeat(32) });
    const client = makeOpsClient({ settings, silenceMs: 300 });
    const { signal } = new AbortController();
    const { events, close } = await client.listen({ path: '/events', signal });
    const heard: ServerEvent[] = [];
    const listening = (async () => {
      for await (const event of events) heard.push(event);
    })();
    await expect(listening).rejects.toThrow(EngineAway);
    close();
    expect(heard).toHaveLength(1);
    await expect(client.listen({ path: '/events', lastEventId: '7', signal })).rejects.toThrow(
      /did not answer within 0\.3 s/,
    );
  });
});
