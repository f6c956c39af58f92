// What an operator does with runs, and that nothing is done which the audit trail does not have.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import type { FindEncounters } from '../../../src/flows/operations/find-encounters.ts';
import { makeOperateRuns } from '../../../src/flows/operations/operate-runs.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { type FakeAudit, makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { aPersonsAccess, aReviewersAccess, asIfOpen, OPERATOR } from '../../support/access.ts';
import { aLiveSite } from '../../support/chart-writing.ts';
import { aKeptRun, aQueuedRun, aReplay, HELD, knownRun, PARKED, RESULTS, WRITTEN } from '../../support/stored-runs.ts';

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
    requireOpenChart: asIfOpen,
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

describe('starting runs by hand', () => {
  it('a start creates a run, is recorded in the audit trail, and wakes the worker', async () => {
    const { operate, stores, audit, woken } = office();
    const { id } = await operate.start({ access: OPERATOR, site: 'mercy', encounter: 'Encounter/7' });
    const run = await knownRun(stores, id);
    expect(run).toMatchObject({ encounter: 'Encounter/7', status: 'queued', organization: 'mercy' });
    expect(run.trigger.source).toBe('operator');
    expect(audit.entries).toMatchObject([
      { action: 'run.start', actor: 'operator', site: 'mercy', details: { encounters: ['Encounter/7'] } },
    ]);
    expect(audit.entries[0]?.details?.['event']).toBe(run.trigger.eventId);
    expect(woken()).toBe(1);
  });

  it('a second start resolves the encounter again', async () => {
    const { operate, stores } = office();
    const run = await aKeptRun(stores, {
      encounter: 'Encounter/7',
      end: { status: 'skipped', reason: 'trigger', message: 'The trigger said no.' },
    });
    const first = await operate.start({ access: OPERATOR, site: 'mercy', encounter: 'Encounter/7' });
    expect(first.id).toBe(run.id);
    expect((await knownRun(stores, run.id)).status).toBe('queued');
    expect(first.earlier).toEqual({ id: run.id, status: 'skipped', reason: 'trigger' });
    expect(await operate.start({ access: OPERATOR, site: 'mercy', encounter: 'Encounter/7' })).toEqual({ id: run.id });
  });

  it('a second start of an encounter whose run has ended names that run and its state', async () => {
    const { operate, stores } = office();
    const order = { access: OPERATOR, site: 'mercy', encounter: 'Encounter/7' };
    const run = await aKeptRun(stores, { encounter: 'Encounter/7', session: 's-1', results: RESULTS, end: PARKED });
    const again = await aReplay(stores, run, WRITTEN);
    await operate.replay({ access: OPERATOR, id: again.id, isDry: true });
    const second = await operate.start(order);
    expect(second).toEqual({ id: expect.any(String), earlier: { id: again.id, status: 'written' } });
    expect([run.id, again.id]).not.toContain(second.id);
    expect(await operate.start({ ...order, encounter: 'Encounter/8' })).toEqual({ id: expect.any(String) });
  });

  it('counting encounters starts no run', async () => {
    const { operate, stores, audit } = office();
    const order = { access: OPERATOR, site: 'mercy', since: new Date('2026-03-01T00:00:00Z'), isCountOnly: true };
    expect(await operate.startSince(order, signal)).toEqual({ count: 3, isComplete: true });
    expect((await stores.runs.list({ scope: 'all', limit: 10 })).runs).toEqual([]);
    expect(audit.entries).toEqual([]);
  });

  it('a start since a time starts each encounter once, also with many encounters', async () => {
    const { operate, stores, audit } = office({ encounters: 250 });
    const order = { access: OPERATOR, site: 'mercy', since: new Date('2026-03-01T00:00:00Z'), isCountOnly: false };
    const { count, isComplete, ids = [] } = await operate.startSince(order, signal);
    expect([count, isComplete, new Set(ids).size]).toEqual([250, false, 250]);
    expect((await stores.runs.list({ scope: 'all', limit: 500 })).runs).toHaveLength(250);
    expect(audit.entries.flatMap(({ details }) => details?.['encounters'] ?? [])).toHaveLength(250);
  });

  it.each([
    ['a site that is off', 'mercy', 'off', 'conflict'],
    ['a site that there is not', 'mery', 'live', 'notFound'],
    ['a site whose files have problems', 'st-mary', 'live', 'conflict'],
  ] as const)('a start for %s is refused and not recorded', async (_, site, mode, code) => {
    const { operate, audit } = office({ site: withMode(mode) });
    await expect(operate.start({ access: OPERATOR, site, encounter: 'Encounter/7' })).rejects.toMatchObject({ code });
    expect(audit.entries).toEqual([]);
  });
});

describe('viewing a run', () => {
  it('a view returns the results and is recorded in the audit trail with its actor', async () => {
    const { operate, stores, audit } = office();
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const view = await operate.view({
      id: run.id,
      isBrief: false,
      access: aReviewersAccess({ id: 'r-1', site: 'mercy' }),
    });
    expect(view.results?.transcribe?.transcript.utterances).toHaveLength(1);
    expect(view.steps).toHaveLength(9);
    expect(audit.entries).toMatchObject([{ action: 'run.view', actor: 'reviewer/r-1', run: run.id, site: 'mercy' }]);
  });

  it('a brief view has no patient data and is not recorded', async () => {
    const { operate, stores, audit } = office();
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    expect(await operate.view({ id: run.id, isBrief: true, access: OPERATOR })).not.toHaveProperty('results');
    expect(audit.entries).toEqual([]);
  });

  it('a run of another site is answered like an unknown run', async () => {
    const { operate, stores, audit } = office();
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const order = { id: run.id, isBrief: false, access: aReviewersAccess({ id: 'r-2', site: 'general' }) };
    await expect(operate.view(order)).rejects.toMatchObject({ code: 'notFound' });
    expect(audit.entries).toEqual([]);
  });

  it('a person who came from the EHR for one encounter sees no run of another one', async () => {
    const { operate, stores } = office();
    const own = await aKeptRun(stores, { encounter: 'Encounter/1', session: 's-1', results: RESULTS, end: WRITTEN });
    const other = await aKeptRun(stores, { encounter: 'Encounter/2', session: 's-2', results: RESULTS, end: WRITTEN });
    const access = aPersonsAccess(['mercy'], { role: 'reviewer', opened: { site: 'mercy', encounter: 'Encounter/1' } });
    expect((await operate.view({ id: own.id, isBrief: true, access })).run.id).toBe(own.id);
    await expect(operate.view({ id: other.id, isBrief: true, access })).rejects.toMatchObject({ code: 'notFound' });
    expect((await operate.list({ scope: access.runs, limit: 10 })).runs.map(({ id }) => id)).toEqual([own.id]);
  });

  it('what a person does is recorded with the role, the purpose and the address', async () => {
    const { operate, stores, audit } = office();
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const access = aPersonsAccess(['mercy']);
    await operate.view({ id: run.id, isBrief: false, access });
    await operate.replay({ id: run.id, from: 'map', isDry: true, access });
    const who = { as: 'operator', purpose: 'TREAT', address: '192.0.2.7' };
    expect(audit.entries).toMatchObject([
      { action: 'run.view', actor: 'person/00000000000000aa', run: run.id, details: who },
      { action: 'run.replay', actor: 'person/00000000000000aa', details: { ...who, from: 'map', dryRun: true } },
    ]);
  });

  it('whatever a person may do, a run or site of another site does not exist', async () => {
    const { operate, stores, audit } = office();
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const access = aPersonsAccess(['general']);
    const since = new Date('2026-03-01T00:00:00Z');
    for (const act of [
      () => operate.start({ access, site: 'mercy', encounter: 'Encounter/7' }),
      () => operate.startSince({ access, site: 'mercy', since, isCountOnly: true }, signal),
      () => operate.replay({ access, id: run.id, isDry: false }),
      () => operate.cancel({ access, id: run.id }),
      () => operate.view({ access, id: run.id, isBrief: true }),
    ]) {
      const failure: unknown = await act().then(
        () => 'done',
        (thrown: unknown) => thrown,
      );
      expect(failure).toMatchObject({ code: 'notFound', message: expect.not.stringContaining('is mercy') });
    }
    expect(audit.entries).toEqual([]);
  });
});

describe('replaying a run', () => {
  it('a replay is a new run from the requested step, and names the original run', async () => {
    const { operate, stores, audit, woken } = office();
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const { id } = await operate.replay({ access: OPERATOR, id: run.id, from: 'map', isDry: true });
    expect(await knownRun(stores, id)).toMatchObject({ replayOf: run.id, isDry: true, status: 'queued' });
    expect(audit.entries).toMatchObject([
      { action: 'run.replay', run: run.id, details: { from: 'map', dryRun: true } },
    ]);
    expect(woken()).toBe(1);
  });

  it('a replay begins with read-chart by default', async () => {
    const { operate, stores } = office();
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const { id } = await operate.replay({ access: OPERATOR, id: run.id, isDry: false });
    expect(await knownRun(stores, id)).toMatchObject({ step: 'read-chart', isDry: false });
  });

  it('a run that is being processed or has no session cannot be replayed', async () => {
    const { operate, stores } = office();
    const running = await aKeptRun(stores, { session: 's-1' });
    await expect(operate.replay({ access: OPERATOR, id: running.id, isDry: false })).rejects.toMatchObject({
      code: 'conflict',
    });
    const queued = await aQueuedRun(stores, { encounter: 'Encounter/e-2' });
    await expect(operate.replay({ access: OPERATOR, id: queued, isDry: false })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(operate.replay({ access: OPERATOR, id: 'none', isDry: false })).rejects.toMatchObject({
      code: 'notFound',
    });
  });
});

describe('cancelling a run', () => {
  it('a run that no worker processes ends at once, another one after its current step', async () => {
    const { operate, stores, audit } = office();
    const held = await aKeptRun(stores, { session: 's-1', end: HELD });
    const running = await aKeptRun(stores, { encounter: 'Encounter/e-2', patient: 'Patient/p-2', session: 's-2' });
    expect(await operate.cancel({ id: held.id, access: OPERATOR })).toBe('cancelled');
    expect(await operate.cancel({ id: running.id, access: OPERATOR })).toBe('cancelling');
    expect(actionsOf(audit)).toEqual([
      ['run.cancel', held.id, 'mercy'],
      ['run.cancel', running.id, 'mercy'],
    ]);
  });

  it('an ended run cannot be cancelled, and nothing is recorded', async () => {
    const { operate, stores, audit } = office();
    const run = await aKeptRun(stores, { session: 's-1', end: WRITTEN });
    await expect(operate.cancel({ id: run.id, access: OPERATOR })).rejects.toMatchObject({
      code: 'conflict',
      message: 'The run is written: there is nothing left to cancel',
    });
    expect(audit.entries).toEqual([]);
  });
});

describe('a failing audit trail', () => {
  it('nothing is started, replayed, cancelled or shown', async () => {
    const { operate, stores } = office({ audit: aBrokenAudit() });
    const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const held = await aKeptRun(stores, {
      encounter: 'Encounter/e-2',
      patient: 'Patient/p-2',
      session: 's',
      end: HELD,
    });
    const before = JSON.stringify(await stores.runs.list({ scope: 'all', limit: 10 }));
    const since = { access: OPERATOR, site: 'mercy', since: new Date('2026-03-01T00:00:00Z'), isCountOnly: false };
    for (const act of [
      () => operate.start({ access: OPERATOR, site: 'mercy', encounter: 'Encounter/7' }),
      () => operate.startSince(since, signal),
      () => operate.replay({ access: OPERATOR, id: run.id, isDry: false }),
      () => operate.cancel({ id: held.id, access: OPERATOR }),
      () => operate.view({ id: run.id, isBrief: false, access: OPERATOR }),
    ]) {
      await expect(act()).rejects.toMatchObject({ code: 'overloaded' });
    }
    expect(JSON.stringify(await stores.runs.list({ scope: 'all', limit: 10 }))).toBe(before);
  });
});
