// The health of runs and feeds for /readyz, and their metrics.
import { describe, expect, it } from '@jest/globals';
import { watchRuns } from '../../../src/composition/watch-runs.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { ServiceName } from '../../../src/domain/run/run.ts';
import { makeCheckFeeds } from '../../../src/flows/health/check-feeds.ts';
import { makeCheckRuns } from '../../../src/flows/health/check-runs.ts';
import { makeMetrics } from '../../../src/platform/metrics.ts';
import type { RunCounts } from '../../../src/ports/runs.ts';
import { makeFakeFeeds } from '../../fakes/feeds.ts';
import { makeFakePauses } from '../../fakes/pauses.ts';
import { aLiveSite } from '../../support/chart-writing.ts';

const counts = (byStatus: Record<string, number> = {}): RunCounts => ({
  byStatus: new Map(Object.entries(byStatus)) as RunCounts['byStatus'],
  waiting: new Map([['speech', 3]]),
  parked: new Map([['tries', 2]]),
  oldestQueuedAt: new Date(Date.now() - 60_000),
});

function health(byStatus: Record<string, number>, stopped: readonly ServiceName[] = [], pauses = makeFakePauses()) {
  return makeCheckRuns({
    runs: { counts: async () => counts(byStatus) },
    pauses,
    services: { unavailable: () => stopped },
  });
}

describe('the health of the runs', () => {
  it('is ok with the numbers of runs', async () => {
    expect(await health({ running: 1, queued: 2, written: 9 })()).toEqual({
      name: 'runs',
      status: 'ok',
      detail: '1 running, 2 queued, 0 waiting.',
    });
  });

  it('counts held runs apart from parked ones, and is ok with held ones alone', async () => {
    const held = '3 held for a person to decide: npm run cli -- runs list --status held.';
    expect(await health({ held: 3 })()).toEqual({
      name: 'runs',
      status: 'ok',
      detail: `0 running, 0 queued, 0 waiting; ${held}`,
    });
    const { status, detail } = await health({ held: 3, parked: 1 })();
    expect([status, detail]).toEqual(['degraded', `1 parked: npm run cli -- runs list --status parked; ${held}`]);
  });

  it('names unavailable services and paused sites and counts parked runs', async () => {
    const pauses = makeFakePauses();
    await pauses.pause('mercy', 'write', 'upgrade');
    const told = await health({ parked: 2 }, ['speech', 'ehr/mercy'], pauses)();
    expect(told.status).toBe('degraded');
    expect(told.detail).toBe(
      'not available: speech, ehr/mercy; paused: mercy; 2 parked: npm run cli -- runs list --status parked.',
    );
  });

  it('is degraded without a database', async () => {
    const runs = { counts: () => Promise.reject(new AppError('overloaded', 'no database')) };
    const told = await makeCheckRuns({ runs, pauses: makeFakePauses(), services: { unavailable: () => [] } })();
    expect(told).toMatchObject({ name: 'runs', status: 'degraded' });
  });

  it('the metrics have the runs by status and reason, the outbox, and the lag of the engine', async () => {
    const metrics = makeMetrics();
    watchRuns(metrics, {
      runs: { counts: async () => counts({ written: 4 }) },
      outbox: { counts: async () => new Map([['waiting', 1]]) },
    } as unknown as Parameters<typeof watchRuns>[1]);
    const { body } = await metrics.text();
    expect(body).toContain('chartwright_runs{status="written"} 4');
    expect(body).toContain('chartwright_runs_waiting{reason="speech"} 3');
    expect(body).toContain('chartwright_runs_parked{reason="tries"} 2');
    expect(body).toContain('chartwright_outbox{end="waiting"} 1');
    expect(Number(/chartwright_runs_lag_seconds\{of="oldest"\} (\S+)/.exec(body)?.[1])).toBeGreaterThanOrEqual(60);
  });
});

describe('the health of the feeds', () => {
  const sites = {
    current: () => ({
      sites: new Map([['mercy', aLiveSite()]]),
      problems: [],
      stale: new Set<string>(),
      unavailable: new Set<string>(),
    }),
  };

  it('is ok without an alarm', async () => {
    expect(await makeCheckFeeds({ feeds: makeFakeFeeds(), sites, hasBroker: true })()).toMatchObject({
      name: 'events',
      status: 'ok',
    });
  });

  it('says when the last event came', async () => {
    const feeds = makeFakeFeeds();
    await feeds.note('mercy', 'amqp', { lastEventAt: new Date('2026-03-02T10:00:00Z') });
    await feeds.note('mercy', 'poll', { lastEventAt: new Date('2026-03-02T09:00:00Z') });
    const { detail } = await makeCheckFeeds({ feeds, sites, hasBroker: true })();
    expect(detail).toMatch(/^Every feed of events is as it should be; the last event came at 2026-03-02 10:00/);
  });

  it('names the site, its alarm and what to do', async () => {
    const feeds = makeFakeFeeds();
    await feeds.note('mercy', 'amqp', {
      alarm: { kind: 'silent', message: 'Nothing came for 2 h: look at the sender.' },
    });
    await feeds.note('gone', 'amqp', { alarm: { kind: 'topology', message: 'of a site that is not there any more' } });
    expect(await makeCheckFeeds({ feeds, sites, hasBroker: true })()).toEqual({
      name: 'events',
      status: 'degraded',
      detail: 'mercy: silent (Nothing came for 2 h: look at the sender.)',
      summary: 'mercy: silent (amqp): npm run cli -- sites list.',
    });
  });

  it('names a site that listens to RabbitMQ while AMQP_URL is not set', async () => {
    const site = aLiveSite();
    const amqp = { exchange: 'ehr.events', bindings: ['encounter.#'] };
    const listening = { ...site, settings: { ...site.settings, events: { amqp } } };
    const deaf = { current: () => ({ ...sites.current(), sites: new Map([['mercy', listening]]) }) };
    const feeds = makeFakeFeeds();
    expect(await makeCheckFeeds({ feeds, sites: deaf, hasBroker: false })()).toEqual({
      name: 'events',
      status: 'degraded',
      detail: 'mercy listens to RabbitMQ, and AMQP_URL is not set: no event can arrive from there.',
      summary: 'mercy listens to RabbitMQ, and AMQP_URL is not set: no event can arrive from there.',
    });
    expect(await makeCheckFeeds({ feeds, sites: deaf, hasBroker: true })()).toMatchObject({ status: 'ok' });
    const trial = new Map([['mercy', { ...listening, isTrial: true }]]);
    const ofTrial = { current: () => ({ ...sites.current(), sites: trial }) };
    expect(await makeCheckFeeds({ feeds, sites: ofTrial, hasBroker: false })()).toMatchObject({ status: 'ok' });
  });

  it('is degraded without a database', async () => {
    const feeds = { all: () => Promise.reject(new AppError('overloaded', 'no database')) };
    expect(await makeCheckFeeds({ feeds, sites, hasBroker: true })()).toMatchObject({
      name: 'events',
      status: 'degraded',
    });
  });
});
