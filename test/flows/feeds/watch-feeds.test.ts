// Silent feeds: when there is an alarm, and when it ends.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { SubscriptionOptions } from '../../../src/sandbox/fhir/subscriptions.ts';
import { type FeedLab, never, startFeedLab, TOPIC } from '../../support/feed-lab.ts';
import { until } from '../../support/until.ts';

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];

let lab: FeedLab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

const look = ({ watch, site }: FeedLab) => watch({ site }, never);
const alarms = async ({ feeds }: FeedLab) =>
  (await feeds.of('mercy')).flatMap(({ kind, alarm }) => (alarm ? [`${alarm} of ${kind}`] : []));

/** Monday, four in the morning in Chicago. */
async function aSiteThatExpects(during?: string): Promise<FeedLab> {
  const expects = { atLeastOneMs: 2 * HOUR_MS, ...(during !== undefined && { during }) };
  const amqp = { exchange: 'ehr.events', bindings: ['encounter.#'] };
  lab = await startFeedLab({ events: { amqp, expect: expects } });
  await lab.feeds.note('mercy', 'amqp', {});
  await lab.feeds.note('mercy', 'catch-up', {});
  return lab;
}

describe('a feed that should not be silent', () => {
  test('and is, for longer than the site allows, is an alarm; the next event ends it', async () => {
    const here = await aSiteThatExpects();
    here.runtime.advance(2 * HOUR_MS);
    await look(here);
    expect(await alarms(here)).toEqual([]);
    here.runtime.advance(MINUTE_MS);
    await look(here);
    expect(await alarms(here)).toEqual(['silent of amqp']);
    expect(await here.feedOf('amqp')).toMatchObject({ alarmMessage: expect.stringContaining('2 hours') });
    await here.feeds.note('mercy', 'amqp', { lastEventAt: here.runtime.now() });
    await look(here);
    expect(await alarms(here)).toEqual([]);
  });

  test('may be silent at night, and has its time from the morning on', async () => {
    const here = await aSiteThatExpects('Mon-Fri 07:00-19:00');
    here.runtime.advance(2 * HOUR_MS + 59 * MINUTE_MS);
    await look(here);
    expect(await alarms(here)).toEqual([]);
    here.runtime.advance(2 * HOUR_MS);
    await look(here);
    expect(await alarms(here)).toEqual([]);
    here.runtime.advance(2 * MINUTE_MS);
    await look(here);
    expect(await alarms(here)).toEqual(['silent of amqp']);
    here.runtime.advance(12 * HOUR_MS);
    await look(here);
    expect(await alarms(here)).toEqual([]);
  });

  test('is silent although catching up finds something: that did not come by itself', async () => {
    const here = await aSiteThatExpects();
    here.runtime.advance(3 * HOUR_MS);
    await here.feeds.note('mercy', 'catch-up', { lastEventAt: here.runtime.now() });
    await look(here);
    expect(await alarms(here)).toEqual(['silent of amqp']);
  });

  test('keeps the alarm that says more', async () => {
    const here = await aSiteThatExpects();
    await here.feeds.note('mercy', 'amqp', { alarm: { kind: 'topology', message: 'other settings' } });
    here.runtime.advance(3 * HOUR_MS);
    await look(here);
    expect(await alarms(here)).toEqual(['topology of amqp']);
  });

  test('is nothing where the site expects nothing, or is off', async () => {
    const here = await aSiteThatExpects();
    here.runtime.advance(3 * HOUR_MS);
    await here.watch({ site: here.siteWith({}) }, never);
    await here.watch({ site: here.siteWith(here.site.settings.events, { mode: 'off' }) }, never);
    expect(await alarms(here)).toEqual([]);
  });
});

describe('heartbeats that stay away', () => {
  async function aTopicLab(subscriptions: SubscriptionOptions = {}): Promise<FeedLab> {
    lab = await startFeedLab({ events: TOPIC, subscriptions: { hasTopics: true, ...subscriptions } });
    const { keep, site, server } = lab;
    await keep({ site }, never);
    await until(() => server.store.all('Subscription')[0]?.status === 'active');
    await server.subscriptions.settled();
    return lab;
  }

  test('are an alarm after two and a half periods, where the EHR does not say that all is well', async () => {
    const here = await aTopicLab({ answers: [] });
    here.runtime.advance(150_000);
    await look(here);
    expect(await alarms(here)).toEqual([]);
    here.runtime.advance(1000);
    await look(here);
    expect(await alarms(here)).toEqual(['no-heartbeat of subscription']);
    await here.server.subscriptions.beat();
    await look(here);
    expect(await alarms(here)).toEqual([]);
  });

  test('are none where the EHR says, when it is asked, that nothing was missed', async () => {
    const here = await aTopicLab();
    here.runtime.advance(10 * MINUTE_MS);
    await look(here);
    expect(await alarms(here)).toEqual([]);
  });

  test('are an alarm where it says that it has told more than came, and what was lost is fetched', async () => {
    const here = await aTopicLab();
    here.server.subscriptions.dropNext();
    here.finish('lost');
    here.runtime.advance(10 * MINUTE_MS);
    await look(here);
    expect(await alarms(here)).toEqual(['no-heartbeat of subscription']);
    await until(() => here.closed.length === 1);
    expect(here.accepted()).toEqual(['Encounter/lost/_history/1']);
  });

  test('are an alarm where the EHR cannot be asked', async () => {
    const here = await aTopicLab();
    await here.server.goDown();
    here.runtime.advance(10 * MINUTE_MS);
    await look(here);
    expect(await alarms(here)).toEqual(['no-heartbeat of subscription']);
    await here.server.comeBack();
  });

  test('mean nothing for a Subscription that knows none', async () => {
    lab = await startFeedLab();
    await lab.keep({ site: lab.site }, never);
    lab.runtime.advance(HOUR_MS);
    await look(lab);
    expect(await alarms(lab)).toEqual([]);
  });
});
