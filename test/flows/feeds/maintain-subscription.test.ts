// The engine's own Subscription in an EHR that behaves, and in such as do not.
import { afterEach, describe, expect, it } from '@jest/globals';
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

describe('a site that uses a Subscription', () => {
  it('one Subscription is created, however often it is maintained, and finished encounters are notified', async () => {
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

  it('cancelled encounters are notified as well', async () => {
    const here = await aLab();
    await look(here);
    here.finish('e-9', 'cancelled');
    await until(() => here.accepted().length === 1);
  });

  it('the EHR of a site that is off is not called', async () => {
    const here = await aLab();
    expect(await look(here, here.siteWith(REST_HOOK, { mode: 'off' }))).toMatchObject({ state: 'none' });
    expect(all(here)).toEqual([]);
  });

  it('an EHR that accepts only `requested` gets that status', async () => {
    const here = await aLab({ subscriptions: { refusedStatuses: ['active'] } });
    await look(here);
    expect(statuses(here)).toEqual(['requested']);
  });

  it('a Subscription that stays requested is activated by the engine once, after a while', async () => {
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

  it('a Subscription that waits for ten minutes is an alarm until it is active', async () => {
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

describe('changes by the EHR', () => {
  it.each(['off', 'error'] as const)(
    'a Subscription with the status %s is activated again, and missed changes are searched for',
    async (status) => {
      const here = await aLab();
      await look(here);
      setStatus(here, only(here), status);
      expect(await look(here)).toMatchObject({ mustSearch: true });
      expect(statuses(here)).toEqual(['active']);
    },
  );

  it('a deleted Subscription is created again', async () => {
    const here = await aLab();
    await look(here);
    const { id } = only(here);
    here.server.store.remove(`Subscription/${id}`);
    expect(await look(here)).toMatchObject({ mustSearch: true });
    expect(only(here).id).not.toBe(id);
    expect((await here.feedOf('subscription'))?.subscription).toBe(`Subscription/${only(here).id}`);
  });

  it('a Subscription that is switched off repeatedly is an alarm, until an hour has passed without that', async () => {
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

  it('an EHR that refuses Subscriptions is an alarm with advice, and is not called each time', async () => {
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

  it('a lost answer creates no second Subscription', async () => {
    const here = await aLab();
    here.server.faults.set([{ mode: 'lost-answer', how: 'reset', isStored: true, times: 1, on: { method: 'POST' } }]);
    await expect(look(here)).rejects.toMatchObject({ code: 'ehrUnavailable' });
    here.server.faults.set([]);
    await look(here);
    expect(await look(here)).toMatchObject({ state: 'active' });
    expect(all(here)).toHaveLength(1);
  });
});

describe('a lost database', () => {
  it('the existing Subscription is found by its address, and no second one is created', async () => {
    const here = await aLab();
    await look(here);
    const { id } = only(here);
    const fresh = here.another();
    await fresh.keep({ site: here.site }, never);
    expect(await fresh.keep({ site: here.site }, never)).toMatchObject({ state: 'active' });
    expect(only(here).id).toBe(id);
    expect((await fresh.feeds.of('mercy'))[0]?.subscription).toBe(`Subscription/${id}`);
  });

  it('the existing Subscription is found even if the EHR cannot search by address', async () => {
    const here = await aLab();
    await look(here);
    here.server.faults.set([{ mode: 'identifier-search', how: 'refused', parameter: 'url' }]);
    await here.another().keep({ site: here.site }, never);
    expect(all(here)).toHaveLength(1);
  });

  it('of two Subscriptions with the same address one is removed; a person’s own stays', async () => {
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
  it('the existing Subscription is updated', async () => {
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

  it('the Subscription is created again if the EHR refuses changes', async () => {
    const here = await aLab();
    await look(here);
    const { id } = only(here);
    here.server.faults.set([{ mode: 'types-refused', types: ['Subscription'], status: 405, on: { method: 'PUT' } }]);
    const changed = here.siteWith({ subscription: { kind: 'rest-hook', criteria: 'Encounter?class=EMER' } });
    await look(here, changed);
    expect(only(here)).toMatchObject({ criteria: 'Encounter?class=EMER', status: 'active' });
    expect(only(here).id).not.toBe(id);
  });

  it.each([{}, { subscription: { kind: 'none' } }] as const)(
    'the Subscription is removed if the site needs none (%#)',
    async (events) => {
      const here = await aLab();
      await look(here);
      expect(await look(here, here.siteWith(events))).toEqual({ state: 'none', mustSearch: false, warnings: [] });
      expect(all(here)).toEqual([]);
      expect(await here.feedOf('subscription')).not.toHaveProperty('subscription');
    },
  );

  it('a Subscription that was changed to another address is not removed', async () => {
    const here = await aLab();
    await look(here);
    const own = only(here);
    here.server.store.put({ ...own, channel: { type: 'rest-hook', endpoint: 'http://127.0.0.1:9/somebody-else' } });
    await look(here, here.siteWith({}));
    expect(statuses(here)).toEqual(['active']);
  });

  it('a topic without its name is an alarm that names the setting', async () => {
    const here = await aLab();
    expect(await look(here, here.siteWith({ subscription: { kind: 'topic' } }))).toMatchObject({ state: 'refused' });
    expect(await here.feedOf('subscription')).toMatchObject({
      alarmMessage: expect.stringContaining('events.subscription.topic'),
    });
  });
});

describe('a Subscription to a topic', () => {
  it('it is active after the handshake, which counts as a sign of life', async () => {
    const here = await aLab({ events: TOPIC, subscriptions: { hasTopics: true } });
    await look(here);
    await until(() => statuses(here)[0] === 'active');
    expect(await look(here)).toMatchObject({ state: 'active' });
    expect(await here.feedOf('subscription')).toMatchObject({ lastEventNumber: 0, lastHeartbeatAt: expect.any(Date) });
    here.finish('e-9');
    await until(() => here.accepted().length === 1);
  });

  it('it is requested again if the EHR cannot reach the engine', async () => {
    const here = await aLab({ events: TOPIC, subscriptions: { hasTopics: true } });
    here.setDown(true);
    await look(here);
    await until(() => statuses(here)[0] === 'error');
    here.setDown(false);
    await look(here);
    await until(() => statuses(here)[0] === 'active');
  });
});

it('an engine that no longer maintains the site writes nothing', async () => {
  const here = await aLab();
  const confirm = async () => {
    throw new AppError('inUse', 'another engine has it');
  };
  await expect(here.keep({ site: here.site, confirm }, never)).rejects.toMatchObject({ code: 'inUse' });
  expect(all(here)).toEqual([]);
});
