// The rounds that look after feeds: what is done when, by which engine, and that no site waits for another.
import { describe, expect, test } from '@jest/globals';
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

/** Pauses end when the test says so, and the clock goes with them. */
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
    /** Second by second: everybody has looked at each of them. */
    async pass(ms: number, engines = 1) {
      for (let passedMs = 0; passedMs <= ms; passedMs += SECOND_MS) {
        await until(() => waiting.size >= engines);
        const due = [...waiting];
        waiting.clear();
        nowMs += SECOND_MS;
        for (const go of due) go();
        // What was begun has had its turn, and everybody waits again.
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

describe('the rounds that look after feeds', () => {
  test('do everything at the start, then the Subscription each minute and catching up each five', async () => {
    const lab = aLab([siteNamed('mercy')]);
    const rounds = lab.start();
    await lab.clock.pass(5 * SECOND_MS);
    expect(lab.done).toEqual(['1: subscription at mercy', '1: catch-up at mercy', '1: watch at mercy']);
    await lab.clock.pass(300 * SECOND_MS);
    expect([lab.count('subscription'), lab.count('catch-up'), lab.count('watch'), lab.count('poll')]).toEqual([
      6, 2, 6, 0,
    ]);
    await rounds.stop();
  });

  test('poll as often as the site says', async () => {
    const lab = aLab([siteNamed('mercy', { poll: { query: 'Encounter?', everyMs: 10_000 } })]);
    const rounds = lab.start();
    await lab.clock.pass(61 * SECOND_MS);
    expect(lab.count('poll')).toBeGreaterThanOrEqual(6);
    expect(lab.count('poll')).toBeLessThanOrEqual(7);
    await rounds.stop();
  });

  test('search at once where something may have been missed, and go on where there is more', async () => {
    const lab = aLab([siteNamed('mercy')]);
    let looks = 0;
    let passes = 0;
    const rounds = lab.start({
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
    await rounds.stop();
  });

  test('of two engines one looks after a site; when it stops, the other does, and catches up first', async () => {
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

  test('an engine that dies without a word is followed within a minute', async () => {
    const lab = aLab([siteNamed('mercy')]);
    await lab.ledger.acquire('mercy/feeds', 'an engine that was killed', 45_000);
    const rounds = lab.start();
    await lab.clock.pass(30 * SECOND_MS);
    expect(lab.done).toEqual([]);
    await lab.clock.pass(30 * SECOND_MS);
    expect(lab.done).toContain('1: catch-up at mercy');
    await rounds.stop();
  });

  test('an engine that lost a site and gets it again catches up first: nobody may have looked meanwhile', async () => {
    const lab = aLab([siteNamed('mercy')]);
    const rounds = lab.start();
    await lab.clock.pass(10 * SECOND_MS);
    await lab.ledger.release({ name: 'mercy/feeds', holder: 'feeds engine 1', fence: 1 });
    await lab.clock.pass(40 * SECOND_MS);
    expect(lab.count('catch-up')).toBe(2);
    await rounds.stop();
  });

  test('one site that takes long keeps no other waiting, and is not begun twice', async () => {
    const lab = aLab([siteNamed('mercy'), siteNamed('st-mary')]);
    const held = Promise.withResolvers<undefined>();
    const rounds = lab.start({ 'catch-up': (site) => (site === 'mercy' ? held.promise : Promise.resolve(undefined)) });
    await lab.clock.pass(320 * SECOND_MS);
    expect([lab.count('catch-up'), lab.count('catch-up', 'st-mary')]).toEqual([1, 2]);
    expect(lab.count('subscription')).toBeGreaterThan(4);
    held.resolve(undefined);
    await rounds.stop();
  });

  test('a trouble is told once until it works again, and the rest goes on', async () => {
    const lab = aLab([siteNamed('mercy')]);
    let tries = 0;
    const rounds = lab.start({
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
    await rounds.stop();
  });

  test('a warning is told once', async () => {
    const lab = aLab([siteNamed('mercy')]);
    const rounds = lab.start({ subscription: async () => ({ warnings: ['PUBLIC_URL'] }) });
    await lab.clock.pass(130 * SECOND_MS);
    expect(lab.told).toEqual(['mercy: PUBLIC_URL']);
    await rounds.stop();
  });

  test('a change of the settings is looked at at once', async () => {
    const lab = aLab([siteNamed('mercy')]);
    const rounds = lab.start();
    await lab.clock.pass(10 * SECOND_MS);
    lab.setSites([{ ...siteNamed('mercy'), version: '2' }]);
    await lab.clock.pass(2 * SECOND_MS);
    expect(lab.count('subscription')).toBe(2);
    await rounds.stop();
  });

  test('a site that is gone is left to whoever comes', async () => {
    const lab = aLab([siteNamed('mercy')]);
    const rounds = lab.start();
    await lab.clock.pass(10 * SECOND_MS);
    lab.setSites([]);
    await lab.clock.pass(2 * SECOND_MS);
    expect(await lab.ledger.acquire('mercy/feeds', 'another engine', 1_000)).toBeDefined();
    await rounds.stop();
  });

  test('of a site that is off nothing is searched for, and later not what happened meanwhile', async () => {
    const lab = aLab([siteNamed('mercy', {}, 'off')]);
    const rounds = lab.start();
    await lab.clock.pass(10 * SECOND_MS);
    expect(lab.count('catch-up')).toBe(0);
    expect((await lab.feeds.of('mercy'))[0]?.searchedUntil).toBeInstanceOf(Date);
    await rounds.stop();
  });

  test('end at a stop: what is under way is told to, and waited for, and the site is free', async () => {
    const lab = aLab([siteNamed('mercy')]);
    let hasEnded = false;
    const rounds = lab.start({
      'catch-up': async (_, signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        await Promise.resolve();
        hasEnded = true;
        throw signal.reason;
      },
    });
    await lab.clock.pass(5 * SECOND_MS);
    await rounds.stop();
    expect({ hasEnded, told: lab.told }).toEqual({ hasEnded: true, told: [] });
    expect(await lab.ledger.acquire('mercy/feeds', 'another engine', 1_000)).toBeDefined();
  });
});
