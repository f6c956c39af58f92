// The feed of run changes polls only while there are watchers, misses no change and sends no change twice.
import { describe, expect, it } from '@jest/globals';
import { isRunInScope, type RunScope } from '../../../../src/domain/people/role.ts';
import { makeRunFeed } from '../../../../src/inbound/http/ops/ops-runs-feed.ts';
import type { RunChange } from '../../../../src/ports/runs.ts';
import { makeFakeRuntime } from '../../../fakes/runtime.ts';
import { until } from '../../../support/until.ts';

const START_MS = Date.parse('2026-03-02T10:00:00.000Z');

function aFeed({ maxListeners = 3 } = {}) {
  /** Times as in the database, with microseconds, which a Date does not have. */
  const stored: { readonly atMicros: number; readonly change: RunChange }[] = [];
  const state = { looks: 0, isAway: false, isStopping: false, failures: 0 };
  const runtime = makeFakeRuntime();
  const feed = makeRunFeed({
    runs: {
      changesSince: async (scope, since, limit) => {
        state.looks += 1;
        if (state.isAway) throw new Error('the database is away');
        const found = stored.filter(
          ({ atMicros, change }) => atMicros > since.getTime() * 1_000 && isRunInScope(scope, change),
        );
        const sorted = found.toSorted((a, b) => a.atMicros - b.atMicros);
        // Including the changes that share the time of the last one.
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
    stored.push({ atMicros, change: { id, site: 'mercy', encounter: 'Encounter/1', status: 'queued', changedAt } });
  };
  return { feed, change, state, runtime };
}

type Feed = ReturnType<typeof aFeed>['feed'];

async function listen(feed: Feed, scope: RunScope = 'all') {
  const received: string[] = [];
  const state = { hasEnded: false };
  const leave = await feed.join(scope, {
    send: ({ id }) => void received.push(id),
    close: () => {
      state.hasEnded = true;
    },
  });
  return { received, leave, state };
}

/** Long enough for several polls. */
async function looksOn(state: { readonly looks: number }, times = 5): Promise<void> {
  const before = state.looks;
  await until(() => state.looks >= before + times);
}

describe('the poll for run changes', () => {
  it('does not query the store while there are no watchers', async () => {
    const { feed, state } = aFeed();
    const one = await listen(feed);
    await looksOn(state);
    one.leave();
    const looks = state.looks;
    await new Promise((resolve) => setImmediate(resolve));
    const other = await listen(feed);
    // The poll that was running, and the first one of the new watcher.
    expect(state.looks).toBeLessThanOrEqual(looks + 2);
    other.leave();
  });

  it('sends a watcher no change of another site', async () => {
    const { feed, change, state } = aFeed();
    const foreign = await listen(feed, { sites: ['general'] });
    const own = await listen(feed, { sites: ['mercy'] });
    const ofEncounter = await listen(feed, { sites: ['mercy'], encounter: 'Encounter/2' });
    change('a', 1_000);
    await until(() => own.received.length > 0);
    await looksOn(state, 15);
    expect([own.received, foreign.received, ofEncounter.received]).toEqual([['a'], [], []]);
    for (const { leave } of [foreign, own, ofEncounter]) leave();
  });

  it('is shared by all watchers', async () => {
    const { feed, change, state } = aFeed();
    const listeners = [await listen(feed), await listen(feed), await listen(feed)];
    change('a', 1_000);
    await until(() => listeners.every(({ received }) => received.length === 1));
    const before = state.looks;
    await looksOn(state, 3);
    expect(state.looks).toBeLessThan(before + 9);
    for (const { leave } of listeners) leave();
  });

  it('finds a change that is committed late with an earlier time', async () => {
    const { feed, change, state } = aFeed();
    const { received, leave } = await listen(feed);
    change('later', 3_000);
    await until(() => received.includes('later'));
    change('earlier', 1_000);
    await until(() => received.includes('earlier'));
    await looksOn(state);
    expect(received).toEqual(['later', 'earlier']);
    leave();
  });

  it.each<[string, (n: number) => number]>([
    ['of several milliseconds', (n) => 1_000 + Math.floor(n / 400)],
    ['of one transaction', () => 1_000.123],
    ['of one millisecond', (n) => 1_000 + (n % 700) / 1_000],
  ])('sends all changes %s, even if they do not fit on a page', async (_, timeOf) => {
    const { feed, change } = aFeed();
    const { received, leave } = await listen(feed);
    for (let n = 0; n < 1_400; n += 1) change(`r-${n}`, timeOf(n));
    await until(() => new Set(received).size === 1_400);
    expect(received).toHaveLength(1_400);
    leave();
  });

  it('uses the clock of the database, whatever the clock of the engine says', async () => {
    const { feed, change, runtime } = aFeed();
    const { received, leave } = await listen(feed);
    runtime.advance(3_600_000);
    change('by the old clock', -20_000);
    await until(() => received.length === 1);
    change('much later', 90_000_000);
    await until(() => received.length === 2);
    leave();
  });

  it('continues where it was when the database is back', async () => {
    const { feed, change, state } = aFeed();
    const { received, leave } = await listen(feed);
    state.isAway = true;
    change('meanwhile', 1_000);
    await until(() => state.failures > 2);
    state.isAway = false;
    await until(() => received.length === 1);
    expect(received).toEqual(['meanwhile']);
    leave();
  });
});

describe('a client that wants to watch', () => {
  it('gets an error while the database is down, and does not count as a watcher', async () => {
    const { feed, state } = aFeed({ maxListeners: 1 });
    state.isAway = true;
    await expect(listen(feed)).rejects.toThrow('the database is away');
    state.isAway = false;
    (await listen(feed)).leave();
  });

  it('is refused if there are too many watchers or the engine stops, which also ends the streams of the others', async () => {
    const { feed, state } = aFeed({ maxListeners: 1 });
    const one = await listen(feed);
    await expect(listen(feed)).rejects.toMatchObject({ code: 'overloaded' });
    state.isStopping = true;
    await until(() => one.state.hasEnded);
    await expect(listen(feed)).rejects.toMatchObject({ code: 'shuttingDown' });
  });

  it('gets the end of the stream at once when the door is closed', async () => {
    const { feed } = aFeed();
    const one = await listen(feed);
    feed.stop();
    expect(one.state.hasEnded).toBe(true);
  });
});
