// Catch-up: a search finds changes for which the EHR sent no event, or sent one while no engine was running.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { DocumentReference, Encounter } from '@medplum/fhirtypes';
import { AppError } from '../../../src/domain/errors.ts';
import { makeCatchUp } from '../../../src/flows/feeds/catch-up.ts';
import type { AcceptFound } from '../../../src/flows/intake/accept-found.ts';
import { makeFindEncounters } from '../../../src/flows/operations/find-encounters.ts';
import type { Ehr, SearchOrder } from '../../../src/ports/ehr.ts';
import { makeFakeEhr } from '../../fakes/ehr.ts';
import { makeFakeFeeds } from '../../fakes/feeds.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { aSite } from '../../support/chart-facts.ts';
import { type FeedLab, never, startFeedLab } from '../../support/feed-lab.ts';

const MINUTE_MS = 60_000;

let lab: FeedLab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

/** Known for ten minutes, and caught up with: what the sandbox began with is not of interest. */
async function aLab(options: Parameters<typeof startFeedLab>[0] = { events: {} }): Promise<FeedLab> {
  lab = await startFeedLab(options);
  lab.runtime.advance(MINUTE_MS);
  await lab.feeds.note('mercy', 'catch-up', {});
  lab.runtime.advance(10 * MINUTE_MS);
  return lab;
}

const pass = ({ catchUp, site }: FeedLab) => catchUp({ site }, never);
const aRecording = (id: string, contentType = 'audio/mpeg'): DocumentReference => ({
  resourceType: 'DocumentReference',
  id,
  status: 'current',
  subject: { reference: 'Patient/p-1' },
  content: [{ attachment: { contentType, url: `Binary/${id}` } }],
  context: { encounter: [{ reference: 'Encounter/e-1' }] },
});

describe('changes without an event', () => {
  it('catch-up finds encounters of any status and late recordings', async () => {
    const here = await aLab();
    here.finish('e-7');
    here.finish('e-8', 'cancelled');
    here.server.store.put(aRecording('rec'));
    expect(await pass(here)).toMatchObject({ found: 3, accepted: 3, repeated: 0, isComplete: true });
    expect(here.accepted().toSorted()).toEqual([
      'DocumentReference/rec/_history/1',
      'Encounter/e-7/_history/1',
      'Encounter/e-8/_history/1',
    ]);
  });

  it('catch-up finds a change once: the next pass and a late event have the same key', async () => {
    const here = await aLab();
    here.finish('e-7');
    await pass(here);
    expect(await pass(here)).toMatchObject({ found: 1, accepted: 0, repeated: 1 });
    expect(here.accepted()).toHaveLength(1);
  });

  it('catch-up ignores changes from before the site was known', async () => {
    const here = await aLab();
    expect(await pass(here)).toMatchObject({ found: 0 });
    expect(here.server.store.get('Encounter/e-1')).toBeDefined();
  });

  it('catch-up ignores documents without audio, such as notes of the engine', async () => {
    const here = await aLab();
    here.server.store.put(aRecording('note', 'text/plain'));
    expect(await pass(here)).toMatchObject({ found: 0 });
  });

  it('catch-up finds changes after hours without a running engine', async () => {
    const here = await aLab();
    here.finish('first');
    await pass(here);
    for (const id of ['one', 'two', 'three']) {
      here.runtime.advance(90 * MINUTE_MS);
      here.finish(id);
    }
    here.runtime.advance(600 * MINUTE_MS);
    expect(await pass(here)).toMatchObject({ accepted: 3, isComplete: true });
  });

  it('catch-up finds changes although the clock of the EHR is an hour behind, because progress uses that clock', async () => {
    const here = await aLab({ events: {}, ehrBehindMs: 60 * MINUTE_MS });
    here.runtime.advance(120 * MINUTE_MS);
    for (const id of ['first', 'second', 'third']) {
      here.finish(id);
      expect(await pass(here)).toMatchObject({ accepted: 1 });
      here.runtime.advance(30 * MINUTE_MS);
    }
    const changed = here.server.store.get('Encounter/third')?.meta?.lastUpdated;
    expect((await here.feedOf('catch-up'))?.searchedUntil?.toISOString()).toBe(changed);
  });

  it('catch-up finds a resource that appears minutes after its time of change', async () => {
    const here = await aLab();
    const store = (id: string, agoMs: number) => here.finishAgo(id, agoMs);
    store('prompt', 0);
    await pass(here);
    store('late', 4 * MINUTE_MS);
    expect(await pass(here)).toMatchObject({ accepted: 1 });
  });

  it('catch-up finds a resource whose time of change is in the future', async () => {
    const here = await aLab();
    here.finishAgo('future', -1_000 * 24 * 60 * MINUTE_MS);
    await pass(here);
    here.runtime.advance(10 * MINUTE_MS);
    here.finish('today');
    expect(await pass(here)).toMatchObject({ accepted: 1 });
  });
});

describe('an EHR that cannot be searched', () => {
  it('a permanent refusal is an alarm of the site until a search works', async () => {
    const here = await aLab();
    const refuse = { mode: 'identifier-search', how: 'refused', parameter: '_lastUpdated' } as const;
    here.server.faults.set([refuse]);
    await expect(pass(here)).rejects.toMatchObject({ code: 'ehrRefused' });
    expect(await here.feedOf('catch-up')).toMatchObject({
      alarm: 'catch-up',
      alarmMessage: expect.stringContaining('cannot be searched for'),
    });
    here.server.faults.set([]);
    await pass(here);
    expect(await here.feedOf('catch-up')).not.toHaveProperty('alarm');
  });

  it('a temporary failure is no alarm and leaves the progress unchanged', async () => {
    const here = await aLab();
    here.finish('e-7');
    await here.server.goDown();
    await expect(pass(here)).rejects.toMatchObject({ code: 'ehrUnavailable' });
    expect(await here.feedOf('catch-up')).not.toHaveProperty('alarm');
    await here.server.comeBack();
    expect(await pass(here)).toMatchObject({ accepted: 1 });
  });

  it('an EHR without a search for recordings is searched for encounters only', async () => {
    const here = await aLab();
    here.server.faults.set([
      {
        mode: 'identifier-search',
        how: 'refused',
        parameter: '_lastUpdated',
        on: { type: ['DocumentReference', 'Media'] },
      },
    ]);
    here.finish('e-7');
    expect(await pass(here)).toMatchObject({ accepted: 1, refused: ['DocumentReference', 'Media'] });
    expect(await pass(here)).toMatchObject({ refused: [] });
  });

  it('an EHR that refuses sorting is searched without it', async () => {
    const here = await aLab();
    here.server.faults.set([{ mode: 'identifier-search', how: 'refused', parameter: '_sort' }]);
    here.finish('e-7');
    expect(await pass(here)).toMatchObject({ accepted: 1 });
  });
});

/** An EHR with so many changes, each in a second of its own unless said otherwise; it gives a search at most 1,000. */
function aCrowdedLab(count: number, { apartMs = 1000, heeds = true, hasTimes = true } = {}) {
  const runtime = makeFakeRuntime();
  const startMs = runtime.now().getTime();
  const ehr = makeFakeEhr({ runtime });
  const encounters: Encounter[] = Array.from({ length: count }, (_, index) => ({
    resourceType: 'Encounter',
    id: `e-${index}`,
    status: 'finished',
    class: { code: 'AMB' },
    ...(hasTimes && { meta: { lastUpdated: new Date(startMs + 1000 + index * apartMs).toISOString() } }),
  }));
  const orders: SearchOrder[] = [];
  const search: Ehr['search'] = async (order) => {
    orders.push(order);
    if (order.type !== 'Encounter') return { resources: [], isComplete: true };
    const fits = ({ meta }: Encounter) =>
      [order.parameters['_lastUpdated'] ?? []].flat().every((one) => {
        const [prefix, at] = [one.slice(0, 2), one.slice(2)];
        const own = meta?.lastUpdated ?? at;
        return prefix === 'gt' ? own > at : own <= at;
      });
    const found = heeds ? encounters.filter(fits) : encounters;
    return { resources: found.slice(0, order.maxResources), isComplete: found.length <= order.maxResources };
  };
  const feeds = makeFakeFeeds({ now: runtime.now });
  const seen = new Set<string>();
  const acceptFound: AcceptFound = async ({ resources }) => {
    const fresh = resources.filter(({ id = '' }) => !seen.has(id));
    for (const { id = '' } of resources) seen.add(id);
    return { accepted: fresh.length, repeated: resources.length - fresh.length };
  };
  const catchUp = makeCatchUp({ ehrs: { of: () => ({ ...ehr, search }) }, feeds, acceptFound, runtime });
  return { catchUp: () => catchUp({ site: aSite() }, never), feeds, runtime, seen, orders };
}

describe('more changes than one search returns', () => {
  it('several passes with smaller time windows find every change', async () => {
    const { catchUp, feeds, runtime, seen } = aCrowdedLab(4321);
    await feeds.note('mercy', 'catch-up', {});
    runtime.advance(2 * 3_600_000);
    let passes = 0;
    for (;;) {
      passes += 1;
      if ((await catchUp()).isComplete) break;
    }
    expect(seen.size).toBe(4321);
    expect(passes).toBeLessThan(20);
  });

  it('the progress continues after 5,000 changes within the overlap', async () => {
    const { catchUp, feeds, runtime, seen } = aCrowdedLab(5000, { apartMs: 20 });
    await feeds.note('mercy', 'catch-up', {});
    runtime.advance(3_600_000);
    for (let passes = 0; passes < 40 && !(await catchUp()).isComplete; passes += 1);
    expect(seen.size).toBe(5000);
  });

  it('too many changes at one moment are an alarm with advice', async () => {
    const { catchUp, feeds, runtime } = aCrowdedLab(3000, { apartMs: 0 });
    await feeds.note('mercy', 'catch-up', {});
    runtime.advance(60_000);
    await catchUp();
    const [feed] = await feeds.of('mercy');
    expect(feed).toMatchObject({
      alarm: 'catch-up',
      alarmMessage: expect.stringContaining('npm run cli -- runs start mercy --since 2026-03-02T'),
    });
  });

  it('an EHR that ignores the time window is a refusal, instead of a thousand old encounters', async () => {
    const { catchUp, feeds, runtime, seen } = aCrowdedLab(3000, { heeds: false });
    runtime.advance(30 * 60_000);
    await feeds.note('mercy', 'catch-up', {});
    await expect(catchUp()).rejects.toMatchObject({ code: 'ehrRefused' });
    expect(seen.size).toBe(0);
  });

  it('an EHR that ignores the time window and has few encounters returns the new ones among them', async () => {
    const { catchUp, feeds, runtime, seen } = aCrowdedLab(100, { heeds: false });
    runtime.advance(51_500);
    await feeds.note('mercy', 'catch-up', {});
    await catchUp();
    expect(seen.size).toBe(50);
  });
});

it('a change that could not be stored is searched for again', async () => {
  const here = await aLab();
  here.finish('e-7');
  const acceptFound: AcceptFound = async () => {
    throw new AppError('overloaded', 'no database');
  };
  const failing = makeCatchUp({ ehrs: here.ehrs, feeds: here.feeds, acceptFound, runtime: here.runtime });
  await expect(failing({ site: here.site }, never)).rejects.toMatchObject({ code: 'overloaded' });
  expect(await here.feedOf('catch-up')).not.toHaveProperty('searchedUntil');
  expect(await pass(here)).toMatchObject({ accepted: 1 });
});

it('calls during a pass share the next pass, and no search begins too early', async () => {
  const { catchUp, orders } = aCrowdedLab(3);
  await Promise.all([catchUp(), catchUp(), catchUp(), catchUp()]);
  expect(orders.filter(({ type }) => type === 'Encounter')).toHaveLength(2);
});

it('the encounters since a day can be counted before runs are started for them', async () => {
  const here = await aLab();
  here.finish('e-7');
  const find = makeFindEncounters({ ehrs: here.ehrs });
  const since = (ms: number) => find({ site: here.site, since: new Date(here.runtime.now().getTime() - ms) }, never);
  expect(await since(MINUTE_MS)).toEqual({ encounters: ['Encounter/e-7'], isComplete: true });
  expect((await since(3_600_000)).encounters.toSorted()).toEqual(['Encounter/e-1', 'Encounter/e-7']);
});
