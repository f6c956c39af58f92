// What notifications say of themselves: signs of life, numbers, and gaps in them.
import { afterEach, describe, expect, test } from '@jest/globals';
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

describe('a gap in the numbers of events', () => {
  test('is closed by asking for the events', async () => {
    const here = await aLab();
    loseOne(here);
    await until(() => here.closed.length === 1);
    expect(here.closed).toEqual(['events']);
    expect(acceptedOf(here)).toContain('Encounter/lost/_history/1');
    expect(await lastNumber(here)).toBe(2);
  });

  test('is closed by a search where the EHR answers no such question', async () => {
    const here = await aLab({ answers: [] });
    loseOne(here);
    await until(() => here.closed.length === 1);
    expect(here.closed).toEqual(['search']);
    expect(acceptedOf(here)).toEqual(expect.arrayContaining(keys('lost')));
  });

  test('is closed by a search where the EHR no longer knows all of the events', async () => {
    const here = await aLab({ keptEvents: 1 });
    loseOne(here);
    await until(() => here.closed.length === 1);
    expect(here.closed).toEqual(['search']);
    expect(acceptedOf(here)).toEqual(expect.arrayContaining(keys('lost')));
  });

  test('that a heartbeat shows is closed, too: nothing more has to happen first', async () => {
    const here = await aLab();
    here.server.subscriptions.dropNext();
    here.finish('lost');
    await here.server.subscriptions.beat();
    await until(() => here.closed.length === 1);
    expect(acceptedOf(here)).toEqual(keys('lost'));
  });

  test('is none where events only overtook each other', async () => {
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

  test('of many events at once is one closing, and no storm of questions', async () => {
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

  test('that could not be closed is told, and left to the next catching up', async () => {
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

describe('an EHR that says in its status which events there were', () => {
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

  test('has a gap closed by it; what was deleted meanwhile is left out', async () => {
    const { how, accepted, searches } = await closing(status(5, ['Encounter/e-1', 'Encounter/gone']));
    expect({ how, accepted, searches }).toEqual({ how: 'status', accepted: ['Encounter/e-1'], searches: 0 });
  });

  test('is searched where it does not name all of them, or names what is on another server', async () => {
    expect(await closing(status(5, ['Encounter/e-1']))).toMatchObject({ how: 'search', searches: 1 });
    expect(await closing(status(5, []))).toMatchObject({ how: 'search', searches: 1 });
    expect(await closing(status(7, ['Encounter/e-1', 'Encounter/e-2'], 6))).toMatchObject({ how: 'search' });
    expect(await closing(status(7, ['Encounter/e-1', 'Encounter/e-2'], 3))).toMatchObject({ how: 'search' });
    const foreign = ['http://elsewhere.example.org/fhir/Encounter/e-1', 'Encounter/e-1'];
    expect((await closing(status(5, foreign))).accepted).toEqual(['Encounter/e-1']);
  });

  test('has no gap where it says that there were no more events', async () => {
    expect(await closing(status(3, []))).toEqual({ how: 'none', accepted: [], searches: 0 });
  });
});

describe('news of a Subscription', () => {
  test('a heartbeat is noted as a sign of life, and is no event', async () => {
    const here = await aLab();
    here.runtime.advance(60_000);
    await here.server.subscriptions.beat();
    expect((await here.feedOf('subscription'))?.lastHeartbeatAt).toEqual(here.runtime.now());
    expect(here.accepted()).toEqual([]);
  });

  test('of a Subscription that is not ours changes nothing', async () => {
    const here = await aLab();
    const news = { subscription: 'Subscription/somebody-else', kind: 'event-notification', eventNumber: 99 } as const;
    await here.trackUpdate(here.site, { subscription: news, mustSearch: false });
    expect([await lastNumber(here), here.closed]).toEqual([0, []]);
  });

  test('that does not say what changed is searched for before it is taken', async () => {
    const here = await aLab();
    here.server.subscriptions.dropNext();
    here.finish('quiet');
    await here.trackUpdate(here.site, { mustSearch: true });
    expect(acceptedOf(here)).toEqual(keys('quiet'));
  });

  test('that does not say what changed is not taken while it cannot be searched for', async () => {
    const here = await aLab();
    await here.server.goDown();
    await expect(here.trackUpdate(here.site, { mustSearch: true })).rejects.toMatchObject({ code: 'ehrUnavailable' });
    await here.server.comeBack();
  });
});

describe('repeats and losses', () => {
  test('a notice that comes twice, and later changes and deletes of the encounter, are each accepted at most once', async () => {
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

  test('what the EHR gave up while the engine was down is found by catching up', async () => {
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
