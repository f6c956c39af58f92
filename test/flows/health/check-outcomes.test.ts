import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { makeCheckOutcomes } from '../../../src/flows/health/check-outcomes.ts';
import type { OutboxEnd } from '../../../src/ports/outbox.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { anOutcome } from '../../contracts/outbox-contract.ts';
import { makeFakeOutbox } from '../../fakes/outbox.ts';
import { aLiveSite } from '../../support/chart-writing.ts';

const NOW = new Date('2026-03-09T10:00:00Z');

function sitesOf(...sites: readonly LoadedSite[]) {
  const snapshot = { problems: [], stale: new Set<string>(), unavailable: new Set<string>() };
  return { current: () => ({ ...snapshot, sites: new Map(sites.map((site) => [site.name, site])) }) };
}

async function healthAfter(ends: readonly OutboxEnd[], site: LoadedSite = aLiveSite(), ageMs = 0) {
  let now = new Date(NOW.getTime() - ageMs);
  const outbox = makeFakeOutbox({ now: () => now });
  for (const end of ends) {
    const { id } = outbox.put('attention', anOutcome({ site: 'mercy', because: 'red' }));
    await outbox.markEnded([id], end);
  }
  now = NOW;
  return makeCheckOutcomes({ outbox, sites: sitesOf({ ...site, name: 'mercy' }) })();
}

describe('the health of the outcome events', () => {
  it('is ok if each RED alarm was heard', async () => {
    expect(await healthAfter(['sent'])).toEqual({
      name: 'outcomes',
      status: 'ok',
      detail: 'No RED alarm of the last 7 days went unheard.',
    });
  });

  it('counts the RED alarms that no queue received, and names the exchange to bind', async () => {
    expect(await healthAfter(['sent', 'unheard', 'unheard'])).toEqual({
      name: 'outcomes',
      status: 'degraded',
      detail:
        '2 RED alarms of mercy reached no one: bind a queue to the exchange chartwright.events with mercy.encounter.attention.',
    });
  });

  it('names the missing setting if the engine has no broker', async () => {
    const { status, detail } = await healthAfter(['no-broker']);
    expect([status, detail]).toEqual(['degraded', '1 RED alarm of mercy reached no one: AMQP_URL is not set.']);
  });

  it('is ok again once an alarm of the site was heard, or after a week', async () => {
    expect(await healthAfter(['unheard', 'sent'])).toMatchObject({ status: 'ok' });
    expect(await healthAfter(['unheard'], aLiveSite(), 8 * 86_400_000)).toMatchObject({ status: 'ok' });
  });

  it('leaves out a trial, whose patients are made up', async () => {
    expect(await healthAfter(['no-broker'], { ...aLiveSite(), isTrial: true })).toMatchObject({ status: 'ok' });
  });

  it('is degraded without a database', async () => {
    const outbox = { unheardAlarms: () => Promise.reject(new AppError('overloaded', 'no database')) };
    expect(await makeCheckOutcomes({ outbox, sites: sitesOf(aLiveSite()) })()).toMatchObject({ status: 'degraded' });
  });
});
