// The audit trail, pauses, quarantined deliveries and reviewers over /ops.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { auditListResponse, verifyResponse } from '../../../../src/wire/audit.ts';
import { keyCallbacksResponse } from '../../../../src/wire/keys.ts';
import { pauseResponse } from '../../../../src/wire/pauses.ts';
import { quarantineResponse } from '../../../../src/wire/quarantine.ts';
import { issuedReviewerResponse, reviewerListResponse } from '../../../../src/wire/reviewers.ts';
import { type Ask, askOps } from './ops-asking.ts';
import { type OpsEngine, startOpsEngine } from './ops-engine.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const ask = (request: string, how?: Ask) => askOps(engine, request, how);
const REVIEWER = { site: 'mercy', practitioner: 'Practitioner/7', name: 'Dr. Example' };
const PAUSE = { what: 'write', reason: 'EHR upgrade' };

function expectShape(schema: z.ZodType, answer: unknown) {
  expect(schema.safeParse(answer).error?.issues).toBeUndefined();
}

describe('the routes of the audit trail, pauses, quarantine and reviewers', () => {
  it.each([
    'GET /audit',
    'POST /audit/verify',
    'GET /aside',
    'GET /reviewers',
    'POST /reviewers',
    'DELETE /reviewers/0123456789abcdef',
    'POST /sites/mercy/pause',
    'POST /sites/mercy/resume',
  ])('%s is 401 without the operator key', async (request) => {
    expect((await ask(request, { key: 'wrong' })).status).toBe(401);
  });

  it.each([
    ['POST /audit', 'GET, HEAD'],
    ['GET /audit/verify', 'POST'],
    ['POST /aside', 'GET, HEAD'],
    ['DELETE /reviewers', 'GET, HEAD, POST'],
    ['GET /reviewers/0123456789abcdef', 'DELETE'],
    ['GET /sites/mercy/pause', 'POST'],
    ['DELETE /sites/mercy/resume', 'POST'],
  ])('%s is 405 with the allowed methods', async (request, allowed) => {
    const { status, headers } = await ask(request);
    expect([status, headers.get('allow')]).toEqual([405, allowed]);
  });
});

describe('the audit trail', () => {
  it('records changes of keys and plans without their secrets', async () => {
    const made = (await ask('POST /keys', { body: { organization: 'mercy', label: 'bench' } })).answer;
    const rotated = (await ask(`POST /keys/${made.id}/rotate`, { body: { overlapHours: 1 } })).answer;
    const origins = ['https://clinic.example.org'];
    const allowed = (await ask(`PUT /keys/${made.id}/callbacks`, { body: { origins } })).answer;
    expectShape(keyCallbacksResponse, allowed);
    await ask(`DELETE /keys/${made.id}`);
    await ask('PUT /plans/gold', { body: { requestsPerMinute: 60 } });
    const { status, answer } = await ask('GET /audit');
    expectShape(auditListResponse, answer);
    expect(status).toBe(200);
    const actions = answer.entries.map(({ action, details }: { action: string; details: object }) => [action, details]);
    expect(actions.toReversed()).toEqual([
      ['key.create', { key: made.id, organization: 'mercy', plan: 'standard' }],
      ['key.rotate', { key: rotated.id, replaces: made.id, overlapHours: 1 }],
      ['key.callbacks', { key: made.id, origins }],
      ['key.revoke', { key: made.id }],
      ['plan.change', { plan: 'gold', requestsPerMinute: 60 }],
    ]);
    expect(JSON.stringify(answer)).not.toContain(made.key.slice(20));
    expect(JSON.stringify(answer)).not.toContain(allowed.secret);
  });

  it('prevents changes of keys and plans while it cannot be written', async () => {
    const made = (await ask('POST /keys', { body: { organization: 'mercy' } })).answer;
    engine.loseTrail();
    for (const [request, body] of [
      ['POST /keys', { organization: 'mercy' }],
      [`POST /keys/${made.id}/rotate`, {}],
      [`DELETE /keys/${made.id}`, undefined],
      ['PUT /plans/gold', {}],
      ['POST /reviewers', REVIEWER],
      ['POST /sites/mercy/pause', PAUSE],
    ] as const) {
      expect([request, (await ask(request, { ...(body && { body }) })).status]).toEqual([request, 503]);
    }
    expect((await ask('GET /keys')).answer.keys).toMatchObject([{ id: made.id, status: 'active' }]);
    expect(JSON.stringify((await ask('GET /plans')).answer)).not.toContain('gold');
    expect((await ask('GET /reviewers')).answer).toEqual({ reviewers: [] });
  });

  it('is listed in pages and by filters', async () => {
    for (const what of ['write', 'model', 'intake']) {
      await ask('POST /sites/mercy/pause', { body: { what, reason: 'EHR upgrade' } });
    }
    await ask('POST /sites/general/pause', { body: PAUSE });
    const first = (await ask('GET /audit?limit=3')).answer;
    const second = (await ask(`GET /audit?limit=3&cursor=${encodeURIComponent(first.next)}`)).answer;
    const seqs = [...first.entries, ...second.entries].map(({ seq }: { seq: number }) => seq);
    expect([seqs, second.next]).toEqual([[4, 3, 2, 1], undefined]);
    const count = async (query: string) => (await ask(`GET /audit?${query}`)).answer.entries.length;
    expect(await count('site=general')).toBe(1);
    expect(await count('action=site.pause')).toBe(4);
    expect(await count('action=key.create')).toBe(0);
    expect(await count('since=2026-11-22')).toBe(0);
    expect(await count('run=00000000-0000-4000-8000-00000000dead')).toBe(0);
  });

  it.each(['action=run.delete', 'run=7', 'since=soon', 'limit=0', 'who=me', 'cursor=nonsense'])(
    'is not listed with the invalid query %s',
    async (query) => {
      expect((await ask(`GET /audit?${query}`)).status).toBe(400);
    },
  );

  it('is verified alone and against a stored head', async () => {
    await ask('POST /sites/mercy/pause', { body: PAUSE });
    const first = await ask('POST /audit/verify');
    expectShape(verifyResponse, first.answer);
    expect(first.answer).toMatchObject({ isWhole: true, entries: 1, head: { seq: 1 } });
    const { head } = first.answer;
    expect((await ask('POST /audit/verify', { body: head })).answer).toMatchObject({ isWhole: true });
    const other = (await ask('POST /audit/verify', { body: { ...head, hash: 'f'.repeat(64) } })).answer;
    expectShape(verifyResponse, other);
    expect(other).toMatchObject({ isWhole: false, at: 1 });
  });

  it.each([
    [{ seq: 1 }],
    [{ hash: 'f'.repeat(64) }],
    [{ seq: 1, hash: 'short' }],
    [{ seq: -1, hash: 'x' }],
    [{ n: 1 }],
  ])('is not verified with the invalid request %j', async (body) => {
    expect((await ask('POST /audit/verify', { body })).status).toBe(400);
  });
});

describe('a pause', () => {
  it('and a resume are answered with the current pauses of the site', async () => {
    const { status, answer } = await ask('POST /sites/Site/mercy/pause', { body: PAUSE });
    expectShape(pauseResponse, answer);
    expect([status, answer]).toEqual([
      200,
      { site: 'mercy', paused: [{ ...PAUSE, since: '2026-11-21T08:00:00.000Z' }] },
    ]);
    expect((await ask('POST /sites/mercy/resume')).answer).toEqual({ site: 'mercy', paused: [], wokenRuns: 0 });
  });

  it.each([
    ['pause', 'mercy', {}, 400],
    ['pause', 'mercy', { what: 'write' }, 400],
    ['pause', 'mercy', { what: 'reading', reason: 'x' }, 400],
    ['pause', 'mercy', { ...PAUSE, until: 'noon' }, 400],
    ['resume', 'mercy', { what: 'reading' }, 400],
    ['pause', 'mery', PAUSE, 404],
    ['resume', 'mery', { what: 'all' }, 404],
    ['pause', 'st-mary', PAUSE, 409],
  ])('(%s of %s with %j) is answered with %s', async (act, site, body, status) => {
    expect((await ask(`POST /sites/${site}/${act}`, { body })).status).toBe(status);
    expect(await engine.pauses.current()).toEqual([]);
  });

  it('can be ended for a site that is no longer active', async () => {
    await engine.pauses.pause('st-mary', 'all', 'EHR upgrade');
    expect((await ask('POST /sites/st-mary/resume', { body: { what: 'all' } })).status).toBe(200);
    expect(await engine.pauses.current()).toEqual([]);
  });
});

describe('a quarantined delivery', () => {
  it('is listed with its reason and without its content, in pages', async () => {
    for (const [n, site] of ['mercy', 'mercy', 'general'].entries()) {
      await engine.stores.inbox.quarantine({
        site,
        source: 'push',
        outcome: 'not-understood',
        key: `k-${n}`,
        why: 'The body is not valid JSON',
        receivedAt: new Date('2026-11-21T07:00:00Z'),
        body: Buffer.from('Mrs. Example'),
      });
    }
    const first = (await ask('GET /aside?limit=2')).answer;
    expectShape(quarantineResponse, first);
    const second = (await ask(`GET /aside?limit=2&cursor=${encodeURIComponent(first.next)}`)).answer;
    expect([first.deliveries.length, second.deliveries.length, second.next]).toEqual([2, 1, undefined]);
    expect((await ask('GET /aside?site=mercy')).answer.deliveries).toHaveLength(2);
    expect(JSON.stringify([first, second])).not.toMatch(/"body"|Mrs/);
    expect((await ask('GET /aside?reason=x')).status).toBe(400);
  });
});

describe('reviewers', () => {
  it('are created with a key that is shown once, listed without it, and revoked', async () => {
    const { status, answer } = await ask('POST /reviewers', { body: REVIEWER });
    expectShape(issuedReviewerResponse, answer);
    expect([status, answer.key.startsWith(`rv_${answer.id}_`), answer.isChecked]).toEqual([201, true, true]);
    await ask('POST /reviewers', { body: { ...REVIEWER, site: 'general' } });
    expect((await ask(`DELETE /reviewers/Reviewer/${answer.id}`)).status).toBe(204);
    const list = (await ask('GET /reviewers?site=mercy')).answer;
    expectShape(reviewerListResponse, list);
    expect(list.reviewers).toMatchObject([{ id: answer.id, ...REVIEWER, revokedAt: '2026-11-21T08:00:00.000Z' }]);
    expect(JSON.stringify(list)).not.toMatch(/key|digest|secret/i);
  });

  it.each([
    [{}, 400],
    [{ ...REVIEWER, practitioner: 'Patient/7' }, 400],
    [{ ...REVIEWER, practitioner: 'https://ehr.example.org/Practitioner/7' }, 400],
    [{ ...REVIEWER, name: '' }, 400],
    [{ ...REVIEWER, role: 'admin' }, 400],
    [{ ...REVIEWER, practitioner: 'Practitioner/70' }, 400],
    [{ ...REVIEWER, site: 'mery' }, 404],
    [{ ...REVIEWER, site: 'st-mary' }, 409],
  ])('are not created from the invalid request %j', async (body, status) => {
    expect((await ask('POST /reviewers', { body })).status).toBe(status);
    expect((await ask('GET /reviewers')).answer).toEqual({ reviewers: [] });
  });

  it('are created while the EHR cannot be reached, and the answer says that they are not checked', async () => {
    engine.ehr.misbehave({ on: 'read', does: 'throw-unavailable' });
    const { status, answer } = await ask('POST /reviewers', { body: REVIEWER });
    expectShape(issuedReviewerResponse, answer);
    expect([status, answer.isChecked]).toEqual([201, false]);
  });

  it.each(['0123456789abcdef', 'nobody', 'Reviewer'])('with the unknown id %s cannot be revoked', async (id) => {
    expect((await ask(`DELETE /reviewers/${id}`)).status).toBe(404);
  });
});
