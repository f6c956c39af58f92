// Silent feeds: when there is an alarm, and when it ends.
import { afterEach, describe, expect, it } from '@jest/globals';
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

describe('a silent feed', () => {
  it('a feed that is silent for longer than the site allows is an alarm until the next event', async () => {
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

  it('a feed may be silent at night, and its time starts again in the morning', async () => {
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

  it('changes that catch-up finds do not end the alarm', async () => {
    const here = await aSiteThatExpects();
    here.runtime.advance(3 * HOUR_MS);
    await here.feeds.note('mercy', 'catch-up', { lastEventAt: here.runtime.now() });
    await look(here);
    expect(await alarms(here)).toEqual(['silent of amqp']);
  });

  it('an existing, more precise alarm stays', async () => {
    const here = await aSiteThatExpects();
    await here.feeds.note('mercy', 'amqp', { alarm: { kind: 'topology', message: 'other settings' } });
    here.runtime.advance(3 * HOUR_MS);
    await look(here);
    expect(await alarms(here)).toEqual(['topology of amqp']);
  });

  it('a site without expected events, or one that is off, has no alarm', async () => {
    const here = await aSiteThatExpects();
    here.runtime.advance(3 * HOUR_MS);
    await here.watch({ site: here.siteWith({}) }, never);
    await here.watch({ site: here.siteWith(here.site.settings.events, { mode: 'off' }) }, never);
    expect(await alarms(here)).toEqual([]);
  });
});

describe('missing heartbeats', () => {
  async function aTopicLab(subscriptions: SubscriptionOptions = {}): Promise<FeedLab> {
    lab = await startFeedLab({ events: TOPIC, subscriptions: { hasTopics: true, ...subscriptions } });
    const { keep, site, server } = lab;
    await keep({ site }, never);
    await until(() => server.store.all('Subscription')[0]?.status === 'active');
    await server.subscriptions.settled();
    return lab;
  }

  it('heartbeats missing for two and a half periods are an alarm if the EHR does not report a good status', async () => {
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

  it('missing heartbeats are no alarm if the EHR reports that nothing was missed', async () => {
    const here = await aTopicLab();
    here.runtime.advance(10 * MINUTE_MS);
    await look(here);
    expect(await alarms(here)).toEqual([]);
  });

  it('if the EHR reports more events than have arrived, an alarm is raised and the lost events are fetched', async () => {
    const here = await aTopicLab();
    here.server.subscriptions.dropNext();
    here.finish('lost');
    here.runtime.advance(10 * MINUTE_MS);
    await look(here);
    expect(await alarms(here)).toEqual(['no-heartbeat of subscription']);
    await until(() => here.closed.length === 1);
    expect(here.accepted()).toEqual(['Encounter/lost/_history/1']);
  });

  it('missing heartbeats are an alarm if the EHR does not report a status', async () => {
    const here = await aTopicLab();
    await here.server.goDown();
    here.runtime.advance(10 * MINUTE_MS);
    await look(here);
    expect(await alarms(here)).toEqual(['no-heartbeat of subscription']);
    await here.server.comeBack();
  });

  it('a Subscription without heartbeats has no such alarm', async () => {
    lab = await startFeedLab();
    await lab.keep({ site: lab.site }, never);
    lab.runtime.advance(HOUR_MS);
    await look(lab);
    expect(await alarms(lab)).toEqual([]);
  });
});
