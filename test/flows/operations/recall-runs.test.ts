// A recall of runs: their documents are found first and retracted one by one, each with an audit entry.
import { describe, expect, it } from '@jest/globals';
import type { StepResults } from '../../../src/domain/run/step-results.ts';
import { makeRetractRun } from '../../../src/flows/chart-writing/retract-run.ts';
import { makeRetractSession } from '../../../src/flows/chart-writing/retract-session.ts';
import { makeRecallRuns, type RecallOrder, type RecallRunsParts } from '../../../src/flows/operations/recall-runs.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakePauses } from '../../fakes/pauses.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';
import { OPERATOR } from '../../support/access.ts';
import { isRetired } from '../../support/chart-invariants.ts';
import { aHospital, aResult } from '../../support/chart-writing.ts';
import { aKeptRun, HELD, knownRun, RESULTS, type RunStores, WRITTEN } from '../../support/stored-runs.ts';

const signal = new AbortController().signal;
const QUERY = { model: 'example-model@1' };

function anOffice() {
  const hospital = aHospital();
  const { runtime, site, ledger } = hospital;
  const stores = makeFakeRuns({ now: runtime.now });
  const audit = makeFakeAudit({ now: runtime.now });
  const pauses = makeFakePauses({ now: runtime.now });
  const takeBack = makeRetractRun({
    retractSession: makeRetractSession(hospital.parts),
    runs: stores.runs,
    ledger,
    pauses,
    audit,
    runtime,
  });
  const sites = {
    current: () => ({
      sites: new Map([[site.name, site]]),
      problems: [],
      stale: new Set<string>(),
      unavailable: new Set<string>(),
    }),
  };
  const recallWith = (runs: RecallRunsParts['runs']) =>
    makeRecallRuns({ ledger, runs, sites, retractRun: takeBack, audit, runtime });
  const { find: findIn } = recallWith(stores.runs);
  const find = (query: RecallOrder['query']) => findIn({ query, access: OPERATOR });
  const recall = (order: RecallOrder, until: AbortSignal, runs: RecallRunsParts['runs'] = stores.runs) =>
    recallWith(runs).recall(order, until);
  return { hospital, stores, audit, pauses, find, recall };
}

const MODEL = `openai:${QUERY.model}`;
const REASON = 'The model mixed up sides.';

/** A run that has made its draft with that model. */
function aDraft(stores: RunStores, n: number, parts: Partial<Parameters<typeof aKeptRun>[1]> = {}) {
  const place = { encounter: `Encounter/e-${n}`, patient: `Patient/p-${n}`, session: `session-${n}` };
  return aKeptRun(stores, { ...place, results: RESULTS, model: MODEL, ...parts });
}

describe('a recall of drafts that are not written yet', () => {
  it('a search shows the drafts without changing them', async () => {
    const { stores, find, audit } = anOffice();
    const held = await aDraft(stores, 1, { end: HELD });
    await aDraft(stores, 2, { end: HELD, model: 'openai:another' });
    expect(await find(QUERY)).toEqual({ places: [], drafts: [held] });
    expect([await knownRun(stores, held.id), audit.entries]).toEqual([held, []]);
  });

  it('held drafts are withdrawn, and their runs say so and how to make a new draft', async () => {
    const { stores, recall, audit } = anOffice();
    const held = await aDraft(stores, 1, { end: HELD });
    const { withdrawn, recalled } = await recall({ access: OPERATOR, query: QUERY, reason: REASON }, signal);
    expect([withdrawn, recalled]).toEqual([[{ run: held, status: 'withdrawn' }], []]);
    expect(await knownRun(stores, held.id)).toMatchObject({
      status: 'cancelled',
      reason: 'recalled',
      message: expect.stringMatching(/^The run was recalled: .* must not be approved or written\.$/),
      advice: `To make a new draft: npm run cli -- runs replay ${held.id} --from write-note.`,
    });
    const review = {
      decision: 'approve',
      time: '2026-03-02T10:00:00Z',
      reviewer: 'Practitioner/7',
      revision: 1,
    } as const;
    await expect(stores.runs.review({ id: held.id, review })).rejects.toMatchObject({ code: 'conflict' });
    expect(audit.entries).toMatchObject([{ action: 'run.recall', details: { places: 0, drafts: 1 } }]);
    const again = await stores.runs.replay({ id: held.id, from: 'write-note', isDry: false });
    const none = await recall({ access: OPERATOR, query: QUERY, reason: REASON }, signal);
    expect([none.withdrawn, (await knownRun(stores, again.id)).status]).toEqual([[], 'queued']);
  });

  it('runs in process are reported as at work, and another recall finds what they wrote', async () => {
    const { stores, recall } = anOffice();
    const running = await aDraft(stores, 1);
    const { withdrawn } = await recall({ access: OPERATOR, query: QUERY, reason: REASON }, signal);
    expect(withdrawn).toMatchObject([{ run: { id: running.id }, status: 'at-work' }]);
    expect(await knownRun(stores, running.id)).toMatchObject({ isCancelling: true, reason: 'recalled' });
  });

  it('drafts are withdrawn before the charts are searched, so documents that are written meanwhile are found', async () => {
    const { hospital, stores, recall } = anOffice();
    const running = await aDraft(stores, 1);
    const { withdraw } = stores.runs;
    const runs = {
      ...stores.runs,
      withdraw: async (...order: Parameters<typeof withdraw>) => {
        const outcome = await withdraw(...order);
        await hospital.write();
        return outcome;
      },
    };
    const { withdrawn, recalled } = await recall({ access: OPERATOR, query: QUERY, reason: REASON }, signal, runs);
    expect(withdrawn).toMatchObject([{ run: { id: running.id }, status: 'at-work' }]);
    expect(recalled.map(({ outcome }) => outcome.status)).toEqual(['retracted']);
    expect(hospital.written('Condition').every(isRetired)).toBe(true);
  });

  it('drafts that a replay has copied meanwhile are withdrawn as well', async () => {
    const { stores, recall } = anOffice();
    const before = { 'read-chart': {} as StepResults['read-chart'], 'fetch-recording': { recordings: [] } };
    const held = await aDraft(stores, 1, { end: HELD, results: { ...before, ...RESULTS } });
    const { findUnwritten } = stores.runs;
    let copies = 0;
    const runs = {
      ...stores.runs,
      findUnwritten: async (...query: Parameters<typeof findUnwritten>) => {
        const found = await findUnwritten(...query);
        if (found.length === 1 && copies++ === 1) {
          await stores.runs.replay({ id: held.id, from: 'map', isDry: false });
        }
        return found;
      },
    };
    const { withdrawn } = await recall({ access: OPERATOR, query: QUERY, reason: REASON }, signal, runs);
    expect(withdrawn.map(({ run }) => run.replayOf)).toEqual([undefined, held.id]);
    expect(await findUnwritten({ ...QUERY, scope: 'all' })).toEqual([]);
  });
});

describe('a recall', () => {
  it('a search shows the documents without retracting them', async () => {
    const { hospital, find, audit } = anOffice();
    await hospital.write();
    const places = [{ site: 'mercy', encounter: 'e-1', session: 'session-1' }];
    expect(await find(QUERY)).toEqual({ places, drafts: [] });
    expect([hospital.written('Condition').some(isRetired), audit.entries]).toEqual([false, []]);
  });

  it('the model may be named as in runs or as in the ledger', async () => {
    const { hospital, find } = anOffice();
    await hospital.write();
    expect(await find({ model: `openai:${QUERY.model}` })).toEqual(await find(QUERY));
    expect(await find({ model: `other:${QUERY.model}` })).toEqual({ places: [], drafts: [] });
  });

  it('each session is retracted and its run marked, with an audit entry for the recall and for each session', async () => {
    const { hospital, stores, recall, audit } = anOffice();
    await hospital.write();
    await hospital.write(aResult({ run: 'run-2', session: 'session-2' }));
    const one = await aKeptRun(stores, { session: 'session-1', results: RESULTS, end: WRITTEN });
    const { recalled } = await recall({ access: OPERATOR, query: QUERY, reason: 'The model mixed up sides.' }, signal);
    expect(recalled.map(({ outcome }) => outcome.status)).toEqual(['retracted', 'retracted']);
    expect(hospital.written('Condition').every(isRetired)).toBe(true);
    expect((await knownRun(stores, one.id)).status).toBe('retracted');
    expect(audit.entries.map(({ action, details }) => [action, details?.['session'] ?? details?.['places']])).toEqual([
      ['run.recall', 2],
      ['run.retract', 'session-1'],
      ['run.retract', 'session-2'],
    ]);
    expect(JSON.stringify(hospital.written('Provenance'))).toContain('The model mixed up sides.');
  });

  it('documents are retracted even while writing is paused', async () => {
    const { hospital, pauses, recall } = anOffice();
    await hospital.write();
    await pauses.pause('mercy', 'all', 'Wrong units.');
    const { recalled } = await recall({ access: OPERATOR, query: QUERY, reason: 'The model mixed up units.' }, signal);
    expect(recalled.map(({ outcome }) => outcome.status)).toEqual(['retracted']);
    expect(hospital.written('Condition').every(isRetired)).toBe(true);
  });

  it('an aborted recall leaves the rest for the next one', async () => {
    const { hospital, recall, find } = anOffice();
    await hospital.write();
    await hospital.write(aResult({ run: 'run-2', session: 'session-2' }));
    const stopping = new AbortController();
    hospital.ehr.misbehave({ on: 'transact', before: () => stopping.abort() });
    await recall({ access: OPERATOR, query: QUERY, reason: 'It was wrong.' }, stopping.signal).catch(() => undefined);
    hospital.ehr.behave();
    await recall({ access: OPERATOR, query: QUERY, reason: 'It was wrong.' }, signal);
    expect(await find(QUERY)).toEqual({ places: [], drafts: [] });
    expect(hospital.written('Condition').every(isRetired)).toBe(true);
  });

  it('an empty query is refused and not recorded', async () => {
    const { recall, audit } = anOffice();
    await expect(recall({ access: OPERATOR, query: { site: 'mercy' }, reason: 'All.' }, signal)).rejects.toMatchObject({
      code: 'invalidRequest',
    });
    expect(audit.entries).toEqual([]);
  });
});
