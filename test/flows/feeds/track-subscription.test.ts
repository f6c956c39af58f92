// What notifications say of themselves: signs of life, numbers, and gaps in them.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { makeCloseGap } from '../../../src/flows/feeds/close-gap.ts';
import type { SubscriptionOptions } from '../../../src/sandbox/fhir/subscriptions.ts';
import { makeFakeEhr } from '../../fakes/ehr.ts';
import { aSite } from '../../support/chart-facts.ts';
import { type FeedLab, never, startFeedLab, TOPIC } from '../../support/feed-lab.ts';
import { TEST_ENCOUNTER } from '../../support/sandbox-ehr.ts';
import { until } from '../../support/until.ts';

let lab: FeedLab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

/** A site whose Subscription to a topic is active. */
async function aLab(
  subscriptions: SubscriptionOptions = {},
  more: Omit<Parameters<typeof startFeedLab>[0], 'subscriptions'> = {},
): Promise<FeedLab> {
  lab = await startFeedLab({ events: TOPIC, subscriptions: { hasTopics: true, ...subscriptions }, ...more });
  const { runtime, feeds, keep, site, server } = lab;
  await feeds.note('mercy', 'catch-up', {});
  runtime.advance(60_000);
  await keep({ site }, never);
  await until(() => server.store.all('Subscription')[0]?.status === 'active');
  await server.subscriptions.settled();
  return lab;
}

const lastNumber = async (here: FeedLab) => (await here.feedOf('subscription'))?.lastEventNumber;
const keys = (...ids: readonly string[]) => ids.map((id) => `Encounter/${id}/_history/1`);
const acceptedOf = (here: FeedLab) =>
  [...new Set(here.accepted().filter((key) => key.startsWith('Encounter/')))].toSorted();
const loseOne = (here: FeedLab) => {
  here.server.subscriptions.dropNext();
  here.finish('lost');
  here.finish('told');
};

describe('a gap in the event numbers', () => {
  it('a gap is closed by requesting the events', async () => {
    const here = await aLab();
    loseOne(here);
    await until(() => here.closed.length === 1);
    expect(here.closed).toEqual(['events']);
    expect(acceptedOf(here)).toContain('Encounter/lost/_history/1');
    expect(await lastNumber(here)).toBe(2);
  });

  it('a gap is closed by a search if the EHR does not support the request', async () => {
    const here = await aLab({ answers: [] });
    loseOne(here);
    await until(() => here.closed.length === 1);
    expect(here.closed).toEqual(['search']);
    expect(acceptedOf(here)).toEqual(expect.arrayContaining(keys('lost')));
  });

  it('a gap is closed by a search if the EHR has not kept all events', async () => {
    const here = await aLab({ keptEvents: 1 });
    loseOne(here);
    await until(() => here.closed.length === 1);
    expect(here.closed).toEqual(['search']);
    expect(acceptedOf(here)).toEqual(expect.arrayContaining(keys('lost')));
  });

  it('a gap that a heartbeat reveals is closed without a further event', async () => {
    const here = await aLab();
    here.server.subscriptions.dropNext();
    here.finish('lost');
    await here.server.subscriptions.beat();
    await until(() => here.closed.length === 1);
    expect(acceptedOf(here)).toEqual(keys('lost'));
  });

  it('events that overtake each other are no gap', async () => {
    const held = Promise.withResolvers<void>();
    const here = await aLab({}, { pause: () => held.promise });
    here.server.subscriptions.keepBack();
    here.finish('first');
    here.finish('second');
    here.server.subscriptions.letGo('reversed');
    await until(async () => (await lastNumber(here)) === 2 && here.deliveries.length === 3);
    await here.server.subscriptions.settled();
    held.resolve();
    // Gaps are closed one after another: a false one would have come before this one.
    loseOne(here);
    await until(() => here.closed.length > 0 && acceptedOf(here).includes('Encounter/lost/_history/1'));
    expect(here.closed).toEqual(['events']);
  });

  it('a gap of many events is closed once, without many requests', async () => {
    const held = Promise.withResolvers<void>();
    const here = await aLab({}, { pause: () => held.promise });
    here.server.subscriptions.dropNext(5);
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) here.finish(id);
    await here.server.subscriptions.settled();
    held.resolve();
    await until(() => here.closed.length > 0);
    expect(acceptedOf(here)).toEqual(expect.arrayContaining(keys('a', 'b', 'c', 'd', 'e')));
    loseOne(here);
    await until(() => here.closed.length > 1 && acceptedOf(here).includes('Encounter/lost/_history/1'));
    expect(here.closed).toHaveLength(2);
  });

  it('a gap that could not be closed is reported, and left to the next catch-up', async () => {
    const here = await aLab({ answers: [] });
    here.server.faults.set([{ mode: 'identifier-search', how: 'refused', parameter: '_lastUpdated' }]);
    loseOne(here);
    await until(() => here.closed.length === 1);
    expect(here.closed[0]).toContain('failed');
    here.server.faults.set([]);
    await here.catchUp({ site: here.site }, never);
    expect(acceptedOf(here)).toEqual(expect.arrayContaining(keys('lost')));
  });
});

describe('an EHR that lists its events in the status of the Subscription', () => {
  const status = (count: number, foci: readonly string[], first = 4): Resource => ({
    resourceType: 'Parameters',
    parameter: [
      { name: 'type', valueCode: 'query-status' },
      { name: 'status', valueCode: 'active' },
      { name: 'events-since-subscription-start', valueString: String(count) },
      ...foci.map((reference, index) => ({
        name: 'notification-event',
        part: [
          { name: 'event-number', valueString: String(index + first) },
          { name: 'focus', valueReference: { reference } },
        ],
      })),
    ],
  });

  async function closing(answer: Resource) {
    const ehr = makeFakeEhr({
      resources: [TEST_ENCOUNTER, { resourceType: 'Subscription', id: 's-1' } as Resource],
      answers: ({ operation }) => (operation === '$status' ? answer : undefined),
    });
    const accepted: string[] = [];
    let searches = 0;
    const closeGap = makeCloseGap({
      ehrs: ehr.ehrs,
      runtime: ehr.runtime,
      acceptFound: async ({ resources }) => {
        accepted.push(...resources.map(({ resourceType, id }) => `${resourceType}/${id}`));
        return { accepted: resources.length, repeated: 0 };
      },
      searchNow: async () => {
        searches += 1;
      },
    });
    const how = await closeGap({ site: aSite(), subscription: 'Subscription/s-1', from: 4, to: 5 }, never);
    return { how, accepted, searches };
  }

  it('a gap is closed by the status; resources that were deleted meanwhile are ignored', async () => {
    const { how, accepted, searches } = await closing(status(5, ['Encounter/e-1', 'Encounter/gone']));
    expect({ how, accepted, searches }).toEqual({ how: 'status', accepted: ['Encounter/e-1'], searches: 0 });
  });

  it('a search follows if the status does not list all events, or lists those of another server', async () => {
    expect(await closing(status(5, ['Encounter/e-1']))).toMatchObject({ how: 'search', searches: 1 });
    expect(await closing(status(5, []))).toMatchObject({ how: 'search', searches: 1 });
    expect(await closing(status(7, ['Encounter/e-1', 'Encounter/e-2'], 6))).toMatchObject({ how: 'search' });
    expect(await closing(status(7, ['Encounter/e-1', 'Encounter/e-2'], 3))).toMatchObject({ how: 'search' });
    const foreign = ['http://elsewhere.example.org/fhir/Encounter/e-1', 'Encounter/e-1'];
    expect((await closing(status(5, foreign))).accepted).toEqual(['Encounter/e-1']);
  });

  it('there is no gap if the status reports no further events', async () => {
    expect(await closing(status(3, []))).toEqual({ how: 'none', accepted: [], searches: 0 });
  });
});

describe('the status in a notification', () => {
  it('a heartbeat is noted as a sign of life, not as an event', async () => {
    const here = await aLab();
    here.runtime.advance(60_000);
    await here.server.subscriptions.beat();
    expect((await here.feedOf('subscription'))?.lastHeartbeatAt).toEqual(here.runtime.now());
    expect(here.accepted()).toEqual([]);
  });

  it('the status of another Subscription changes nothing', async () => {
    const here = await aLab();
    const news = { subscription: 'Subscription/somebody-else', kind: 'event-notification', eventNumber: 99 } as const;
    await here.trackUpdate(here.site, { subscription: news, mustSearch: false });
    expect([await lastNumber(here), here.closed]).toEqual([0, []]);
  });

  it('a notification without details is acknowledged only after a search', async () => {
    const here = await aLab();
    here.server.subscriptions.dropNext();
    here.finish('quiet');
    await here.trackUpdate(here.site, { mustSearch: true });
    expect(acceptedOf(here)).toEqual(keys('quiet'));
  });

  it('a notification without details is not acknowledged if the search fails', async () => {
    const here = await aLab();
    await here.server.goDown();
    await expect(here.trackUpdate(here.site, { mustSearch: true })).rejects.toMatchObject({ code: 'ehrUnavailable' });
    await here.server.comeBack();
  });
});

describe('repeats and losses', () => {
  it('repeated notifications, later changes and deletions of an encounter are each accepted at most once', async () => {
    const here = await startFeedLab();
    lab = here;
    await here.keep({ site: here.site }, never);
    here.server.subscriptions.sendTwice();
    here.finish('e-7');
    await here.server.subscriptions.settled();
    await here.catchUp({ site: here.site }, never);
    expect(acceptedOf(here).filter((key) => key.startsWith('Encounter/e-7'))).toEqual(keys('e-7'));
    expect(here.accepted().filter((key) => key.startsWith('Encounter/e-7'))).toHaveLength(1);
    here.server.store.remove('Encounter/e-7');
    await here.server.subscriptions.settled();
    await here.catchUp({ site: here.site }, never);
    expect(here.deliveries.at(-1)?.body).toBe('{}');
    expect(here.accepted().filter((key) => key.startsWith('Encounter/e-7/_history'))).toHaveLength(1);
  });

  it('catch-up finds the events that the EHR dropped while the engine was down', async () => {
    const here = await startFeedLab();
    lab = here;
    await here.feeds.note('mercy', 'catch-up', {});
    await here.keep({ site: here.site }, never);
    here.runtime.advance(60_000);
    here.setDown(true);
    here.finish('missed');
    await here.server.subscriptions.settled();
    here.setDown(false);
    expect(here.deliveries).toEqual([]);
    await here.catchUp({ site: here.site }, never);
    expect(acceptedOf(here)).toContain('Encounter/missed/_history/1');
  });
});
