// Changes of runs as they happen: told to all who watch, to whoever comes back as well, and at a cost only while somebody watches.
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import { type EventsLimits, makeEventsHandler } from '../../../../src/inbound/http/ops/ops-events-stream.ts';
import type { RunListener } from '../../../../src/inbound/http/ops/ops-runs-feed.ts';
import type { RunChange } from '../../../../src/ports/runs.ts';
import { runEvent } from '../../../../src/wire/run.ts';
import { makeFakeRuntime } from '../../../fakes/runtime.ts';
import { aKeptRun, aQueuedRun, HELD } from '../../../support/kept-runs.ts';
import { until } from '../../../support/until.ts';
import { askOps } from './ops-asking.ts';
import { OPERATOR_KEY, type OpsEngine, startOpsEngine } from './ops-engine.ts';

let engine: OpsEngine;
const watchers: http.ClientRequest[] = [];
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(async () => {
  for (const watcher of watchers.splice(0)) watcher.destroy();
  await engine.stop();
});

type Told = { readonly id: string; readonly event: string; readonly data: Record<string, string> };

/** Resolves once the headers are here: from then on nothing is missed. */
async function watch(lastEventId?: string) {
  const seen = { text: '', hasEnded: false };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${OPERATOR_KEY}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    const request = http.get(`${engine.baseUrl}/ops/events`, { headers, agent: false }, resolve).on('error', reject);
    watchers.push(request);
  });
  response.setEncoding('utf8').on('data', (text: string) => {
    seen.text += text;
  });
  response.on('close', () => {
    seen.hasEnded = true;
  });
  response.on('error', () => undefined);
  // Behind the last blank line stands what has not come as a whole.
  const told = (): Told[] =>
    seen.text
      .split('\n\n')
      .slice(0, -1)
      .flatMap((block) => {
        const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? [];
        return id === undefined || event === undefined || data === undefined
          ? []
          : [{ id, event, data: JSON.parse(data) }];
      });
  return { response, seen, told, leave: () => response.destroy() };
}

let count = 0;
function change(encounter?: string): Promise<string> {
  count += 1;
  return aQueuedRun(engine.stores, { encounter: encounter ?? `Encounter/n-${count}` });
}

/** Time passes in the store, too. */
function at(second: number): void {
  engine.setTime(`2026-11-21T08:00:${String(second).padStart(2, '0')}.000Z`);
}

describe('whoever watches', () => {
  test('is told what changes from then on, and nothing that was before', async () => {
    await change('Encounter/before');
    at(1);
    const { response, told } = await watch();
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const id = await change('Encounter/after');
    await until(() => told().length > 0);
    const [first] = told();
    expect(runEvent.safeParse(first?.data).error?.issues).toBeUndefined();
    expect(first).toEqual({
      id: `2026-11-21T08:00:01.000Z_${id}`,
      event: 'run',
      data: {
        id,
        site: 'mercy',
        encounter: 'Encounter/after',
        status: 'queued',
        changedAt: '2026-11-21T08:00:01.000Z',
      },
    });
  });

  test('is told each change once, with others who watch', async () => {
    const [one, other] = [await watch(), await watch()];
    const ids: string[] = [];
    for (let second = 1; second <= 8; second += 1) {
      at(second);
      ids.push(await change());
    }
    await until(() => one.told().length >= 8 && other.told().length >= 8);
    for (const { told } of [one, other]) expect(told().map(({ data }) => data['id'])).toEqual(ids);
  });

  test('is told of the same run again, when it is another state', async () => {
    const { told } = await watch();
    const run = await aKeptRun(engine.stores, { session: 's-1', end: HELD });
    await until(() => told().some(({ data }) => data['status'] === 'held'));
    expect(told().at(-1)?.data).toMatchObject({ id: run.id, status: 'held', reason: 'review' });
  });

  test('is told how soon to come back, should the connection break', async () => {
    const { seen } = await watch();
    await until(() => /^retry: \d{4}\n\n/.test(seen.text));
  });

  test('sees nothing of a patient but ids', async () => {
    const { seen, told } = await watch();
    await aKeptRun(engine.stores, { session: 's-1', end: HELD });
    await until(() => told().length > 0);
    expect(seen.text).not.toMatch(/message|transcript|note|Patient\//);
  });
});

describe('whoever comes back', () => {
  test('misses nothing of what was meanwhile', async () => {
    const first = await watch();
    at(1);
    await change();
    await until(() => first.told().length === 1);
    const last = first.told()[0]?.id;
    first.leave();
    const missed: string[] = [];
    for (let second = 2; second <= 9; second += 1) {
      at(second);
      missed.push(await change());
    }
    const again = await watch(last);
    at(10);
    const live = await change();
    await until(() => again.told().some(({ data }) => data['id'] === live));
    const told = again.told().map(({ data }) => data['id']);
    expect(told.filter((id) => missed.includes(id ?? '') || id === live)).toEqual([...missed, live]);
  });

  test('gets thousands of them, in their order', async () => {
    const first = await watch();
    at(1);
    await change();
    await until(() => first.told().length === 1);
    const last = first.told()[0]?.id;
    first.leave();
    for (let n = 0; n < 1_200; n += 1) {
      at(2 + Math.floor(n / 100));
      await change();
    }
    const again = await watch(last);
    await until(() => again.told().length >= 1_200);
    const times = again.told().map(({ data }) => data['changedAt'] ?? '');
    expect(times).toEqual(times.toSorted());
    expect(new Set(again.told().map(({ data }) => data['id'])).size).toBeGreaterThanOrEqual(1_200);
  });

  test.each(['7', 'nonsense', '2026-99-99T00:00:00.000Z_00000000-0000-4000-8000-00000000dead'])(
    'with %s is refused: it was never sent',
    async (id) => {
      expect((await watch(id)).response.statusCode).toBe(400);
    },
  );
});

/** A stream of its own, with a feed that the test plays. */
async function aStream(limits: Partial<EventsLimits>) {
  const listeners: RunListener[] = [];
  const state = { left: 0 };
  const handle = makeEventsHandler({
    runFeed: {
      join: async (listener) => {
        listeners.push(listener);
        return () => {
          state.left += 1;
        };
      },
      since: async function* () {},
      stop: () => undefined,
    },
    runtime: makeFakeRuntime(),
    limits: { heartbeatMs: 60_000, maxBufferedBytes: 1_048_576, stalledMs: 60_000, ...limits },
  });
  const server = http.createServer(express().use(handle)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const request = http.get({ port, agent: false });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  const tell = (times: number) => {
    for (let n = 0; n < times; n += 1) for (const listener of listeners) listener.send(aChange(n));
  };
  const stop = () => {
    request.destroy();
    server.close();
    server.closeAllConnections();
  };
  return { response, state, tell, stop };
}

function aChange(n: number): RunChange {
  const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  return {
    id,
    site: 'mercy',
    encounter: `Encounter/${n}`,
    status: 'queued',
    changedAt: new Date(1_772_445_600_000 + n),
  };
}

describe('a watcher', () => {
  test('who reads nothing is dropped, before much of it waits for them', async () => {
    const { response, state, tell, stop } = await aStream({});
    response.pause();
    await until(() => {
      tell(2_000);
      return state.left === 1;
    });
    stop();
  });

  test('whose line stands still is dropped after a time, however little waits', async () => {
    const { response, state, tell, stop } = await aStream({ stalledMs: 20, maxBufferedBytes: 1_000_000_000 });
    response.pause();
    await until(() => {
      if (state.left === 0) tell(200);
      return state.left === 1;
    });
    stop();
  });

  test('to whom nothing is to be told hears that the line is up', async () => {
    const { response, stop } = await aStream({ heartbeatMs: 5 });
    let text = '';
    response.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
    await until(() => text.includes(': still here\n\n'));
    stop();
  });
});

describe('the stream', () => {
  test('takes so many watchers, and has room again when one leaves', async () => {
    const [first] = [await watch(), await watch(), await watch()];
    const refused = await watch();
    expect([refused.response.statusCode, refused.response.headers['retry-after']]).toEqual([503, '30']);
    first?.leave();
    await until(async () => {
      const next = await watch();
      return next.response.statusCode === 200;
    });
  });

  test('ends when the engine stops, and takes nobody then', async () => {
    const { seen } = await watch();
    engine.beginStop();
    await until(() => seen.hasEnded);
    expect((await watch()).response.statusCode).toBe(503);
  });

  test('answers a question for its head alone, and is not asked with other words', async () => {
    const { status, headers } = await askOps(engine, 'HEAD /events');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect((await askOps(engine, 'GET /events?site=mercy')).status).toBe(400);
  });
});
