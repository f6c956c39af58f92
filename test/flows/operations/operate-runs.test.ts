// What an operator does with runs, and that nothing is done which the audit trail does not have.
import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import type { FindEncounters } from '../../../src/flows/operations/find-encounters.ts';
import { makeOperateRuns } from '../../../src/flows/operations/operate-runs.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { type FakeAudit, makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { aLiveSite } from '../../support/chart-writing.ts';
import { aKeptRun, aQueuedRun, HELD, knownRun, RESULTS, WRITTEN } from '../../support/kept-runs.ts';

const signal = new AbortController().signal;

function withMode(mode: LoadedSite['settings']['mode']): LoadedSite {
  const site = aLiveSite();
  return { ...site, settings: { ...site.settings, mode } };
}

type OfficeParts = { readonly audit?: FakeAudit; readonly encounters?: number; readonly site?: LoadedSite };

function office({ audit = makeFakeAudit(), encounters = 3, site = withMode('live') }: OfficeParts = {}) {
  const runtime = makeFakeRuntime();
  const stores = makeFakeRuns({ now: runtime.now });
  let woken = 0;
  const findEncounters: FindEncounters = async () => ({
    encounters: [...Array(encounters).keys()].map((n) => `Encounter/f-${n}`),
    isComplete: encounters < 200,
  });
  const operate = makeOperateRuns({
    runs: stores.runs,
    inbox: stores.inbox,
    sites: {
      current: () => ({
        sites: new Map([['mercy', site]]),
        problems: [],
        stale: new Set(),
        unavailable: new Set(['st-mary']),
      }),
    },
    audit,
    findEncounters,
    onAccepted: () => {
      woken += 1;
    },
    runtime,
  });
  return { operate, stores, audit, woken: () => woken };
}

/** The trail cannot be written. */
function aBrokenAudit(): FakeAudit {
  const away = () => Promise.reject(new AppError('overloaded', 'The database cannot be reached'));
  return { ...makeFakeAudit(), append: away };
}

const actionsOf = ({ entries }: FakeAudit) => entries.map(({ action, run, site }) => [action, run, site]);

describe('starting by hand', () => {
  test('makes a run for the encounter, which the trail names, and wakes the worker', async () => {
    const { operate, stores, audit, woken } = office();
    const { id } = await operate.start({ site: 'mercy', encounter: 'Encounter/7' });
    const run = await knownRun(stores, id);
    expect(run).toMatchObject({ encounter: 'Encounter/7', status: 'queued', organization: 'mercy' });
    expect(run.trigger.source).toBe('operator');
    expect(audit.entries).toMatchObject([
      { action: 'run.start', actor: 'operator', site: 'mercy', details: { encounters: ['Encounter/7'] } },
    ]);
    expect(audit.entries[0]?.details?.['event']).toBe(run.trigger.eventId);
    expect(woken()).toBe(1);
  });

  test('twice looks twice: what came before is no reason not to', async () => {
    const { operate, stores } = office();
    const run = await aKeptRun(stores, {
      encounter: 'Encounter/7',
      end: { status: 'skipped', reason: 'trigger', message: 'The trigger said no.' },
    });
    const first = await operate.start({ site: 'mercy', encounter: 'Encounter/7' });
    expect(first.id).toBe(run.id);
    expect((await knownRun(stores, run.id)).status).toBe('queued');
    await expect(operate.start({ site: 'mercy', encounter: 'Encounter/7' })).resolves.toEqual(first);
  });

  test('counts first, and starts nothing by that', async () => {
    const { operate, stores, audit } = office();
    const order = { site: 'mercy', since: new Date('2026-03-01T00:00:00Z'), isCountOnly: true };
    expect(await operate.startSince(order, signal)).toEqual({ count: 3, isComplete: true });
    expect((await stores.runs.list({ limit: 10 })).runs).toEqual([]);
    expect(audit.entries).toEqual([]);
  });

  test('since a time starts each of them once, also when they are many', async () => {
    const { operate, stores, audit } = office({ encounters: 250 });
    const order = { site: 'mercy', since: new Date('2026-03-01T00:00:00Z'), isCountOnly: false };
    const { count, isComplete, ids = [] } = await operate.startSince(order, signal);
    expect([count, isComplete, new Set(ids).size]).toEqual([250, false, 250]);
    expect((await stores.runs.list({ limit: 500 })).runs).toHaveLength(250);
    expect(audit.entries.flatMap(({ details }) => details?.['encounters'] ?? [])).toHaveLength(250);
  });

  test.each([
    ['a site that is off', 'mercy', 'off', 'conflict'],
    ['a site that there is not', 'mery', 'live', 'notFound'],
    ['a site whose files have problems', 'st-mary', 'live', 'conflict'],
  ] as const)('for %s is refused, and leaves no trace', async (_, site, mode, code) => {
    const { operate, audit } = office({ site: withMode(mode) });
    await expect(operate.start({ site, encounter: 'Encounter/7' })).rejects.toMatchObject({ code });
    expect(audit.entries).toEqual([]);
  });
});

describe('a look at one run', () => {
  test('shows what was said, and stands in the trail with who looked', async () => {
    const { operate, stores, audit } = office();
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const view = await operate.view({ id: run.id, isBrief: false, actor: 'reviewer/r-1' });
    expect(view.results?.transcribe?.transcript.utterances).toHaveLength(1);
    expect(view.steps).toHaveLength(9);
    expect(audit.entries).toMatchObject([{ action: 'run.view', actor: 'reviewer/r-1', run: run.id, site: 'mercy' }]);
  });

  test('that is brief shows nothing of the patient, and is nothing for the trail', async () => {
    const { operate, stores, audit } = office();
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    expect(await operate.view({ id: run.id, isBrief: true, actor: 'operator' })).not.toHaveProperty('results');
    expect(audit.entries).toEqual([]);
  });

  test('of another site is as if there were none', async () => {
    const { operate, stores, audit } = office();
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const order = { id: run.id, isBrief: false, actor: 'reviewer/r-2', site: 'general' };
    await expect(operate.view(order)).rejects.toMatchObject({ code: 'notFound' });
    expect(audit.entries).toEqual([]);
  });
});

describe('a replay', () => {
  test('is a run of its own, from the step that was asked for, and names the one that it repeats', async () => {
    const { operate, stores, audit, woken } = office();
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const { id } = await operate.replay({ id: run.id, from: 'map', isDry: true });
    expect(await knownRun(stores, id)).toMatchObject({ replayOf: run.id, isDry: true, status: 'queued' });
    expect(audit.entries).toMatchObject([
      { action: 'run.replay', run: run.id, details: { from: 'map', dryRun: true } },
    ]);
    expect(woken()).toBe(1);
  });

  test('begins with the chart where nothing else is asked', async () => {
    const { operate, stores } = office();
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const { id } = await operate.replay({ id: run.id, isDry: false });
    expect(await knownRun(stores, id)).toMatchObject({ step: 'read-chart', isDry: false });
  });

  test('of a run that is at work, or never had a session, is refused', async () => {
    const { operate, stores } = office();
    const running = await aKeptRun(stores, { session: 's-1' });
    await expect(operate.replay({ id: running.id, isDry: false })).rejects.toMatchObject({ code: 'conflict' });
    const queued = await aQueuedRun(stores, { encounter: 'Encounter/e-2' });
    await expect(operate.replay({ id: queued, isDry: false })).rejects.toMatchObject({ code: 'conflict' });
    await expect(operate.replay({ id: 'none', isDry: false })).rejects.toMatchObject({ code: 'notFound' });
  });
});

describe('a cancellation', () => {
  test('ends what nobody is at work on at once, and the rest at its next step', async () => {
    const { operate, stores, audit } = office();
    const held = await aKeptRun(stores, { session: 's-1', end: HELD });
    const running = await aKeptRun(stores, { encounter: 'Encounter/e-2', patient: 'Patient/p-2', session: 's-2' });
    expect(await operate.cancel(held.id)).toBe('cancelled');
    expect(await operate.cancel(running.id)).toBe('cancelling');
    expect(actionsOf(audit)).toEqual([
      ['run.cancel', held.id, 'mercy'],
      ['run.cancel', running.id, 'mercy'],
    ]);
  });

  test('of what is at its end is refused, and leaves no trace', async () => {
    const { operate, stores, audit } = office();
    const run = await aKeptRun(stores, { session: 's-1', end: WRITTEN });
    await expect(operate.cancel(run.id)).rejects.toMatchObject({
      code: 'conflict',
      message: 'The run is written: there is nothing left to cancel',
    });
    expect(audit.entries).toEqual([]);
  });
});

describe('without an audit trail', () => {
  test('nothing is started, repeated, ended or shown', async () => {
    const { operate, stores } = office({ audit: aBrokenAudit() });
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const held = await aKeptRun(stores, {
      encounter: 'Encounter/e-2',
      patient: 'Patient/p-2',
      session: 's',
      end: HELD,
    });
    const before = JSON.stringify(await stores.runs.list({ limit: 10 }));
    const since = { site: 'mercy', since: new Date('2026-03-01T00:00:00Z'), isCountOnly: false };
    for (const act of [
      () => operate.start({ site: 'mercy', encounter: 'Encounter/7' }),
      () => operate.startSince(since, signal),
      () => operate.replay({ id: run.id, isDry: false }),
      () => operate.cancel(held.id),
      () => operate.view({ id: run.id, isBrief: false, actor: 'operator' }),
    ]) {
      await expect(act()).rejects.toMatchObject({ code: 'overloaded' });
    }
    expect(JSON.stringify(await stores.runs.list({ limit: 10 }))).toBe(before);
  });
});
