// POST /ops/runs/{id}/review: whose key is accepted, for which revision, and what a reviewer can see of other sites.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runResponse } from '../../../../src/wire/run.ts';
import { runViewResponse } from '../../../../src/wire/run-view.ts';
import { aKeptRun, HELD, knownRun, RESULTS } from '../../../support/stored-runs.ts';
import { type Ask, askOps } from './ops-asking.ts';
import { type OpsEngine, startOpsEngine } from './ops-engine.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const ask = (request: string, how?: Ask) => askOps(engine, request, how);
const APPROVE = { decision: 'approve' };

async function aReviewer(site = 'mercy'): Promise<{ readonly id: string; readonly key: string }> {
  const body = { site, practitioner: 'Practitioner/7', name: 'Dr. Example' };
  return (await ask('POST /reviewers', { body })).answer;
}

const aDraft = (site = 'mercy') => aKeptRun(engine.stores, { site, session: 's-1', results: RESULTS, end: HELD });

describe('a reviewer', () => {
  it('sees a draft and approves it', async () => {
    const [{ id, key }, run] = [await aReviewer(), await aDraft()];
    const shown = await ask(`GET /runs/${run.id}`, { key });
    expect(runViewResponse.safeParse(shown.answer).error?.issues).toBeUndefined();
    expect(shown.answer.note.sections).toHaveLength(2);
    const { status, answer } = await ask(`POST /runs/${run.id}/review`, { key, body: APPROVE });
    expect(runResponse.safeParse(answer).error?.issues).toBeUndefined();
    expect([status, answer.status, answer.review.reviewer]).toEqual([200, 'queued', 'Practitioner/7']);
    expect(answer).not.toHaveProperty('note');
    expect(engine.audit.entries.slice(1).map(({ action, actor }) => [action, actor])).toEqual([
      ['run.view', `reviewer/${id}`],
      ['run.review', `reviewer/${id}`],
    ]);
  });

  it('edits sections of a draft', async () => {
    const [{ key }, run] = [await aReviewer(), await aDraft()];
    const body = { decision: 'edit', sections: { PLAN: 'Chest X-ray tomorrow.' } };
    expect((await ask(`POST /runs/Run/${run.id}/review`, { key, body })).status).toBe(200);
    const { check } = await engine.stores.runs.results(run.id);
    expect(check?.note.note.sections[1]?.text).toBe('Chest X-ray tomorrow.');
  });

  it('may edit up to the size limit', async () => {
    const [{ key }, run] = [await aReviewer(), await aDraft()];
    const edit = (length: number) => ({
      key,
      body: { decision: 'edit', sections: { PLAN: '"'.repeat(length) } },
    });
    const long = await ask(`POST /runs/${run.id}/review`, edit(102_401));
    expect([long.status, long.answer.message]).toEqual([400, ['sections must be at most 100 KB of text']]);
    expect((await ask(`POST /runs/${run.id}/review`, edit(2_000_000))).status).toBe(413);
    expect((await ask(`POST /runs/${run.id}/review`, edit(102_400))).status).toBe(200);
  });

  it('rejects a draft with a reason', async () => {
    const [{ key }, run] = [await aReviewer(), await aDraft()];
    const { status, answer } = await ask(`POST /runs/${run.id}/review`, {
      key,
      body: { decision: 'reject', reason: 'It is about another visit.' },
    });
    expect([status, answer.status, answer.message]).toEqual([200, 'rejected', 'Practitioner/7 rejected the draft.']);
  });

  it.each([
    ['no body', undefined],
    ['no decision', {}],
    ['an unknown decision', { decision: 'sign' }],
    ['a rejection without a reason', { decision: 'reject' }],
    ['a reason for an approval', { decision: 'approve', reason: 'Good.' }],
    ['an edit without sections', { decision: 'edit' }],
    ['an edit of nothing', { decision: 'edit', sections: {} }],
    ['an edit of an unknown section', { decision: 'edit', sections: { ASSESSMENT: 'x' } }],
    ['an edit that is not a text', { decision: 'edit', sections: { PLAN: 7 } }],
    ['an invalid revision', { decision: 'approve', revision: 0 }],
    ['an unknown field', { decision: 'approve', practitioner: 'Practitioner/8' }],
  ])('is refused with %s, and the draft is unchanged', async (_, body) => {
    const [{ key }, run] = [await aReviewer(), await aDraft()];
    expect((await ask(`POST /runs/${run.id}/review`, { key, ...(body && { body }) })).status).toBe(400);
    expect(await knownRun(engine.stores, run.id)).toEqual(run);
  });
});

describe('the revision of a decision', () => {
  it.each([
    [{ 'if-match': '"1"' }, undefined, 200],
    [{ 'if-match': 'W/"1"' }, undefined, 200],
    [{ 'if-match': '"1"' }, 1, 200],
    [{}, 1, 200],
    [{ 'if-match': '"2"' }, undefined, 409],
    [{}, 2, 409],
    [{ 'if-match': '"1"' }, 2, 400],
    [{ 'if-match': '*' }, undefined, 400],
    [{ 'if-match': '"1", "2"' }, undefined, 400],
  ])('given as %j and as %s in the body is answered with %i', async (headers, revision, status) => {
    const [{ key }, run] = [await aReviewer(), await aDraft()];
    const body = { ...APPROVE, ...(revision !== undefined && { revision }) };
    const answered = await ask(`POST /runs/${run.id}/review`, { key, body, headers });
    expect(answered.status).toBe(status);
    if (status === 409) expect(answered.answer.message).toMatch(/^This draft has revision 1 by now, not 2/);
  });
});

describe('the key of a review request', () => {
  it('must be that of a reviewer; the operator key is accepted in the sandbox only', async () => {
    const [run, sandboxed] = [await aDraft(), await aDraft('sandbox')];
    const refused = await ask(`POST /runs/${run.id}/review`, { body: APPROVE });
    expect([refused.status, refused.answer.message]).toEqual([403, expect.stringContaining('Only a clinician')]);
    const taken = await ask(`POST /runs/${sandboxed.id}/review`, { body: APPROVE });
    expect([taken.status, taken.answer.review.reviewer]).toEqual([200, 'Practitioner/sandbox']);
  });

  it('of a reviewer of another site is refused like an unknown run', async () => {
    const [{ key }, run] = [await aReviewer('general'), await aDraft()];
    for (const [request, how] of [
      [`GET /runs/${run.id}`, { key }],
      [`GET /runs/${run.id}?brief=true`, { key }],
      [`POST /runs/${run.id}/review`, { key, body: APPROVE }],
    ] as const) {
      const { status, answer } = await ask(request, how);
      expect([status, answer.message]).toEqual([404, 'There is no run with this id']);
    }
    expect(await knownRun(engine.stores, run.id)).toEqual(run);
  });

  it.each([
    'GET /runs',
    'POST /runs',
    'POST /runs/recall',
    'GET /events',
    'GET /audit',
    'GET /aside',
    'GET /keys',
    'GET /reviewers',
    'POST /reviewers',
    'POST /sites/mercy/pause',
    'POST /sites/mercy/explain',
    'GET /nothing',
  ])('of a reviewer is not accepted by %s', async (request) => {
    const { key } = await aReviewer();
    const body = request.startsWith('POST') ? {} : undefined;
    expect((await ask(request, { key, ...(body && { body }) })).status).toBe(401);
  });

  it('of a reviewer is not accepted by replay and cancel', async () => {
    const [{ key }, run] = [await aReviewer(), await aDraft()];
    for (const act of ['replay', 'cancel']) {
      expect((await ask(`POST /runs/${run.id}/${act}`, { key })).status).toBe(401);
    }
  });

  it('that is revoked or incomplete is refused', async () => {
    const [{ id, key }, run] = [await aReviewer(), await aDraft()];
    const review = (with_: string) => ask(`POST /runs/${run.id}/review`, { key: with_, body: APPROVE });
    expect((await review(key.slice(0, -1))).status).toBe(401);
    expect((await ask(`DELETE /reviewers/${id}`)).status).toBe(204);
    expect((await review(key)).status).toBe(401);
    expect(await knownRun(engine.stores, run.id)).toEqual(run);
  });

  it('is checked before the method, so that a caller without a key does not learn the allowed methods', async () => {
    const run = await aDraft();
    expect((await ask(`GET /runs/${run.id}/review`, { key: 'wrong' })).status).toBe(401);
    const { status, headers } = await ask(`GET /runs/${run.id}/review`);
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });
});

it('a decision is not made if the audit trail cannot be written', async () => {
  const [{ key }, run] = [await aReviewer(), await aDraft()];
  engine.loseTrail();
  expect((await ask(`POST /runs/${run.id}/review`, { key, body: APPROVE })).status).toBe(503);
  expect(await knownRun(engine.stores, run.id)).toEqual(run);
});
