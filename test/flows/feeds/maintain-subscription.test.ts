// The engine's own Subscription in an EHR that behaves, and in such as do not.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Subscription } from '@medplum/fhirtypes';
import { AppError } from '../../../src/domain/errors.ts';
import { type FeedLab, never, REST_HOOK, startFeedLab, TOPIC } from '../../support/feed-lab.ts';
import { until } from '../../support/until.ts';

let lab: FeedLab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

async function aLab(options: Parameters<typeof startFeedLab>[0] = {}): Promise<FeedLab> {
  lab = await startFeedLab(options);
  return lab;
}

const all = ({ server }: FeedLab) => server.store.all('Subscription');
const statuses = (of: FeedLab) => all(of).map(({ status }) => status);
const look = (of: FeedLab, site = of.site) => of.keep({ site }, never);
const only = (of: FeedLab): Subscription => {
  const [first, ...others] = all(of);
  if (!first || others.length > 0) throw new Error(`there are ${others.length + (first ? 1 : 0)} Subscriptions`);
  return first;
};
const setStatus = ({ server }: FeedLab, subscription: Subscription, status: Subscription['status']) =>
  server.store.put({ ...subscription, status });

describe('a site that wants to be told', () => {
  test('gets one Subscription, however often it is looked at, and is told of what ends', async () => {
    const here = await aLab();
    expect(await look(here)).toEqual({ state: 'waiting', mustSearch: true, warnings: [] });
    expect(await look(here)).toEqual({ state: 'active', mustSearch: false, warnings: [] });
    expect(await look(here)).toMatchObject({ state: 'active' });
    expect(await here.feedOf('subscription')).toMatchObject({
      subscription: `Subscription/${only(here).id}`,
      subscriptionStatus: 'active',
    });
    here.finish('e-9');
    await until(() => here.accepted().length === 1);
    expect(here.accepted()).toEqual(['Encounter/e-9/_history/1']);
  });

  test('is told of one that is cancelled, too', async () => {
    const here = await aLab();
    await look(here);
    here.finish('e-9', 'cancelled');
    await until(() => here.accepted().length === 1);
  });

  test('nothing is asked of a site that is off', async () => {
    const here = await aLab();
    expect(await look(here, here.siteWith(REST_HOOK, { mode: 'off' }))).toMatchObject({ state: 'none' });
    expect(all(here)).toEqual([]);
  });

  test('whose EHR takes only `requested` asks for that', async () => {
    const here = await aLab({ subscriptions: { refusedStatuses: ['active'] } });
    await look(here);
    expect(statuses(here)).toEqual(['requested']);
  });

  test('that is only asked for, and never made active, is made active by us after a while, once', async () => {
    const here = await aLab();
    await look(here);
    const asked = () => setStatus(here, only(here), 'requested');
    asked();
    await look(here);
    here.runtime.advance(180_000);
    await look(here);
    expect(statuses(here)).toEqual(['active']);
    asked();
    await look(here);
    expect(statuses(here)).toEqual(['requested']);
  });

  test('that waits for ten minutes to be told is an alarm, and none any more when it is', async () => {
    const here = await aLab({ subscriptions: { refusedStatuses: ['active'] } });
    await look(here);
    await look(here);
    here.runtime.advance(600_000);
    await look(here);
    expect(await here.feedOf('subscription')).toMatchObject({ alarm: 'subscription' });
    setStatus(here, only(here), 'active');
    await look(here);
    expect(await here.feedOf('subscription')).not.toHaveProperty('alarm');
  });
});

describe('what the EHR does to it', () => {
  test.each(['off', 'error'] as const)(
    'one that it sets %s is active again, and what came meanwhile is searched for',
    async (status) => {
      const here = await aLab();
      await look(here);
      setStatus(here, only(here), status);
      expect(await look(here)).toMatchObject({ mustSearch: true });
      expect(statuses(here)).toEqual(['active']);
    },
  );

  test('one that is gone is made anew', async () => {
    const here = await aLab();
    await look(here);
    const { id } = only(here);
    here.server.store.remove(`Subscription/${id}`);
    expect(await look(here)).toMatchObject({ mustSearch: true });
    expect(only(here).id).not.toBe(id);
    expect((await here.feedOf('subscription'))?.subscription).toBe(`Subscription/${only(here).id}`);
  });

  test('one that is switched off again and again is an alarm, until it has been quiet for an hour', async () => {
    const here = await aLab();
    await look(here);
    for (let times = 0; times < 3; times += 1) {
      setStatus(here, only(here), 'off');
      await look(here);
    }
    expect(statuses(here)).toEqual(['active']);
    await look(here);
    expect(await here.feedOf('subscription')).toMatchObject({ alarm: 'subscription' });
    here.runtime.advance(3_600_000);
    await look(here);
    expect(await here.feedOf('subscription')).not.toHaveProperty('alarm');
  });

  test('an EHR that takes no Subscriptions is an alarm with what to do, and is not asked all the time', async () => {
    const here = await aLab();
    here.server.faults.set([{ mode: 'types-refused', types: ['Subscription'], status: 405 }]);
    expect(await look(here)).toMatchObject({ state: 'refused' });
    expect(await here.feedOf('subscription')).toMatchObject({
      alarm: 'subscription',
      alarmMessage: expect.stringContaining('events.subscription.kind'),
    });
    here.server.faults.set([]);
    expect(await look(here)).toMatchObject({ state: 'refused' });
    here.runtime.advance(900_000);
    await look(here);
    await look(here);
    expect(statuses(here)).toEqual(['active']);
    expect(await here.feedOf('subscription')).not.toHaveProperty('alarm');
  });

  test('an answer that was lost makes no second one', async () => {
    const here = await aLab();
    here.server.faults.set([{ mode: 'lost-answer', how: 'reset', isStored: true, times: 1, on: { method: 'POST' } }]);
    await expect(look(here)).rejects.toMatchObject({ code: 'ehrUnavailable' });
    here.server.faults.set([]);
    await look(here);
    expect(await look(here)).toMatchObject({ state: 'active' });
    expect(all(here)).toHaveLength(1);
  });
});

describe('a database that was lost', () => {
  test('makes no second Subscription: the one that tells us is found', async () => {
    const here = await aLab();
    await look(here);
    const { id } = only(here);
    const fresh = here.another();
    await fresh.keep({ site: here.site }, never);
    expect(await fresh.keep({ site: here.site }, never)).toMatchObject({ state: 'active' });
    expect(only(here).id).toBe(id);
    expect((await fresh.feeds.of('mercy'))[0]?.subscription).toBe(`Subscription/${id}`);
  });

  test('finds it also where the EHR cannot search by the address', async () => {
    const here = await aLab();
    await look(here);
    here.server.faults.set([{ mode: 'identifier-search', how: 'refused', parameter: 'url' }]);
    await here.another().keep({ site: here.site }, never);
    expect(all(here)).toHaveLength(1);
  });

  test('of two that tell us the same, one goes; what a person made stays', async () => {
    const here = await aLab();
    await look(here);
    const { id: _, meta: __, ...same } = only(here);
    here.server.store.put(same);
    here.server.store.put({ ...same, id: 'by-hand', reason: 'made by a person' });
    await here.another().keep({ site: here.site }, never);
    expect(all(here)).toHaveLength(2);
    expect(all(here).filter(({ id: one }) => one === 'by-hand')).toHaveLength(1);
  });
});

describe('a change of the settings', () => {
  test('is brought into the Subscription that is there', async () => {
    const here = await aLab();
    await look(here);
    const { id } = only(here);
    const changed = here.siteWith({
      subscription: { kind: 'rest-hook', criteria: 'Encounter?class=EMER', secret: 'another-secret' },
    });
    await look(here, changed);
    expect(only(here)).toMatchObject({
      id,
      criteria: 'Encounter?class=EMER',
      channel: { header: ['Authorization: Bearer another-secret'] },
    });
    expect(await look(here, changed)).toMatchObject({ state: 'active' });
  });

  test('is made anew where the EHR lets nothing of it be changed', async () => {
    const here = await aLab();
    await look(here);
    const { id } = only(here);
    here.server.faults.set([{ mode: 'types-refused', types: ['Subscription'], status: 405, on: { method: 'PUT' } }]);
    const changed = here.siteWith({ subscription: { kind: 'rest-hook', criteria: 'Encounter?class=EMER' } });
    await look(here, changed);
    expect(only(here)).toMatchObject({ criteria: 'Encounter?class=EMER', status: 'active' });
    expect(only(here).id).not.toBe(id);
  });

  test.each([{}, { subscription: { kind: 'none' } }] as const)('that wants none takes it away (%#)', async (events) => {
    const here = await aLab();
    await look(here);
    expect(await look(here, here.siteWith(events))).toEqual({ state: 'none', mustSearch: false, warnings: [] });
    expect(all(here)).toEqual([]);
    expect(await here.feedOf('subscription')).not.toHaveProperty('subscription');
  });

  test('that wants none leaves alone what has become somebody else’s', async () => {
    const here = await aLab();
    await look(here);
    const own = only(here);
    here.server.store.put({ ...own, channel: { type: 'rest-hook', endpoint: 'http://127.0.0.1:9/somebody-else' } });
    await look(here, here.siteWith({}));
    expect(statuses(here)).toEqual(['active']);
  });

  test('a topic without its name is an alarm that says which setting is missing', async () => {
    const here = await aLab();
    expect(await look(here, here.siteWith({ subscription: { kind: 'topic' } }))).toMatchObject({ state: 'refused' });
    expect(await here.feedOf('subscription')).toMatchObject({
      alarmMessage: expect.stringContaining('events.subscription.topic'),
    });
  });
});

describe('a Subscription to a topic', () => {
  test('is active after the handshake, and the handshake counts as a sign of life', async () => {
    const here = await aLab({ events: TOPIC, subscriptions: { hasTopics: true } });
    await look(here);
    await until(() => statuses(here)[0] === 'active');
    expect(await look(here)).toMatchObject({ state: 'active' });
    expect(await here.feedOf('subscription')).toMatchObject({ lastEventNumber: 0, lastHeartbeatAt: expect.any(Date) });
    here.finish('e-9');
    await until(() => here.accepted().length === 1);
  });

  test('that the EHR cannot reach is asked for again', async () => {
    const here = await aLab({ events: TOPIC, subscriptions: { hasTopics: true } });
    here.setDown(true);
    await look(here);
    await until(() => statuses(here)[0] === 'error');
    here.setDown(false);
    await look(here);
    await until(() => statuses(here)[0] === 'active');
  });
});

test('an engine that no longer looks after the site writes nothing', async () => {
  const here = await aLab();
  const confirm = async () => {
    throw new AppError('inUse', 'another engine has it');
  };
  await expect(here.keep({ site: here.site, confirm }, never)).rejects.toMatchObject({ code: 'inUse' });
  expect(all(here)).toEqual([]);
});
