// A recall over the runs that wrote it: found first, taken back one by one, each in the trail.
import { describe, expect, test } from '@jest/globals';
import { makeRecallRuns } from '../../src/flows/operating/recall-runs.ts';
import { makeRetractSession } from '../../src/flows/retract-session.ts';
import { makeTakeBack } from '../../src/flows/take-back.ts';
import { makeFakeAudit } from '../fakes/audit.ts';
import { makeFakePauses } from '../fakes/pauses.ts';
import { makeFakeRuns } from '../fakes/runs.ts';
import { isRetired } from '../support/chart-invariants.ts';
import { aHospital, aResult } from '../support/chart-writing.ts';
import { aKeptRun, knownRun, RESULTS, WRITTEN } from '../support/kept-runs.ts';

const signal = new AbortController().signal;
const QUERY = { model: 'example-model@1' };

function anOffice() {
  const hospital = aHospital();
  const { runtime, site, ledger } = hospital;
  const stores = makeFakeRuns({ now: runtime.now });
  const audit = makeFakeAudit({ now: runtime.now });
  const pauses = makeFakePauses({ now: runtime.now });
  const takeBack = makeTakeBack({
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
  return { hospital, stores, audit, pauses, ...makeRecallRuns({ ledger, sites, takeBack, audit, runtime }) };
}

describe('a recall', () => {
  test('shows first what it would take back, and takes nothing', async () => {
    const { hospital, find, audit } = anOffice();
    await hospital.write();
    expect(await find(QUERY)).toEqual([{ site: 'mercy', encounter: 'e-1', session: 'session-1' }]);
    expect([hospital.written('Condition').some(isRetired), audit.entries]).toEqual([false, []]);
  });

  test('takes the model as a run names it, and as the ledger does', async () => {
    const { hospital, find } = anOffice();
    await hospital.write();
    expect(await find({ model: `openai:${QUERY.model}` })).toEqual(await find(QUERY));
    expect(await find({ model: `other:${QUERY.model}` })).toEqual([]);
  });

  test('takes back each session, says so in its run, and leaves a trace of the whole and of each', async () => {
    const { hospital, stores, recall, audit } = anOffice();
    await hospital.write();
    await hospital.write(aResult({ run: 'run-2', session: 'session-2' }));
    const one = await aKeptRun(stores, { session: 'session-1', results: RESULTS, end: WRITTEN });
    const recalled = await recall({ query: QUERY, reason: 'The model mixed up sides.' }, signal);
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

  test('takes back also while writing is paused: nobody should have to let a wrong model write again first', async () => {
    const { hospital, pauses, recall } = anOffice();
    await hospital.write();
    await pauses.pause('mercy', 'all', 'Wrong units.');
    const recalled = await recall({ query: QUERY, reason: 'The model mixed up units.' }, signal);
    expect(recalled.map(({ outcome }) => outcome.status)).toEqual(['retracted']);
    expect(hospital.written('Condition').every(isRetired)).toBe(true);
  });

  test('that is broken off leaves the rest for the next one', async () => {
    const { hospital, recall, find } = anOffice();
    await hospital.write();
    await hospital.write(aResult({ run: 'run-2', session: 'session-2' }));
    const stopping = new AbortController();
    hospital.ehr.misbehave({ on: 'transact', before: () => stopping.abort() });
    await recall({ query: QUERY, reason: 'It was wrong.' }, stopping.signal).catch(() => undefined);
    hospital.ehr.behave();
    await recall({ query: QUERY, reason: 'It was wrong.' }, signal);
    expect(await find(QUERY)).toEqual([]);
    expect(hospital.written('Condition').every(isRetired)).toBe(true);
  });

  test('without saying of what is refused, and leaves no trace', async () => {
    const { recall, audit } = anOffice();
    await expect(recall({ query: { site: 'mercy' }, reason: 'All.' }, signal)).rejects.toMatchObject({
      code: 'invalidRequest',
    });
    expect(audit.entries).toEqual([]);
  });
});
