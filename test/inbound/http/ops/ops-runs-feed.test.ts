// How changes of runs are looked for: only while somebody listens, without a miss and without telling anything twice.
import { describe, expect, test } from '@jest/globals';
import { makeRunFeed } from '../../../../src/inbound/http/ops/ops-runs-feed.ts';
import type { RunChange } from '../../../../src/ports/runs.ts';
import { makeFakeRuntime } from '../../../fakes/runtime.ts';
import { until } from '../../../support/until.ts';

const START_MS = Date.parse('2026-03-02T10:00:00.000Z');

function aFeed({ maxListeners = 3 } = {}) {
  /** As the database has them: with microseconds, which a Date has not. */
  const kept: { readonly atMicros: number; readonly change: RunChange }[] = [];
  const state = { looks: 0, isAway: false, isStopping: false, failures: 0 };
  const runtime = makeFakeRuntime();
  const feed = makeRunFeed({
    runs: {
      changesSince: async (since, limit) => {
        state.looks += 1;
        if (state.isAway) throw new Error('the database is away');
        const found = kept.filter(({ atMicros }) => atMicros > since.getTime() * 1_000);
        const sorted = found.toSorted((a, b) => a.atMicros - b.atMicros);
        // With those that share the last one's time.
        const last = sorted[limit - 1]?.atMicros ?? Number.POSITIVE_INFINITY;
        return sorted.filter(({ atMicros }) => atMicros <= last).map((one) => one.change);
      },
    },
    runtime,
    isStopping: () => state.isStopping,
    onPollFailed: () => {
      state.failures += 1;
    },
    everyMs: 1,
    maxListeners,
  });
  const change = (id: string, afterMs: number) => {
    const atMicros = Math.round((START_MS + afterMs) * 1_000);
    const changedAt = new Date(Math.floor(atMicros / 1_000));
    kept.push({ atMicros, change: { id, site: 'mercy', encounter: 'Encounter/1', status: 'queued', changedAt } });
  };
  return { feed, change, state, runtime };
}

type Feed = ReturnType<typeof aFeed>['feed'];

async function listen(feed: Feed) {
  const told: string[] = [];
  const state = { hasEnded: false };
  const leave = await feed.join({
    send: ({ id }) => void told.push(id),
    close: () => {
      state.hasEnded = true;
    },
  });
  return { told, leave, state };
}

/** Long enough for several looks. */
async function looksOn(state: { readonly looks: number }, times = 5): Promise<void> {
  const before = state.looks;
  await until(() => state.looks >= before + times);
}

describe('the look for changes', () => {
  test('costs nothing while nobody listens', async () => {
    const { feed, state } = aFeed();
    const one = await listen(feed);
    await looksOn(state);
    one.leave();
    const looks = state.looks;
    await new Promise((resolve) => setImmediate(resolve));
    const other = await listen(feed);
    // The one look that was under way, and the first of the newcomer.
    expect(state.looks).toBeLessThanOrEqual(looks + 2);
    other.leave();
  });

  test('is one for all who listen', async () => {
    const { feed, change, state } = aFeed();
    const listeners = [await listen(feed), await listen(feed), await listen(feed)];
    change('a', 1_000);
    await until(() => listeners.every(({ told }) => told.length === 1));
    const before = state.looks;
    await looksOn(state, 3);
    expect(state.looks).toBeLessThan(before + 9);
    for (const { leave } of listeners) leave();
  });

  test('finds what is committed late, with an earlier time on it', async () => {
    const { feed, change, state } = aFeed();
    const { told, leave } = await listen(feed);
    change('later', 3_000);
    await until(() => told.includes('later'));
    change('earlier', 1_000);
    await until(() => told.includes('earlier'));
    await looksOn(state);
    expect(told).toEqual(['later', 'earlier']);
    leave();
  });

  test.each<[string, (n: number) => number]>([
    ['of several milliseconds', (n) => 1_000 + Math.floor(n / 400)],
    ['of one transaction', () => 1_000.123],
    ['of one millisecond', (n) => 1_000 + (n % 700) / 1_000],
  ])('tells all %s, also where they do not fit on a page', async (_, timeOf) => {
    const { feed, change } = aFeed();
    const { told, leave } = await listen(feed);
    for (let n = 0; n < 1_400; n += 1) change(`r-${n}`, timeOf(n));
    await until(() => new Set(told).size === 1_400);
    expect(told).toHaveLength(1_400);
    leave();
  });

  test('goes by the database’s clock, however ours goes', async () => {
    const { feed, change, runtime } = aFeed();
    const { told, leave } = await listen(feed);
    runtime.advance(3_600_000);
    change('by the old clock', -20_000);
    await until(() => told.length === 1);
    change('much later', 90_000_000);
    await until(() => told.length === 2);
    leave();
  });

  test('goes on where it was, once the database is back', async () => {
    const { feed, change, state } = aFeed();
    const { told, leave } = await listen(feed);
    state.isAway = true;
    change('meanwhile', 1_000);
    await until(() => state.failures > 2);
    state.isAway = false;
    await until(() => told.length === 1);
    expect(told).toEqual(['meanwhile']);
    leave();
  });
});

describe('whoever wants to listen', () => {
  test('is told so where the database is away, and takes no place', async () => {
    const { feed, state } = aFeed({ maxListeners: 1 });
    state.isAway = true;
    await expect(listen(feed)).rejects.toThrow('the database is away');
    state.isAway = false;
    (await listen(feed)).leave();
  });

  test('is refused where too many do, or the engine stops; who listens hears of the end', async () => {
    const { feed, state } = aFeed({ maxListeners: 1 });
    const one = await listen(feed);
    await expect(listen(feed)).rejects.toMatchObject({ code: 'overloaded' });
    state.isStopping = true;
    await until(() => one.state.hasEnded);
    await expect(listen(feed)).rejects.toMatchObject({ code: 'shuttingDown' });
  });

  test('hears of the end at once where the door is closed', async () => {
    const { feed } = aFeed();
    const one = await listen(feed);
    feed.stop();
    expect(one.state.hasEnded).toBe(true);
  });
});
