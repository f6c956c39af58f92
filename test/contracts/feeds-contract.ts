// What every store of feeds promises.
import { describe, expect, it } from '@jest/globals';
import type { Feeds } from '../../src/ports/feeds.ts';

const [EIGHT, NINE, TEN] = [8, 9, 10].map((hour) => new Date(Date.UTC(2026, 2, 2, hour))) as [Date, Date, Date];

export function feedsContract(name: string, makeSubject: () => Promise<Feeds>): void {
  describe(`the feeds of ${name}`, () => {
    it('are there from their first note on, with nothing that was not noted', async () => {
      const feeds = await makeSubject();
      const firstSeenAt = expect.any(Date);
      expect(await feeds.note('mercy', 'amqp', {})).toEqual({ site: 'mercy', kind: 'amqp', firstSeenAt });
      expect(await feeds.note('mercy', 'poll', { searchedUntil: NINE })).toEqual({
        site: 'mercy',
        kind: 'poll',
        firstSeenAt,
        searchedUntil: NINE,
      });
    });

    it('are listed for all sites, or for one', async () => {
      const feeds = await makeSubject();
      const push = await feeds.note('mercy', 'push', { lastEventAt: NINE });
      const amqp = await feeds.note('mercy', 'amqp', { lastEventAt: EIGHT });
      const other = await feeds.note('clinic', 'push', {});
      expect(await feeds.all()).toEqual([other, amqp, push]);
      expect(await feeds.of('mercy')).toEqual([amqp, push]);
      expect(await feeds.of('nowhere')).toEqual([]);
    });

    it('keep since when they are known', async () => {
      const feeds = await makeSubject();
      const { firstSeenAt } = await feeds.note('mercy', 'catch-up', {});
      const later = await feeds.note('mercy', 'catch-up', { searchedUntil: TEN });
      expect(later.firstSeenAt).toEqual(firstSeenAt);
    });

    it('only grow in times and event numbers, in whatever order the notes come', async () => {
      const feeds = await makeSubject();
      const grown = { lastEventAt: TEN, searchedUntil: NINE, lastEventNumber: 12, lastHeartbeatAt: TEN };
      await feeds.note('mercy', 'subscription', grown);
      const late = { lastEventAt: NINE, searchedUntil: EIGHT, lastEventNumber: 3, lastHeartbeatAt: EIGHT };
      expect(await feeds.note('mercy', 'subscription', late)).toMatchObject(grown);
      const next = { lastEventNumber: 13, searchedUntil: TEN };
      expect(await feeds.note('mercy', 'subscription', next)).toMatchObject({ ...grown, ...next });
    });

    it('lose nothing of what many note at once', async () => {
      const feeds = await makeSubject();
      await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          feeds.note('mercy', 'subscription', index % 3 === 0 ? { lastEventAt: NINE } : { lastEventNumber: index }),
        ),
      );
      expect(await feeds.of('mercy')).toMatchObject([{ lastEventAt: NINE, lastEventNumber: 29 }]);
    });

    subscriptionContract(makeSubject);
    alarmContract(makeSubject);
  });
}

function subscriptionContract(makeSubject: () => Promise<Feeds>): void {
  const known = { subscriptionStatus: 'active', subscriptionDigest: 'd1', lastEventNumber: 7 };

  it('keep what is known of a Subscription until something else is noted of it', async () => {
    const feeds = await makeSubject();
    await feeds.note('mercy', 'subscription', { subscription: 'Subscription/1', ...known });
    expect(await feeds.note('mercy', 'subscription', { lastHeartbeatAt: NINE })).toMatchObject({
      subscription: 'Subscription/1',
      ...known,
    });
    const off = await feeds.note('mercy', 'subscription', {
      subscription: 'Subscription/1',
      subscriptionStatus: 'off',
    });
    expect(off).toMatchObject({ ...known, subscriptionStatus: 'off', lastHeartbeatAt: NINE });
  });

  it('know what the EHR told of a Subscription before its id was noted', async () => {
    const feeds = await makeSubject();
    await feeds.note('mercy', 'subscription', { lastEventNumber: 1, subscriptionStatus: 'active' });
    const noted = await feeds.note('mercy', 'subscription', { subscription: 'Subscription/1' });
    expect(noted).toMatchObject({ lastEventNumber: 1, subscriptionStatus: 'active' });
  });

  it('forget a Subscription that is gone, with its status, its digest and its event numbers', async () => {
    const feeds = await makeSubject();
    await feeds.note('mercy', 'subscription', { subscription: 'Subscription/1', ...known, lastEventAt: NINE });
    const gone = await feeds.note('mercy', 'subscription', { subscription: null });
    expect(gone).toEqual({ site: 'mercy', kind: 'subscription', firstSeenAt: expect.any(Date), lastEventAt: NINE });
  });

  it('count anew with another Subscription, whose numbers begin with one', async () => {
    const feeds = await makeSubject();
    await feeds.note('mercy', 'subscription', { subscription: 'Subscription/1', ...known });
    const other = await feeds.note('mercy', 'subscription', {
      subscription: 'Subscription/2',
      subscriptionDigest: 'd2',
      lastEventNumber: 1,
    });
    expect(other).toMatchObject({
      subscription: 'Subscription/2',
      subscriptionDigest: 'd2',
      lastEventNumber: 1,
    });
    expect(other.subscriptionStatus).toBeUndefined();
  });
}

function alarmContract(makeSubject: () => Promise<Feeds>): void {
  it('raise an alarm with what to do, and keep since when it is on', async () => {
    const feeds = await makeSubject();
    const raised = await feeds.note('mercy', 'amqp', { alarm: { kind: 'silent', message: 'nothing for 2 h' } });
    expect(raised).toMatchObject({ alarm: 'silent', alarmMessage: 'nothing for 2 h', alarmSince: expect.any(Date) });
    const again = await feeds.note('mercy', 'amqp', { alarm: { kind: 'silent', message: 'nothing for 3 h' } });
    expect(again).toEqual({ ...raised, alarmMessage: 'nothing for 3 h' });
    expect(await feeds.note('mercy', 'amqp', { lastEventAt: NINE })).toMatchObject({ alarm: 'silent' });
  });

  it('end an alarm, and begin a further one at its own time', async () => {
    const feeds = await makeSubject();
    const raised = await feeds.note('mercy', 'amqp', { alarm: { kind: 'silent', message: 'x' } });
    const ended = await feeds.note('mercy', 'amqp', { alarm: null });
    expect(ended).toEqual({ site: 'mercy', kind: 'amqp', firstSeenAt: raised.firstSeenAt });
    expect(await feeds.note('mercy', 'amqp', { alarm: null })).toEqual(ended);
    const anew = await feeds.note('mercy', 'amqp', { alarm: { kind: 'topology', message: 'y' } });
    expect(anew).toMatchObject({ alarm: 'topology', alarmMessage: 'y' });
    expect(anew.alarmSince?.getTime()).toBeGreaterThanOrEqual(raised.alarmSince?.getTime() ?? Number.NaN);
  });

  it('show an alarm of another kind in the place of the one before', async () => {
    const feeds = await makeSubject();
    await feeds.note('mercy', 'subscription', { alarm: { kind: 'no-heartbeat', message: 'x' } });
    const other = await feeds.note('mercy', 'subscription', { alarm: { kind: 'subscription', message: 'y' } });
    expect(other).toMatchObject({ alarm: 'subscription', alarmMessage: 'y' });
  });
}
