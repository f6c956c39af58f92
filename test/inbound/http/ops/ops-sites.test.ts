// Sites over /ops: list, probe and reconcile, and whose key is accepted.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { probeResponse } from '../../../../src/wire/probe.ts';
import { reconcileResponse } from '../../../../src/wire/reconcile.ts';
import { siteListResponse } from '../../../../src/wire/sites.ts';
import { OPERATOR_KEY, type OpsEngine, startOpsEngine } from './ops-engine.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

type Ask = { readonly body?: unknown; readonly key?: string };

async function ask(request: string, { body, key = OPERATOR_KEY }: Ask = {}) {
  const [method = '', path = ''] = request.split(' ');
  const response = await fetch(`${engine.baseUrl}/ops${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { readonly message?: unknown };
  return { status: response.status, answer, headers: response.headers };
}

describe('the list of sites', () => {
  it('shows the EHR, the state of the files and the findings of each site', async () => {
    await engine.ledger.storeFindings(
      'mercy',
      [],
      [
        { site: 'mercy', kind: 'missing', identity: 'a', references: ['Composition/1'] },
        { site: 'mercy', kind: 'missing', identity: 'b', references: ['Composition/2'] },
        { site: 'mercy', kind: 'duplicate', identity: 'c', references: ['Flag/1', 'Flag/2'] },
      ],
    );
    const { status, answer } = await ask('GET /sites');
    expect(status).toBe(200);
    expect(siteListResponse.safeParse(answer).error?.issues).toBeUndefined();
    expect(answer).toEqual({
      sites: [
        expect.objectContaining({ name: 'general', findings: {} }),
        {
          name: 'mercy',
          organization: 'mercy-general',
          mode: 'shadow',
          ehr: { baseUrl: 'http://ehr.example.org/fhir', auth: 'none' },
          mappings: '1',
          isStale: true,
          warning: 'ehr.baseUrl is plain http: patient data crosses the network without encryption',
          findings: { missing: 2, duplicate: 1 },
          lastContact: '2026-11-21T08:00:00.000Z',
          paused: [],
          feeds: [],
        },
        expect.objectContaining({ name: 'sandbox' }),
      ],
      unavailable: ['st-mary'],
    });
  });

  it('shows the pauses of a site, and which of its feeds has an alarm', async () => {
    await engine.pauses.pause('mercy', 'write', 'EHR upgrade');
    await engine.feeds.note('mercy', 'amqp', { lastEventAt: new Date('2026-11-21T07:59:00Z') });
    const message = 'Switch it on again in the EHR.';
    await engine.feeds.note('mercy', 'subscription', { alarm: { kind: 'subscription', message } });
    await engine.feeds.note('general', 'poll', {});
    const { answer } = await ask('GET /sites');
    expect(siteListResponse.safeParse(answer).error?.issues).toBeUndefined();
    expect(answer).toMatchObject({
      sites: [
        { name: 'general', paused: [], feeds: [{ kind: 'poll' }] },
        {
          name: 'mercy',
          paused: [{ what: 'write', reason: 'EHR upgrade', since: '2026-11-21T08:00:00.000Z' }],
          feeds: [
            { kind: 'amqp', lastEventAt: '2026-11-21T07:59:00.000Z' },
            { kind: 'subscription', alarm: { kind: 'subscription', since: '2026-11-21T08:00:00.000Z', message } },
          ],
        },
        { name: 'sandbox' },
      ],
    });
  });

  it.each(['GET /sites', 'POST /sites/mercy/probe', 'POST /sites/mercy/reconcile', 'POST /sites/nowhere/probe'])(
    '%s is 401 without the operator key',
    async (request) => {
      expect((await ask(request, { key: 'wrong' })).status).toBe(401);
      expect(engine.ehr.calls).toEqual([]);
    },
  );
});

describe('a probe', () => {
  it('answers with its report and writes nothing without a write test', async () => {
    const { status, answer } = await ask('POST /sites/mercy/probe');
    expect(status).toBe(200);
    expect(probeResponse.safeParse(answer).error?.issues).toBeUndefined();
    expect(answer).toMatchObject({ site: 'mercy', isUsable: true, ehr: { software: 'Fake EHR 1.0' } });
    expect(answer).not.toHaveProperty('writeTest');
    expect(engine.ehr.sent).toEqual([]);
  });

  it('with a write test creates a test patient and deletes it', async () => {
    const before = engine.ehr.store.all();
    const { answer } = await ask('POST /sites/Site/mercy/probe', { body: { writeTest: true } });
    expect(probeResponse.safeParse(answer).error?.issues).toBeUndefined();
    expect(answer).toMatchObject({ writeTest: { leftBehind: [] } });
    expect(engine.ehr.sent.length).toBeGreaterThan(0);
    expect(engine.ehr.store.all()).toEqual(before);
  });

  it('is in the audit trail, and does not start if the trail cannot be written', async () => {
    await ask('POST /sites/mercy/probe', { body: { forget: true } });
    expect(engine.audit.entries).toMatchObject([
      { action: 'site.probe', actor: 'operator', site: 'mercy', details: { writeTest: false, forget: true } },
    ]);
    const calls = engine.ehr.calls.length;
    engine.loseTrail();
    expect((await ask('POST /sites/mercy/probe')).status).toBe(503);
    expect(engine.ehr.calls).toHaveLength(calls);
  });

  it('is refused while another one runs at the site', async () => {
    await engine.ledger.acquire('mercy/probe', 'another engine', 60_000);
    const { status, answer, headers } = await ask('POST /sites/mercy/probe', { body: { writeTest: true } });
    expect([status, headers.get('retry-after')]).toEqual([409, '60']);
    expect(answer.message).toMatch(/A write test of mercy is running/);
  });
});

describe('a reconciliation', () => {
  it('answers with the number of checked resources and the findings', async () => {
    const { status, answer } = await ask('POST /sites/mercy/reconcile', { body: { limit: 10 } });
    expect(status).toBe(200);
    expect(reconcileResponse.safeParse(answer).error?.issues).toBeUndefined();
    expect(answer).toEqual({ site: 'mercy', checked: 0, findings: [], cancelled: [], problems: [] });
  });
});

describe('a refused request about a site', () => {
  it.each([
    ['POST /sites/mery/probe', 404, 'There is no site mery; did you mean mercy?'],
    ['POST /sites/elsewhere/reconcile', 404, 'There is no site elsewhere; there are mercy, general, sandbox'],
    ['POST /sites/%3Cscript%3E/probe', 404, 'There is no such site; there are mercy, general, sandbox'],
    ['POST /sites/__proto__/probe', 404, 'There is no site __proto__; there are mercy, general, sandbox'],
    ['POST /sites/st-mary/probe', 409, 'The files of st-mary have problems: npm run cli -- mappings check shows them'],
    ['GET /sites/mercy/probe', 405, 'This address takes POST'],
    ['POST /sites', 405, 'This address takes GET, HEAD'],
  ])('%s is %i: %s', async (request, status, message) => {
    const { status: given, answer } = await ask(request);
    expect([given, answer.message]).toEqual([status, message]);
    expect(engine.ehr.calls).toEqual([]);
  });

  it.each([
    ['/probe', { writeTest: 'yes' }, 'writeTest must be true or false'],
    ['/probe', { writetest: true }, expect.stringContaining('writetest')],
    ['/reconcile', { limit: 0 }, 'limit must be a whole number from 1 to 10000'],
  ])('%s with %j is refused before any request to the EHR', async (path, body, message) => {
    const { status, answer } = await ask(`POST /sites/mercy${path}`, { body });
    expect([status, answer.message]).toEqual([400, [message]]);
    expect(engine.ehr.calls).toEqual([]);
  });
});
