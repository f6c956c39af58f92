// GET /ops/events: changes of runs are sent to all watchers and to clients that reconnect.
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import { PERMISSIONS } from '../../../../src/domain/people/permissions.ts';
import { type EventsLimits, makeEventsHandler } from '../../../../src/inbound/http/ops/ops-events-stream.ts';
import type { RunListener } from '../../../../src/inbound/http/ops/ops-runs-feed.ts';
import type { RunChange } from '../../../../src/ports/runs.ts';
import { runEvent } from '../../../../src/wire/run.ts';
import { makeFakeRuntime } from '../../../fakes/runtime.ts';
import { OPERATOR } from '../../../support/access.ts';
import { aKeptRun, aQueuedRun, HELD } from '../../../support/stored-runs.ts';
import { until } from '../../../support/until.ts';
import { askOps } from './ops-asking.ts';
import { aToken } from './ops-callers.ts';
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

type ReceivedEvent = { readonly id: string; readonly event: string; readonly data: Record<string, string> };

/** Resolves when the headers have arrived; from then on no change is missed. */
async function watch(lastEventId?: string, key = OPERATOR_KEY) {
  const seen = { text: '', hasEnded: false };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
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
  // The text after the last blank line is an incomplete event.
  const received = (): ReceivedEvent[] =>
    seen.text
      .split('\n\n')
      .slice(0, -1)
      .flatMap((block) => {
        const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? [];
        return id === undefined || event === undefined || data === undefined
          ? []
          : [{ id, event, data: JSON.parse(data) }];
      });
  return { response, seen, received, leave: () => response.destroy() };
}

let count = 0;
function change(encounter?: string): Promise<string> {
  count += 1;
  return aQueuedRun(engine.stores, { encounter: encounter ?? `Encounter/n-${count}` });
}

/** Also advances the time of the store. */
function at(second: number): void {
  engine.setTime(`2026-11-21T08:00:${String(second).padStart(2, '0')}.000Z`);
}

describe('a client that watches runs', () => {
  it('receives changes from then on, and no earlier ones', async () => {
    await change('Encounter/before');
    at(1);
    const { response, received } = await watch();
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const id = await change('Encounter/after');
    await until(() => received().length > 0);
    const [first] = received();
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

  it('receives each change once, beside other watchers', async () => {
    const [one, other] = [await watch(), await watch()];
    const ids: string[] = [];
    for (let second = 1; second <= 8; second += 1) {
      at(second);
      ids.push(await change());
    }
    await until(() => one.received().length >= 8 && other.received().length >= 8);
    for (const { received } of [one, other]) expect(received().map(({ data }) => data['id'])).toEqual(ids);
  });

  it('receives the same run again when its state changes', async () => {
    const { received } = await watch();
    const run = await aKeptRun(engine.stores, { session: 's-1', end: HELD });
    await until(() => received().some(({ data }) => data['status'] === 'held'));
    expect(received().at(-1)?.data).toMatchObject({ id: run.id, status: 'held', reason: 'review' });
  });

  it('receives the delay after which to reconnect', async () => {
    const { seen } = await watch();
    await until(() => /^retry: \d{4}\n\n/.test(seen.text));
  });

  it('receives no patient data except ids', async () => {
    const { seen, received } = await watch();
    await aKeptRun(engine.stores, { session: 's-1', end: HELD });
    await until(() => received().length > 0);
    expect(seen.text).not.toMatch(/message|transcript|note|Patient\//);
  });
});

describe('a client that reconnects', () => {
  it('receives the changes that it has missed', async () => {
    const first = await watch();
    at(1);
    await change();
    await until(() => first.received().length === 1);
    const last = first.received()[0]?.id;
    first.leave();
    const missed: string[] = [];
    for (let second = 2; second <= 9; second += 1) {
      at(second);
      missed.push(await change());
    }
    const again = await watch(last);
    at(10);
    const live = await change();
    await until(() => again.received().some(({ data }) => data['id'] === live));
    const received = again.received().map(({ data }) => data['id']);
    expect(received.filter((id) => missed.includes(id ?? '') || id === live)).toEqual([...missed, live]);
  });

  it('receives thousands of missed changes in their order', async () => {
    const first = await watch();
    at(1);
    await change();
    await until(() => first.received().length === 1);
    const last = first.received()[0]?.id;
    first.leave();
    for (let n = 0; n < 1_200; n += 1) {
      at(2 + Math.floor(n / 100));
      await change();
    }
    const again = await watch(last);
    await until(() => again.received().length >= 1_200);
    const times = again.received().map(({ data }) => data['changedAt'] ?? '');
    expect(times).toEqual(times.toSorted());
    expect(new Set(again.received().map(({ data }) => data['id'])).size).toBeGreaterThanOrEqual(1_200);
  });

  it.each(['7', 'nonsense', '2026-99-99T00:00:00.000Z_00000000-0000-4000-8000-00000000dead'])(
    'is refused with the Last-Event-ID %s, which was never sent',
    async (id) => {
      expect((await watch(id)).response.statusCode).toBe(400);
    },
  );
});

/** A separate stream with a feed that the test controls. */
async function aStream(limits: Partial<EventsLimits>, caller: { readonly isGone: boolean } = { isGone: false }) {
  const listeners: RunListener[] = [];
  const state = { left: 0 };
  const handle = makeEventsHandler({
    runFeed: {
      join: async (_scope, listener) => {
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
  const server = http.createServer(express().use(asOperator(caller), handle)).listen(0, '127.0.0.1');
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

/** As ops-caller.ts leaves it. */
function asOperator(caller: { readonly isGone: boolean }): RequestHandler {
  return (_req, res, next) => {
    const permission = PERMISSIONS['GET /events'];
    const identifyAgain = async () => (caller.isGone ? undefined : OPERATOR.caller);
    Object.assign(res.locals, { access: OPERATOR, permission, identifyAgain });
    next();
  };
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

describe('a watcher of one site', () => {
  it('receives no change of another site, live or after a reconnection', async () => {
    at(1);
    const own = await change('Encounter/own');
    const foreign = await aQueuedRun(engine.stores, { site: 'general', encounter: 'Encounter/foreign' });
    const { key } = await aToken(engine, { grants: [{ role: 'viewer', site: 'mercy' }] });
    const again = await watch(`2026-11-21T08:00:00.000Z_${foreign}`, key);
    await until(() => again.received().length > 0);
    at(2);
    await aQueuedRun(engine.stores, { site: 'general', encounter: 'Encounter/later' });
    const last = await change('Encounter/last');
    await until(() => again.received().length > 1);
    expect(again.received().map(({ data }) => data['id'])).toEqual([own, last]);
    expect(again.seen.text).not.toMatch(/foreign|later|general/);
  });

  it('is one with a role for a site: an auditor receives nothing', async () => {
    const { key } = await aToken(engine, { grants: [{ role: 'auditor', site: 'mercy' }] });
    expect((await watch(undefined, key)).response.statusCode).toBe(403);
  });
});

describe('a watcher whose session has ended', () => {
  it('is disconnected at the next heartbeat, and one with a session is not', async () => {
    const caller = { isGone: false };
    const { response, state, tell, stop } = await aStream({ heartbeatMs: 5 }, caller);
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    await until(() => text.split('still here').length > 5);
    expect(state.left).toBe(0);
    caller.isGone = true;
    await until(() => state.left === 1 && response.complete);
    tell(1);
    stop();
  });
});

describe('a slow watcher', () => {
  it('is disconnected before many unread bytes wait for it', async () => {
    const { response, state, tell, stop } = await aStream({});
    response.pause();
    await until(() => {
      tell(2_000);
      return state.left === 1;
    });
    stop();
  });

  it('that reads nothing is disconnected after a time, however few bytes wait', async () => {
    const { response, state, tell, stop } = await aStream({ stalledMs: 20, maxBufferedBytes: 1_000_000_000 });
    response.pause();
    await until(() => {
      if (state.left === 0) tell(200);
      return state.left === 1;
    });
    stop();
  });

  it('receives heartbeats while there are no changes', async () => {
    const { response, stop } = await aStream({ heartbeatMs: 5 });
    let text = '';
    response.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
    await until(() => text.includes(': still here\n\n'));
    stop();
  });
});

describe('the stream of changes', () => {
  it('accepts a limited number of watchers, and another one when one leaves', async () => {
    const [first] = [await watch(), await watch(), await watch()];
    const refused = await watch();
    expect([refused.response.statusCode, refused.response.headers['retry-after']]).toEqual([503, '30']);
    first?.leave();
    await until(async () => {
      const next = await watch();
      return next.response.statusCode === 200;
    });
  });

  it('ends when the engine stops, and accepts no watchers then', async () => {
    const { seen } = await watch();
    engine.beginStop();
    await until(() => seen.hasEnded);
    expect((await watch()).response.statusCode).toBe(503);
  });

  it('answers HEAD, and refuses query parameters', async () => {
    const { status, headers } = await askOps(engine, 'HEAD /events');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect((await askOps(engine, 'GET /events?site=mercy')).status).toBe(400);
  });
});
