// Runs over /ops: list, view, start, replay, cancel, recall and explain, and whose key is accepted.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { explainResponse } from '../../../../src/wire/explain.ts';
import { recallPreviewResponse, recallResponse } from '../../../../src/wire/recall.ts';
import { runListResponse } from '../../../../src/wire/run.ts';
import { evidenceResponse } from '../../../../src/wire/run-evidence.ts';
import { cancelResponse, startedResponse, startedRunsResponse } from '../../../../src/wire/run-orders.ts';
import { runViewResponse } from '../../../../src/wire/run-view.ts';
import {
  aKeptRun,
  aQueuedRun,
  aReplay,
  CHECKED_RESULTS,
  HELD,
  knownRun,
  PARKED,
  RESULTS,
  WRITTEN,
} from '../../../support/stored-runs.ts';
import { type Ask, askOps } from './ops-asking.ts';
import { type OpsEngine, startOpsEngine } from './ops-engine.ts';

const NO_RUN = '00000000-0000-4000-8000-00000000dead';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const ask = (request: string, how?: Ask) => askOps(engine, request, how);

function expectShape(schema: z.ZodType, answer: unknown) {
  expect(schema.safeParse(answer).error?.issues).toBeUndefined();
}

const written = (parts: Partial<Parameters<typeof aKeptRun>[1]> = {}) =>
  aKeptRun(engine.stores, { session: 's-1', results: RESULTS, model: 'example-model', end: WRITTEN, ...parts });

describe('the routes of runs', () => {
  it.each([
    'GET /runs',
    'POST /runs',
    `GET /runs/${NO_RUN}`,
    `GET /runs/${NO_RUN}/evidence`,
    `POST /runs/${NO_RUN}/replay`,
    `POST /runs/${NO_RUN}/cancel`,
    'POST /runs/recall',
    'GET /events',
    'POST /sites/mercy/explain',
  ])('%s is 401 without the operator key', async (request) => {
    expect((await ask(request, { key: 'wrong' })).status).toBe(401);
    const { key } = (await ask('POST /keys', { body: { organization: 'mercy' } })).answer;
    expect((await ask(request, { key })).status).toBe(401);
  });

  it.each([
    ['DELETE /runs', 'GET, HEAD, POST'],
    [`DELETE /runs/${NO_RUN}`, 'GET, HEAD'],
    [`GET /runs/${NO_RUN}/replay`, 'POST'],
    [`GET /runs/${NO_RUN}/cancel`, 'POST'],
    ['GET /runs/recall', 'POST'],
    ['POST /events', 'GET, HEAD'],
    ['GET /sites/mercy/explain', 'POST'],
  ])('%s is 405 with the allowed methods', async (request, allowed) => {
    const { status, headers } = await ask(request);
    expect([status, headers.get('allow')]).toEqual([405, allowed]);
  });

  it.each([
    `GET /runs/${NO_RUN}`,
    'GET /runs/nothing',
    `POST /runs/Run/${NO_RUN}/replay`,
    `POST /runs/${NO_RUN}/cancel`,
  ])('%s is 404', async (request) => {
    const { status, answer } = await ask(request);
    expect([status, answer.message]).toEqual([404, 'There is no run with this id']);
  });
});

describe('the list of runs', () => {
  it('has the newest first, in the documented shape, without patient data', async () => {
    const run = await written({ eventId: 'evt-1' });
    const later = await aQueuedRun(engine.stores, { encounter: 'Encounter/e-2' });
    const { status, answer } = await ask('GET /runs');
    expectShape(runListResponse, answer);
    expect([status, answer.runs.map(({ id }: { id: string }) => id)]).toEqual([200, [later, run.id]]);
    expect(answer.runs[1]).toMatchObject({
      site: 'mercy',
      encounter: 'Encounter/e-1',
      patient: 'Patient/p-1',
      session: 's-1',
      status: 'written',
      trigger: { source: 'amqp', eventId: 'evt-1', receivedAt: '2026-03-02T09:59:00.000Z' },
      versions: { model: 'example-model' },
      resources: [
        { document: 'composition', reference: 'Composition/12', status: 'created' },
        { document: 'condition', reference: 'Condition/13', status: 'created' },
      ],
      createdAt: '2026-11-21T08:00:00.000Z',
    });
    expect(JSON.stringify(answer)).not.toMatch(/cough|steps|transcript/i);
  });

  it('of parked runs leaves out those whose replay was written, unless they are asked for', async () => {
    const run = await written({ end: PARKED });
    const ids = async (query: string) => {
      const { answer } = await ask(`GET /runs?status=parked${query}`);
      expectShape(runListResponse, answer);
      return answer.runs.map(({ id, replayedBy }: { id: string; replayedBy?: string }) => [id, replayedBy]);
    };
    expect(await ids('')).toEqual([[run.id, undefined]]);
    const again = await aReplay(engine.stores, run, WRITTEN);
    expect(await ids('')).toEqual([]);
    expect(await ids('&replayed=false')).toEqual([]);
    expect(await ids('&replayed=true')).toEqual([[run.id, again.id]]);
    expect((await ask('GET /runs?status=parked&replayed=perhaps')).status).toBe(400);
  });

  it('leaves out a look at an encounter that has a run already, unless it is asked for', async () => {
    const run = await written();
    const look = await aQueuedRun(engine.stores, { encounter: run.encounter });
    const ids = async (query: string) =>
      (await ask(`GET /runs?encounter=${run.encounter}${query}`)).answer.runs.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([run.id]);
    expect(await ids('&looks=true')).toEqual([look, run.id]);
  });

  it('comes in pages with a cursor for the next page', async () => {
    const ids: string[] = [];
    for (const n of [1, 2, 3]) ids.push(await aQueuedRun(engine.stores, { encounter: `Encounter/e-${n}` }));
    const first = (await ask('GET /runs?limit=2')).answer;
    const second = (await ask(`GET /runs?limit=2&cursor=${encodeURIComponent(first.next)}`)).answer;
    expect([...first.runs, ...second.runs].map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
    expect(second).not.toHaveProperty('next');
  });

  it.each([
    ['status=written', 1],
    ['status=held,written', 2],
    ['status=held&status=queued', 2],
    ['site=mercy', 2],
    ['site=Site/general', 1],
    ['patient=p-1', 1],
    ['patient=Patient/p-1', 1],
    ['encounter=e-1', 1],
    ['encounter=Encounter/e-1', 1],
    ['encounter=visit:V-77', 1],
    ['q=e-1', 1],
    ['model=example-model', 1],
    ['mapping=none', 0],
    ['since=2026-11-21T08:00:00Z', 3],
    ['since=2026-11-22', 0],
    ['site=mercy&status=held&patient=p-2', 1],
    ['status=&site=', 3],
  ])('filtered by %s has %i runs', async (query, count) => {
    await written();
    await aKeptRun(engine.stores, { encounter: 'Encounter/e-2', patient: 'Patient/p-2', session: 's-2', end: HELD });
    await aQueuedRun(engine.stores, { site: 'general', encounter: 'visit:V-77' });
    const { status, answer } = await ask(`GET /runs?${query}`);
    expect([status, answer.runs?.length]).toEqual([200, count]);
  });

  it.each([
    ['status=done', /^status\.0 must be one of queued, running/],
    ['patient=Encounter/1', /patient must be an id/],
    ['encounter=Patient/1', /encounter must be an id/],
    ['encounter=a/b/c', /encounter must be an id/],
    ['encounter=..', /encounter must be an id/],
    ['limit=0', /limit must be a whole number/],
    ['limit=501', /limit must be a whole number/],
    ['since=soon', /since must be a day/],
    ['site=a%20b', /site must be the name/],
    ['stat=written', /unknown fields: "stat"/],
    ['site=mercy&site=general', /site/],
  ])('is refused with %s', async (query, message) => {
    const { status, answer } = await ask(`GET /runs?${query}`);
    expect([status, answer.message]).toEqual([400, [expect.stringMatching(message)]]);
  });
});

describe('one run', () => {
  it('is shown with its steps, events and results, and the view is in the audit trail', async () => {
    const run = await written({ eventId: 'evt-1' });
    const { status, answer } = await ask(`GET /runs/${run.id}`);
    expectShape(runViewResponse, answer);
    expect(status).toBe(200);
    expect(answer).toMatchObject({
      id: run.id,
      events: [{ source: 'amqp', eventId: 'evt-1', repeats: 0 }],
      transcript: { utterances: [{ text: 'I cough.' }] },
      note: { title: 'Cough and fever', sections: [{ key: 'SUBJECTIVE' }, { key: 'PLAN' }] },
      diagnosis: { triage: { triage_level: 'WHITE' } },
      check: { statements: [] },
      bundle: { resourceType: 'Bundle', type: 'collection', entry: [{ resource: { resourceType: 'Composition' } }] },
    });
    expect(answer.steps.map(({ status: of }: { status: string }) => of)).toEqual([
      'pending',
      'pending',
      'done',
      'done',
      'done',
      'done',
      'done',
      'pending',
      'pending',
    ]);
    expect(engine.audit.entries).toMatchObject([{ action: 'run.view', actor: 'operator', run: run.id }]);
  });

  it('is shown statement by statement with the words of each, and the view is in the audit trail', async () => {
    const run = await written({ results: CHECKED_RESULTS });
    const { status, answer } = await ask(`GET /runs/Run/${run.id}/evidence`);
    expectShape(evidenceResponse, answer);
    expect(status).toBe(200);
    expect(answer).toMatchObject({
      title: 'Cough and fever',
      statements: [
        {
          id: 'st-1',
          section: 'SUBJECTIVE',
          title: 'Subjective',
          text: 'Cough for three days.',
          verdict: 'unsupported',
          claims: [{ kind: 'number', text: 'three days', verdict: 'unsupported' }],
        },
        { id: 'st-2', section: 'PLAN' },
      ],
      missing: [],
    });
    expect(engine.audit.entries).toMatchObject([{ action: 'run.view', actor: 'operator', run: run.id }]);
  });

  it.each([
    ['was not checked yet', { transcribe: RESULTS.transcribe }],
    ['was checked by an earlier version', RESULTS],
  ])('has no evidence if its note %s', async (_, results) => {
    const run = await written({ results });
    const { status, answer } = await ask(`GET /runs/${run.id}/evidence`);
    expect([status, answer.message]).toEqual([404, expect.stringContaining('This run has no evidence')]);
  });

  it('in brief is shown with its steps and without patient data, and the view is not in the audit trail', async () => {
    const run = await written();
    const { answer } = await ask(`GET /runs/Run/${run.id}?brief=true`);
    expectShape(runViewResponse, answer);
    expect(answer.steps).toHaveLength(9);
    for (const name of ['transcript', 'note', 'diagnosis', 'check', 'bundle']) expect(answer).not.toHaveProperty(name);
    expect(engine.audit.entries).toEqual([]);
  });

  it('in brief shows how many codes are official, and none of them', async () => {
    const codes = { list: { system: 'icd-10-cm', version: '2026' }, official: 2, unverified: 0, unknown: 1 } as const;
    const run = await written({ results: { ...RESULTS, map: { ...RESULTS.map, codes } } });
    const { answer } = await ask(`GET /runs/${run.id}?brief=true`);
    expectShape(runViewResponse, answer);
    expect(answer.codes).toEqual(codes);
    expect((await ask(`GET /runs/${run.id}`)).answer.codes).toEqual(codes);
  });

  it("in brief shows how much was taken out of the reasoner's answers", async () => {
    const { check, diagnose } = RESULTS;
    const results = {
      ...RESULTS,
      check: { ...check, removed: { markup: 2, addresses: 1 } },
      diagnose: { ...diagnose, removed: { links: 1, dosages: 3, markup: 0 } },
    } as typeof RESULTS;
    const { answer } = await ask(`GET /runs/${(await written({ results })).id}?brief=true`);
    expectShape(runViewResponse, answer);
    expect(answer.removed).toEqual({ markup: 2, addresses: 2, dosages: 3 });
  });

  it("has no count of what was taken out of the reasoner's answers if that was nothing", async () => {
    expect((await ask(`GET /runs/${(await written()).id}`)).answer).not.toHaveProperty('removed');
  });

  it('is shown only in brief while the audit trail cannot be written', async () => {
    const run = await written();
    engine.loseTrail();
    expect((await ask(`GET /runs/${run.id}`)).status).toBe(503);
    expect((await ask(`GET /runs/${run.id}?brief=true`)).status).toBe(200);
  });

  it('that is parked shows what is wrong and what to do', async () => {
    const end = { status: 'parked', reason: 'refused', message: 'Refused.', advice: 'See its log.' } as const;
    const run = await written({ end });
    const { answer } = await ask(`GET /runs/${run.id}?brief=true`);
    expectShape(runViewResponse, answer);
    expect(answer.error).toEqual({ code: 'refused', message: 'Refused.', advice: 'See its log.' });
  });

  it('is refused with unknown query parameters', async () => {
    const run = await written();
    expect((await ask(`GET /runs/${run.id}?brief=yes`)).status).toBe(400);
    expect((await ask(`GET /runs/${run.id}?full=true`)).status).toBe(400);
  });
});

describe('a start by the operator', () => {
  it.each(['7', 'Encounter/7'])('for encounter %s creates its run', async (encounter) => {
    const { status, answer } = await ask('POST /runs', { body: { site: 'mercy', encounter } });
    expectShape(startedResponse, answer);
    expect(status).toBe(202);
    expect((await knownRun(engine.stores, answer.id)).encounter).toBe('Encounter/7');
  });

  it('for all encounters since a time can be counted first', async () => {
    engine.found.push('Encounter/1', 'Encounter/2');
    const order = { site: 'mercy', since: '2026-11-01' };
    const counted = await ask('POST /runs', { body: { ...order, countOnly: true } });
    expectShape(startedRunsResponse, counted.answer);
    expect([counted.status, counted.answer]).toEqual([200, { count: 2, isComplete: true }]);
    expect((await ask('GET /runs')).answer.runs).toEqual([]);
    const started = await ask('POST /runs', { body: order });
    expectShape(startedRunsResponse, started.answer);
    expect([started.status, started.answer.ids.length]).toEqual([202, 2]);
  });

  it.each([
    [{}, 400],
    [{ site: 'mercy' }, 400],
    [{ site: 'mercy', encounter: 'Patient/1' }, 400],
    [{ site: 'mercy', encounter: '7', since: '2026-11-01' }, 400],
    [{ site: 'mercy', encounter: '7', countOnly: true }, 400],
    [{ site: 'mercy', since: 'soon' }, 400],
    [{ site: 'mercy', encounter: '7', force: true }, 400],
    [{ site: 'mery', encounter: '7' }, 404],
    [{ site: 'st-mary', encounter: '7' }, 409],
  ])('with %j is refused with %i and creates no run', async (body, status) => {
    expect((await ask('POST /runs', { body })).status).toBe(status);
    expect((await ask('GET /runs')).answer.runs).toEqual([]);
  });

  it('is refused if the audit trail cannot be written', async () => {
    engine.loseTrail();
    expect((await ask('POST /runs', { body: { site: 'mercy', encounter: '7' } })).status).toBe(503);
    expect((await ask('GET /runs')).answer.runs).toEqual([]);
  });
});

describe('a replay', () => {
  it('without a body starts with read-chart', async () => {
    const run = await written();
    const { status, answer } = await ask(`POST /runs/${run.id}/replay`);
    expectShape(startedResponse, answer);
    expect(status).toBe(202);
    expect(await knownRun(engine.stores, answer.id)).toMatchObject({ replayOf: run.id, isDry: false });
  });

  it('can be a dry run and start with a later step', async () => {
    const run = await written();
    const { answer } = await ask(`POST /runs/Run/${run.id}/replay`, { body: { from: 'map', dryRun: true } });
    expect(await knownRun(engine.stores, answer.id)).toMatchObject({ isDry: true });
    expect(engine.audit.entries).toMatchObject([{ action: 'run.replay', details: { from: 'map', dryRun: true } }]);
  });

  it.each([[{ from: 'look' }], [{ dryRun: 'yes' }], [{ dry: true }]])('is refused with %j', async (body) => {
    const run = await written();
    expect((await ask(`POST /runs/${run.id}/replay`, { body })).status).toBe(400);
  });

  it('of a running run is 409 with a reason', async () => {
    const run = await aKeptRun(engine.stores, { session: 's-1' });
    const { status, answer } = await ask(`POST /runs/${run.id}/replay`);
    expect([status, answer.message]).toEqual([409, 'This run is still at work']);
  });
});

describe('a cancellation', () => {
  it('reports whether the run is cancelled or is being cancelled', async () => {
    const held = await aKeptRun(engine.stores, { session: 's-1', end: HELD });
    const first = await ask(`POST /runs/${held.id}/cancel`);
    expectShape(cancelResponse, first.answer);
    expect([first.status, first.answer]).toEqual([202, { status: 'cancelled' }]);
    const running = await aKeptRun(engine.stores, { encounter: 'Encounter/e-2', patient: 'Patient/p-2', session: 's' });
    expect((await ask(`POST /runs/${running.id}/cancel`)).answer).toEqual({ status: 'cancelling' });
  });

  it('of an ended run is 409 with a reason', async () => {
    const run = await written();
    const { status, answer } = await ask(`POST /runs/${run.id}/cancel`);
    expect([status, answer.message]).toEqual([409, 'The run is written: there is nothing left to cancel']);
  });
});

describe('a recall', () => {
  it('can be a dry run first, and can find nothing', async () => {
    const shown = await ask('POST /runs/recall', { body: { model: 'example-model', dryRun: true } });
    expectShape(recallPreviewResponse, shown.answer);
    expect([shown.status, shown.answer]).toEqual([200, { count: 0, places: [], drafts: [] }]);
    const done = await ask('POST /runs/recall', { body: { model: 'example-model', reason: 'It was wrong.' } });
    expectShape(recallResponse, done.answer);
    expect([done.status, done.answer]).toEqual([200, { withdrawn: [], recalled: [] }]);
    expect(engine.audit.entries).toMatchObject([
      { action: 'run.recall', details: { model: 'example-model', places: 0, drafts: 0 } },
    ]);
  });

  it('shows runs that are not written yet, withdraws them, and reports those that still run', async () => {
    const parts = { results: RESULTS, model: 'openai:example-model' };
    const held = await aKeptRun(engine.stores, { ...parts, session: 's-1', end: HELD });
    const elsewhere = { encounter: 'Encounter/e-2', patient: 'Patient/p-2', session: 's-2' };
    const running = await aKeptRun(engine.stores, { ...parts, ...elsewhere });
    const named = [
      { id: held.id, site: 'mercy', encounter: 'Encounter/e-1', session: 's-1' },
      { id: running.id, site: 'mercy', encounter: 'Encounter/e-2', session: 's-2' },
    ];
    const shown = await ask('POST /runs/recall', { body: { model: 'example-model', dryRun: true } });
    expectShape(recallPreviewResponse, shown.answer);
    const statuses = ['held', 'running'];
    expect(shown.answer.drafts).toEqual(named.map((one, index) => ({ ...one, status: statuses[index] })));
    const done = await ask('POST /runs/recall', { body: { model: 'example-model', reason: 'It was wrong.' } });
    expectShape(recallResponse, done.answer);
    const outcomes = ['withdrawn', 'at-work'];
    expect(done.answer.withdrawn).toEqual(named.map((one, index) => ({ ...one, status: outcomes[index] })));
    const after = await ask(`GET /runs/${held.id}?brief=true`);
    expect(after.answer).toMatchObject({ status: 'cancelled', reason: 'recalled' });
    expect(engine.audit.entries[0]).toMatchObject({ action: 'run.recall', details: { drafts: 2 } });
    const again = await ask(`POST /runs/${held.id}/replay`, { body: { from: 'write-note' } });
    expect(again.status).toBe(202);
    const late = await ask(`POST /runs/${held.id}/replay`, { body: { from: 'map' } });
    expect([late.status, late.answer.message]).toEqual([
      409,
      expect.stringMatching(/was recalled: begin at write-note/),
    ]);
  });

  it.each([
    [{ model: 'example-model' }, /reason is required/],
    [{ model: 'example-model', reason: ' ' }, /reason/],
    [{ site: 'mercy', reason: 'All of it.' }, /name what to recall/],
    [{ modell: 'example-model', dryRun: true }, /unknown fields/],
    [{ from: 'soon', dryRun: true }, /from must be a day/],
  ])('is refused with %j', async (body, message) => {
    const { status, answer } = await ask('POST /runs/recall', { body });
    expect(status).toBe(400);
    expect([answer.message].flat().join()).toMatch(message);
  });
});

describe('an explanation', () => {
  it('has one sentence and what to do next', async () => {
    const run = await written();
    const { status, answer } = await ask('POST /sites/Site/mercy/explain', { body: { of: 'e-1' } });
    expectShape(explainResponse, answer);
    expect(status).toBe(200);
    expect(answer).toMatchObject({
      sentence: expect.stringMatching(/^Encounter\/e-1 is documented in the chart: Composition\/12/),
      details: { run: run.id, runs: [{ id: run.id, status: 'written', session: 's-1' }] },
    });
    expect(engine.audit.entries).toMatchObject([{ action: 'run.view', run: run.id }]);
  });

  it('is given even if there is no such site', async () => {
    const { status, answer } = await ask('POST /sites/nowhere/explain', { body: { of: 'e-1' } });
    expectShape(explainResponse, answer);
    expect([status, answer.sentence]).toEqual([200, 'There is no site nowhere here.']);
  });

  it.each([[{}], [{ of: '' }], [{ of: 7 }], [{ of: 'x'.repeat(300) }], [{ of: 'e-1', why: true }]])(
    'is refused for the invalid request %j',
    async (body) => {
      expect((await ask('POST /sites/mercy/explain', { body })).status).toBe(400);
    },
  );
});
