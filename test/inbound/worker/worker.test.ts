import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import type { DocumentSession, RunReport } from '../../../src/flows/document-session.ts';
import { startWorker, type Worker, type WorkerParts } from '../../../src/inbound/worker/worker.ts';
import { makeTracing } from '../../../src/platform/tracing/tracing.ts';
import type { Claim, ClaimOrder, Queue } from '../../../src/ports/queue.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { makeFakePauses } from '../../fakes/pauses.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { aLiveSite } from '../../support/chart-writing.ts';
import { until } from '../../support/until.ts';

const LEASE_MS = 20_000;

/** A run under way, which ends when the test ends it. */
type Begun = { readonly claim: Claim; readonly signal: AbortSignal; readonly end: () => void };

type WorkshopParts = {
  readonly size?: number;
  readonly sites?: readonly LoadedSite[];
  readonly queue?: (queue: Queue) => Queue;
  readonly documentSession?: DocumentSession;
  readonly runtime?: WorkerParts['runtime'];
};

const workers: Worker[] = [];

function aWorkshop({ size = 2, sites = [aLiveSite()], ...parts }: WorkshopParts = {}) {
  const runtime = makeFakeRuntime();
  const { inbox, queue, runs } = makeFakeRuns({ now: runtime.now });
  const pauses = makeFakePauses({ now: runtime.now });
  const orders: ClaimOrder[] = [];
  const begun: Begun[] = [];
  const reports: RunReport[] = [];
  const troubles: unknown[] = [];
  const given: Queue = parts.queue?.(queue) ?? queue;
  /** Works until the test ends it; an abort releases the run. */
  const waitForEnd: DocumentSession = async (claim, signal) => {
    const ending = Promise.withResolvers<void>();
    begun.push({ claim, signal, end: ending.resolve });
    signal.addEventListener('abort', () => ending.resolve(), { once: true });
    await ending.promise;
    const end = signal.aborted ? ({ status: 'queued' } as const) : ({ status: 'cancelled' } as const);
    const isOurs = await queue.leave(claim, end).then(
      () => true,
      () => false,
    );
    return isOurs ? { claim, end } : undefined;
  };
  const tracing = makeTracing();
  const start = (holder = 'testbed-1/start-1'): Worker => {
    const worker = startWorker({
      queue: {
        ...given,
        claim: (order) => {
          orders.push(order);
          return given.claim(order);
        },
      },
      documentSession: parts.documentSession ?? waitForEnd,
      sites: {
        current: () => ({
          sites: new Map(sites.map((site) => [site.name, site])),
          problems: [],
          stale: new Set(),
          unavailable: new Set(),
        }),
      },
      pauses,
      runtime: parts.runtime ?? runtime,
      tracing,
      holder,
      size,
      onReport: (report) => reports.push(report),
      onTrouble: (thrown) => troubles.push(thrown),
      leaseMs: LEASE_MS,
    });
    workers.push(worker);
    return worker;
  };
  const accept = async (...encounters: readonly string[]) => {
    for (const name of encounters) {
      await inbox.accept({
        site: 'mercy',
        organization: 'mercy-general',
        source: 'amqp',
        key: name,
        content: name,
        receivedAt: runtime.now(),
        encounters: [{ encounter: `Encounter/${name}`, isUrgent: false }],
        settleMs: 0,
      });
    }
  };
  /** Claims a run in another engine. */
  const claimElsewhere = () =>
    queue.claim({
      holder: 'testbed-2/start-1',
      limit: 10,
      leaseMs: LEASE_MS,
      sites: ['mercy'],
      intakeSites: ['mercy'],
    });
  const encounters = () => begun.map(({ claim }) => claim.run.encounter.replace('Encounter/', ''));
  return {
    ...{ runtime, queue, runs, pauses, orders, begun, reports, troubles },
    start,
    accept,
    claimElsewhere,
    encounters,
  };
}

/** A clock that only the test moves. */
function aStandingClock() {
  return {
    now: () => new Date(0),
    monotonicMs: () => 0,
    pause: (_ms: number, signal: AbortSignal) => {
      const { promise, reject } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      return promise;
    },
  };
}

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});

describe('the size of a worker', () => {
  it('processes as many runs as its size, and the next one when one of them ends', async () => {
    const shop = aWorkshop({ size: 2 });
    await shop.accept('a', 'b', 'c', 'd');
    const worker = shop.start();
    await until(() => shop.begun.length === 2);
    expect(worker.underWay()).toBe(2);
    shop.begun[0]?.end();
    await until(() => shop.begun.length === 3);
    expect(shop.encounters()).toEqual(['a', 'b', 'c']);
    expect(worker.underWay()).toBe(2);
    expect(shop.orders.every(({ limit }) => limit <= 2)).toBe(true);
  });

  it('claims nothing with a size of 0', async () => {
    const shop = aWorkshop({ size: 0 });
    await shop.accept('a');
    shop.start();
    await until(() => shop.runtime.monotonicMs() > 10_000);
    expect(shop.orders).toEqual([]);
  });

  it('an idle worker claims a new run at once when it is woken', async () => {
    const shop = aWorkshop({ runtime: aStandingClock() });
    const worker = shop.start();
    await until(() => shop.orders.length === 1);
    await shop.accept('a');
    worker.wake();
    await until(() => shop.begun.length === 1);
  });

  it('a worker that finds enough leaves runs whose time has come to its next look, and looks before it is idle', async () => {
    const shop = aWorkshop({ size: 1, runtime: aStandingClock() });
    for (const visit of ['a', 'b']) await shop.accept(visit);
    shop.start();
    await until(() => shop.begun.length === 1);
    shop.begun[0]?.end();
    await until(() => shop.begun.length === 2);
    shop.begun[1]?.end();
    await until(() => shop.orders.length === 4);
    expect(shop.orders.map(({ isAgain = false }) => isAgain)).toEqual([false, true, true, false]);
  });

  it('a wake during a claim is not lost', async () => {
    const asking = Promise.withResolvers<void>();
    let asked = 0;
    const shop = aWorkshop({
      runtime: aStandingClock(),
      queue: (queue) => ({
        ...queue,
        claim: async (order) => {
          asked += 1;
          const claims = await queue.claim(order);
          if (asked === 1) await asking.promise;
          return claims;
        },
      }),
    });
    const worker = shop.start();
    await until(() => asked === 1);
    await shop.accept('a');
    worker.wake();
    asking.resolve();
    await until(() => shop.begun.length === 1);
  });

  it('a run that another process has queued is found without a wake', async () => {
    const shop = aWorkshop();
    shop.start();
    await until(() => shop.orders.length > 3);
    await shop.accept('a');
    await until(() => shop.begun.length === 1);
    expect(shop.runtime.pauses).toContain(500);
  });
});

describe('runs under way', () => {
  it('the worker renews its leases, so that no other engine gets its runs', async () => {
    const shop = aWorkshop();
    await shop.accept('a', 'b');
    shop.start();
    await until(() => shop.begun.length === 2);
    const begunAtMs = shop.runtime.monotonicMs();
    await until(() => shop.runtime.monotonicMs() > begunAtMs + 5 * LEASE_MS);
    expect(await shop.claimElsewhere()).toEqual([]);
    expect(shop.begun.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  });

  it('a run that another engine has taken over is stopped, and the others go on', async () => {
    const shop = aWorkshop();
    await shop.accept('a', 'b');
    shop.start();
    await until(() => shop.begun.length === 2);
    await shop.queue.reclaim('testbed-1');
    const [lost] = await shop.queue.claim({
      holder: 'testbed-2/start-1',
      limit: 1,
      leaseMs: 1_000_000,
      sites: ['mercy'],
      intakeSites: ['mercy'],
    });
    expect(lost?.run.encounter).toBe('Encounter/a');
    await until(() => shop.begun[0]?.signal.aborted === true);
    expect(shop.begun[0]?.signal.reason).toMatchObject({ code: 'inUse' });
    expect(shop.begun[1]?.signal.aborted).toBe(false);
    expect(await shop.runs.find(lost?.run.id ?? '', 'all')).toMatchObject({ status: 'running' });
  });

  it('a process that was blocked and claims its own run again processes it once and keeps it', async () => {
    const shop = aWorkshop();
    await shop.accept('a');
    const worker = shop.start();
    await until(() => shop.begun.length === 1);
    await until(() => {
      // A worker that renews its lease first does not lose the run, so it is blocked once more.
      if (shop.begun.length === 1) shop.runtime.advance(90_000);
      return shop.begun.length === 2;
    });
    expect(shop.begun[0]?.signal.reason).toMatchObject({ code: 'inUse' });
    const [first, second] = shop.begun;
    expect(second?.claim.fence).toBeGreaterThan(first?.claim.fence ?? 0);
    const begunAtMs = shop.runtime.monotonicMs();
    await until(() => shop.runtime.monotonicMs() > begunAtMs + 5 * LEASE_MS);
    expect(worker.underWay()).toBe(1);
    expect(await shop.claimElsewhere()).toEqual([]);
    expect(shop.begun).toHaveLength(2);
  });

  it('the end of each run is reported, except of a run that was taken over', async () => {
    const shop = aWorkshop();
    await shop.accept('a', 'b');
    shop.start();
    await until(() => shop.begun.length === 2);
    await shop.queue.leave(shop.begun[1]?.claim as Claim, { status: 'cancelled' });
    for (const { end } of shop.begun) end();
    await until(() => shop.reports.length === 1);
    expect(shop.reports[0]?.claim.run.encounter).toBe('Encounter/a');
    expect(shop.troubles).toEqual([]);
  });
});

describe('the stop of a worker', () => {
  it('releases unfinished runs and claims no more', async () => {
    const shop = aWorkshop();
    await shop.accept('a', 'b', 'c');
    const worker = shop.start();
    await until(() => shop.begun.length === 2);
    await worker.stop();
    expect(shop.begun.map(({ signal }) => signal.reason.code)).toEqual(['shuttingDown', 'shuttingDown']);
    expect(worker.underWay()).toBe(0);
    const { runs } = await shop.runs.list({ scope: 'all', limit: 10 });
    expect(runs.map(({ status, crashes }) => [status, crashes])).toEqual([
      ['queued', 0],
      ['queued', 0],
      ['queued', 0],
    ]);
    const asked = shop.orders.length;
    worker.wake();
    await shop.accept('d');
    expect(shop.orders).toHaveLength(asked);
  });

  it('waits until the work under way has ended', async () => {
    const ending = Promise.withResolvers<void>();
    const shop = aWorkshop({ documentSession: () => ending.promise.then(() => undefined) });
    await shop.accept('a');
    const worker = shop.start();
    await until(() => worker.underWay() === 1);
    let hasStopped = false;
    const stopping = worker.stop().then(() => {
      hasStopped = true;
    });
    await until(() => shop.runtime.pauses.length > 0);
    expect(hasStopped).toBe(false);
    ending.resolve();
    await stopping;
  });
});

describe('a worker without its database', () => {
  const away = () => Promise.reject(new AppError('overloaded', 'The database cannot be reached'));

  it('pauses, reports the problem, and continues when the database is back', async () => {
    let asked = 0;
    const shop = aWorkshop({
      queue: (queue) => ({
        ...queue,
        claim: (order) => {
          asked += 1;
          return asked < 4 ? away() : queue.claim(order);
        },
      }),
    });
    await shop.accept('a');
    shop.start();
    await until(() => shop.begun.length === 1);
    expect(shop.troubles).toHaveLength(3);
    expect(shop.runtime.pauses.filter((ms) => ms === 2_000)).toHaveLength(3);
  });

  it('renews its leases when the database is back, so that its runs go on', async () => {
    let asked = 0;
    const shop = aWorkshop({
      queue: (queue) => ({
        ...queue,
        renewLeases: (order) => {
          asked += 1;
          return asked < 3 ? away() : queue.renewLeases(order);
        },
      }),
    });
    await shop.accept('a');
    shop.start();
    await until(() => asked > 3);
    expect(shop.troubles).toHaveLength(2);
    expect(shop.begun[0]?.signal.aborted).toBe(false);
    expect(await shop.claimElsewhere()).toEqual([]);
  });

  it('keeps its runs when the database was away for longer than a lease, and counts no crash of them', async () => {
    let isAway = false;
    let claims = 0;
    const shop = aWorkshop({
      queue: (queue) => ({
        ...queue,
        claim: (order) => {
          claims += 1;
          return isAway ? away() : queue.claim(order);
        },
        renewLeases: (order) => (isAway ? away() : queue.renewLeases(order)),
      }),
      runtime: {
        now: () => shop.runtime.now(),
        monotonicMs: () => shop.runtime.monotonicMs(),
        // The database is back just before the next claim, and not before a renewal that was due anyway.
        async pause(ms, signal) {
          await shop.runtime.pause(ms, signal);
          if (!isAway || ms !== 500 || shop.troubles.length < 3) return;
          shop.runtime.advance(3 * LEASE_MS);
          isAway = false;
        },
      },
    });
    await shop.accept('a');
    shop.start();
    await until(() => shop.begun.length === 1);
    isAway = true;
    await until(() => !isAway);
    const before = claims;
    await until(() => claims > before + 2);
    expect(shop.begun).toHaveLength(1);
    expect(shop.begun[0]?.signal.aborted).toBe(false);
    expect(await shop.runs.find(shop.begun[0]?.claim.run.id ?? '', 'all')).toMatchObject({
      status: 'running',
      crashes: 0,
    });
  });

  it('reports a run that could not be released and starts the next one', async () => {
    let failures = 0;
    const shop = aWorkshop({
      size: 1,
      documentSession: () => {
        failures += 1;
        return Promise.reject(new AppError('overloaded', 'The database cannot be reached'));
      },
    });
    await shop.accept('a', 'b');
    shop.start();
    await until(() => failures >= 2);
    await until(() => shop.troubles.length >= 2);
    expect(shop.troubles[0]).toMatchObject({ code: 'overloaded' });
  });
});

describe('sites whose runs must wait', () => {
  const named = (name: string, mode: 'live' | 'off'): LoadedSite => {
    const site = aLiveSite({ name });
    return { ...site, settings: { ...site.settings, mode } };
  };

  it('a site that is off or paused keeps its runs; a site with paused intake resolves no encounters', async () => {
    const sites = [named('live', 'live'), named('off', 'off'), named('paused', 'live'), named('intake', 'live')];
    const shop = aWorkshop({ sites });
    await shop.pauses.pause('paused', 'all', 'moving testbed');
    await shop.pauses.pause('intake', 'intake', 'moving testbed');
    await shop.pauses.pause('live', 'write', 'upgrade');
    shop.start();
    await until(() => shop.orders.length > 0);
    expect(shop.orders[0]).toMatchObject({ sites: ['live', 'intake'], intakeSites: ['live'] });
  });

  it('the queue is not read while no site may run, until one is resumed', async () => {
    const shop = aWorkshop();
    await shop.pauses.pause('mercy', 'all', 'moving testbed');
    await shop.accept('a');
    shop.start();
    await until(() => shop.runtime.pauses.length > 3);
    expect(shop.orders).toEqual([]);
    await shop.pauses.resume('mercy', 'all');
    await until(() => shop.begun.length === 1);
  });
});

describe('runs that were under way in a crash', () => {
  /** Simulates a crash with all these runs under way. */
  const crash = async ({ claimElsewhere, queue }: ReturnType<typeof aWorkshop>) => {
    await claimElsewhere();
    await queue.reclaim('testbed-2');
  };

  it('are processed together after their first crash', async () => {
    const shop = aWorkshop({ size: 3 });
    await shop.accept('a', 'b');
    await crash(shop);
    shop.start();
    await until(() => shop.begun.length === 2);
    expect(shop.begun.map(({ claim }) => claim.run.crashes)).toEqual([1, 1]);
  });

  it('are processed one after another after their second crash, and delay no new runs', async () => {
    const shop = aWorkshop({ size: 3 });
    await shop.accept('a', 'b');
    await crash(shop);
    await crash(shop);
    await shop.accept('new', 'newer');
    const worker = shop.start();
    await until(() => shop.begun.length === 3);
    expect(shop.encounters()).toEqual(['a', 'new', 'newer']);
    const atMs = shop.runtime.monotonicMs();
    await until(() => shop.runtime.monotonicMs() > atMs + 60_000);
    expect(worker.underWay()).toBe(3);
    const { runs } = await shop.runs.list({ scope: 'all', limit: 10 });
    const waiting = runs.find(({ encounter }) => encounter === 'Encounter/b');
    expect(waiting).toMatchObject({ crashes: 2, tries: 0 });
    shop.begun[1]?.end();
    shop.begun[0]?.end();
    await until(() => shop.begun.length === 4);
    expect(shop.encounters().at(-1)).toBe('b');
  });

  it('are not processed together with a run that has one crash left', async () => {
    const shop = aWorkshop({ size: 3 });
    await shop.accept('twice');
    await crash(shop);
    await shop.accept('once');
    await crash(shop);
    const worker = shop.start();
    await until(() => shop.begun.length === 1);
    const atMs = shop.runtime.monotonicMs();
    await until(() => shop.runtime.monotonicMs() > atMs + 60_000);
    expect(worker.underWay()).toBe(1);
    shop.begun[0]?.end();
    await until(() => shop.begun.length === 2);
    expect(shop.encounters().toSorted()).toEqual(['once', 'twice']);
  });
});
