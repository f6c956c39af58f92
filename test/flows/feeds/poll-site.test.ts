// Asking by the site's own query.
import { afterEach, describe, expect, it } from '@jest/globals';
import { type FeedLab, never, REST_HOOK, startFeedLab } from '../../support/feed-lab.ts';

const MINUTE_MS = 60_000;

let lab: FeedLab | undefined;
afterEach(async () => {
  await lab?.close();
  lab = undefined;
});

async function aLab(query: string): Promise<FeedLab> {
  lab = await startFeedLab({ events: { poll: { query, everyMs: MINUTE_MS } } });
  lab.runtime.advance(MINUTE_MS);
  await lab.feeds.note('mercy', 'poll', {});
  lab.runtime.advance(10 * MINUTE_MS);
  return lab;
}

const poll = ({ poll: ask, site }: FeedLab) => ask({ site }, never);

describe('a site that is polled', () => {
  it('the EHR is searched with the site’s query, extended by cancelled encounters', async () => {
    const here = await aLab('Encounter?_lastUpdated=gt{since}&status=finished&class=AMB');
    here.finish('done');
    here.finish('cancelled', 'cancelled');
    here.finish('busy', 'in-progress');
    expect(await poll(here)).toMatchObject({ accepted: 2 });
    expect(here.accepted().toSorted()).toEqual(['Encounter/cancelled/_history/1', 'Encounter/done/_history/1']);
  });

  it('each state of an encounter is accepted once, and the progress is noted', async () => {
    const here = await aLab('Encounter?_lastUpdated=gt{since}');
    here.finish('e-7');
    await poll(here);
    expect(await poll(here)).toMatchObject({ accepted: 0, repeated: 1 });
    here.runtime.advance(30 * MINUTE_MS);
    here.finish('e-7', 'cancelled');
    expect(await poll(here)).toMatchObject({ accepted: 1 });
    const changed = here.server.store.get('Encounter/e-7')?.meta?.lastUpdated;
    expect((await here.feedOf('poll'))?.searchedUntil?.toISOString()).toBe(changed);
  });

  it('polling continues where it stopped, so changes during a pause are found', async () => {
    const here = await aLab('Encounter?_lastUpdated=gt{since}');
    await poll(here);
    here.runtime.advance(600 * MINUTE_MS);
    here.finish('e-7');
    here.runtime.advance(600 * MINUTE_MS);
    expect(await poll(here)).toMatchObject({ accepted: 1 });
  });

  it('new encounters are found although the EHR refuses Subscriptions', async () => {
    const here = await aLab('Encounter?_lastUpdated=gt{since}');
    const site = here.siteWith({ ...here.site.settings.events, ...REST_HOOK });
    here.server.faults.set([{ mode: 'types-refused', types: ['Subscription'], status: 405 }]);
    expect(await here.keep({ site }, never)).toMatchObject({ state: 'refused' });
    here.finish('e-7');
    expect(await here.poll({ site }, never)).toMatchObject({ accepted: 1 });
    expect(await here.feedOf('subscription')).toMatchObject({ alarm: 'subscription' });
  });

  it('a query for another type than encounters is an alarm that says so', async () => {
    const here = await aLab('Patient?_lastUpdated=gt{since}');
    await expect(poll(here)).rejects.toMatchObject({ code: 'notConfigured' });
    expect(await here.feedOf('poll')).toMatchObject({ alarmMessage: expect.stringContaining('Encounter?') });
  });

  it('a query that the EHR refuses is an alarm until it works', async () => {
    const here = await aLab('Encounter?no-such-parameter={since}');
    await expect(poll(here)).rejects.toMatchObject({ code: 'ehrRefused' });
    expect(await here.feedOf('poll')).toMatchObject({ alarm: 'catch-up' });
    const mended = here.siteWith({ poll: { query: 'Encounter?_lastUpdated=gt{since}', everyMs: MINUTE_MS } });
    await here.poll({ site: mended }, never);
    expect(await here.feedOf('poll')).not.toHaveProperty('alarm');
  });
});
