// The feed scheduler: which task runs when and in which engine, and that no site delays another.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import type { EventSettings } from '../../../src/domain/site/site.ts';
import type { SubscriptionReport } from '../../../src/flows/feeds/maintain-subscription.ts';
import { type FeedScheduler, type FeedTask, startFeedScheduler } from '../../../src/inbound/clock/feed-scheduler.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { makeFakeFeeds } from '../../fakes/feeds.ts';
import { makeFakeLedger } from '../../fakes/ledger.ts';
import { aSite } from '../../support/chart-facts.ts';
import { until } from '../../support/until.ts';

const SECOND_MS = 1000;
const WELL: SubscriptionReport = { state: 'active', mustSearch: false, warnings: [] };
const FOUND = { found: 0, accepted: 0, repeated: 0, isComplete: true, refused: [] };

/** Pauses end when the test calls `pass`, which moves the clock. */
function makeClock() {
  let nowMs = Date.parse('2026-11-21T08:00:00Z');
  const waiting = new Set<() => void>();
  return {
    now: () => new Date(nowMs),
    monotonicMs: () => nowMs,
    pause: (_: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        waiting.add(resolve);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    /** Moves the clock second by second; each engine polls in each second. */
    async pass(ms: number, engines = 1) {
      for (let passedMs = 0; passedMs <= ms; passedMs += SECOND_MS) {
        await until(() => waiting.size >= engines);
        const due = [...waiting];
        waiting.clear();
        nowMs += SECOND_MS;
        for (const go of due) go();
        // Started tasks run, and each engine is in its pause again.
        for (let turns = 0; turns < 4; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      await until(() => waiting.size >= engines);
    },
  };
}

function siteNamed(name: string, events: EventSettings = {}, mode: 'live' | 'off' = 'live'): LoadedSite {
  const site = aSite();
  return { ...site, name, settings: { ...site.settings, mode, events } };
}

type Does = Partial<Record<FeedTask, (site: string, signal: AbortSignal) => Promise<object | undefined>>>;

function aLab(initial: readonly LoadedSite[]) {
  const clock = makeClock();
  const ledger = makeFakeLedger({ now: clock.now });
  const feeds = makeFakeFeeds({ now: clock.now });
  const done: string[] = [];
  const told: string[] = [];
  let sites = initial;
  let engines = 0;
  return {
    clock,
    ledger,
    feeds,
    done,
    told,
    setSites: (changed: readonly LoadedSite[]) => {
      sites = changed;
    },
    count: (task: FeedTask, site = 'mercy') => done.filter((one) => one.endsWith(`${task} at ${site}`)).length,
    start(does: Does = {}): FeedScheduler {
      engines += 1;
      const engine = engines;
      const act = async (task: FeedTask, site: string, signal: AbortSignal) => {
        done.push(`${engine}: ${task} at ${site}`);
        return (await does[task]?.(site, signal)) ?? {};
      };
      return startFeedScheduler({
        sites: {
          current: () => ({
            sites: new Map(sites.map((site) => [site.name, site])),
            problems: [],
            stale: new Set(),
            unavailable: new Set(),
          }),
        },
        ledger,
        feeds,
        maintainSubscription: async ({ site }, signal) => ({
          ...WELL,
          ...(await act('subscription', site.name, signal)),
        }),
        catchUp: async ({ site }, signal) => ({ ...FOUND, ...(await act('catch-up', site.name, signal)) }),
        pollSite: async ({ site }, signal) => ({ ...FOUND, ...(await act('poll', site.name, signal)) }),
        watchFeeds: async ({ site }, signal) => void (await act('watch', site.name, signal)),
        runtime: { ...clock, chance: () => 0, makeUuid: () => `engine ${engine}` },
        onFailed: (site, task) => void told.push(`${task} of ${site} failed`),
        onWarning: (site, warning) => void told.push(`${site}: ${warning}`),
      });
    },
  };
}

describe('the feed scheduler', () => {
  it('runs all tasks at the start, then the Subscription every minute and the search for missed events every five', async () => {
    const lab = aLab([siteNamed('mercy')]);
    const scheduler = lab.start();
    await lab.clock.pass(5 * SECOND_MS);
    expect(lab.done).toEqual(['1: subscription at mercy', '1: catch-up at mercy', '1: watch at mercy']);
    await lab.clock.pass(300 * SECOND_MS);
    expect([lab.count('subscription'), lab.count('catch-up'), lab.count('watch'), lab.count('poll')]).toEqual([
      6, 2, 6, 0,
    ]);
    await scheduler.stop();
  });

  it('polls at the interval of the site', async () => {
    const lab = aLab([siteNamed('mercy', { poll: { query: 'Encounter?', everyMs: 10_000 } })]);
    const scheduler = lab.start();
    await lab.clock.pass(61 * SECOND_MS);
    expect(lab.count('poll')).toBeGreaterThanOrEqual(6);
    expect(lab.count('poll')).toBeLessThanOrEqual(7);
    await scheduler.stop();
  });

  it('searches at once if events may be missing, and continues while a search is incomplete', async () => {
    const lab = aLab([siteNamed('mercy')]);
    let looks = 0;
    let passes = 0;
    const scheduler = lab.start({
      subscription: async () => {
        looks += 1;
        return { mustSearch: looks === 2 };
      },
      'catch-up': async () => {
        passes += 1;
        return { isComplete: passes > 3 };
      },
    });
    await lab.clock.pass(10 * SECOND_MS);
    expect(lab.count('catch-up')).toBe(4);
    await lab.clock.pass(60 * SECOND_MS);
    expect(lab.count('catch-up')).toBe(5);
    await scheduler.stop();
  });

  it('lets one of two engines work on a site; when it stops, the other takes over and searches for missed events', async () => {
    const lab = aLab([siteNamed('mercy')]);
    const [one, other] = [lab.start(), lab.start()];
    await lab.clock.pass(120 * SECOND_MS, 2);
    const by = (engine: number) => lab.done.filter((each) => each.startsWith(`${engine}:`)).length;
    expect([by(1) > 0, by(2)]).toEqual([true, 0]);
    await one.stop();
    await lab.clock.pass(30 * SECOND_MS);
    expect(lab.done).toContain('2: catch-up at mercy');
    await other.stop();
  });

  it('another engine takes over within a minute from an engine that was killed', async () => {
    const lab = aLab([siteNamed('mercy')]);
    await lab.ledger.acquire('mercy/feeds', 'an engine that was killed', 45_000);
    const scheduler = lab.start();
    await lab.clock.pass(30 * SECOND_MS);
    expect(lab.done).toEqual([]);
    await lab.clock.pass(30 * SECOND_MS);
    expect(lab.done).toContain('1: catch-up at mercy');
    await scheduler.stop();
  });

  it('an engine that lost a lease and gets it again searches for missed events first', async () => {
    const lab = aLab([siteNamed('mercy')]);
    const scheduler = lab.start();
    await lab.clock.pass(10 * SECOND_MS);
    await lab.ledger.release({ name: 'mercy/feeds', holder: 'feeds engine 1', fence: 1 });
    await lab.clock.pass(40 * SECOND_MS);
    expect(lab.count('catch-up')).toBe(2);
    await scheduler.stop();
  });

  it('a slow task of one site delays no other site and is not started twice', async () => {
    const lab = aLab([siteNamed('mercy'), siteNamed('st-mary')]);
    const held = Promise.withResolvers<undefined>();
    const scheduler = lab.start({
      'catch-up': (site) => (site === 'mercy' ? held.promise : Promise.resolve(undefined)),
    });
    await lab.clock.pass(320 * SECOND_MS);
    expect([lab.count('catch-up'), lab.count('catch-up', 'st-mary')]).toEqual([1, 2]);
    expect(lab.count('subscription')).toBeGreaterThan(4);
    held.resolve(undefined);
    await scheduler.stop();
  });

  it('a failing task is reported once until it succeeds again, and other tasks go on', async () => {
    const lab = aLab([siteNamed('mercy')]);
    let tries = 0;
    const scheduler = lab.start({
      subscription: async () => {
        tries += 1;
        if (tries !== 3) throw new AppError('ehrUnavailable', 'away');
        return {};
      },
    });
    await lab.clock.pass(245 * SECOND_MS);
    expect(tries).toBe(5);
    expect(lab.told).toEqual(['subscription of mercy failed', 'subscription of mercy failed']);
    expect(lab.count('watch')).toBe(5);
    await scheduler.stop();
  });

  it('a warning is reported once', async () => {
    const lab = aLab([siteNamed('mercy')]);
    const scheduler = lab.start({ subscription: async () => ({ warnings: ['PUBLIC_URL'] }) });
    await lab.clock.pass(130 * SECOND_MS);
    expect(lab.told).toEqual(['mercy: PUBLIC_URL']);
    await scheduler.stop();
  });

  it('changed settings make all tasks due', async () => {
    const lab = aLab([siteNamed('mercy')]);
    const scheduler = lab.start();
    await lab.clock.pass(10 * SECOND_MS);
    lab.setSites([{ ...siteNamed('mercy'), version: '2' }]);
    await lab.clock.pass(2 * SECOND_MS);
    expect(lab.count('subscription')).toBe(2);
    await scheduler.stop();
  });

  it('the lease of a removed site is released', async () => {
    const lab = aLab([siteNamed('mercy')]);
    const scheduler = lab.start();
    await lab.clock.pass(10 * SECOND_MS);
    lab.setSites([]);
    await lab.clock.pass(2 * SECOND_MS);
    expect(await lab.ledger.acquire('mercy/feeds', 'another engine', 1_000)).toBeDefined();
    await scheduler.stop();
  });

  it('a site that is off is not searched, and its events of that time are not searched for later', async () => {
    const lab = aLab([siteNamed('mercy', {}, 'off')]);
    const scheduler = lab.start();
    await lab.clock.pass(10 * SECOND_MS);
    expect(lab.count('catch-up')).toBe(0);
    expect((await lab.feeds.of('mercy'))[0]?.searchedUntil).toBeInstanceOf(Date);
    await scheduler.stop();
  });

  it('a stop aborts running tasks, waits for them and releases the lease', async () => {
    const lab = aLab([siteNamed('mercy')]);
    let hasEnded = false;
    const scheduler = lab.start({
      'catch-up': async (_, signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        await Promise.resolve();
        hasEnded = true;
        throw signal.reason;
      },
    });
    await lab.clock.pass(5 * SECOND_MS);
    await scheduler.stop();
    expect({ hasEnded, told: lab.told }).toEqual({ hasEnded: true, told: [] });
    expect(await lab.ledger.acquire('mercy/feeds', 'another engine', 1_000)).toBeDefined();
  });
});
