import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { errorResponse } from '../../../../src/inbound/http/api/response-schemas.ts';
import { issuedKeyResponse, keyListResponse, rotatedKeyResponse } from '../../../../src/wire/keys.ts';
import { planListResponse, planResponse } from '../../../../src/wire/plans.ts';
import { usageResponse } from '../../../../src/wire/usage.ts';
import { aUsageRecord, OPERATOR_KEY, type OpsEngine, startOpsEngine } from './ops-engine.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

type Ask = { readonly body?: unknown; readonly headers?: Record<string, string> };

/** Every answer must have its documented shape. */
async function ask(request: string, { body, headers = {} }: Ask = {}) {
  const [method = '', path = ''] = request.split(' ');
  const response = await fetch(`${engine.baseUrl}/ops${path}`, {
    method,
    headers: {
      authorization: `Bearer ${OPERATOR_KEY}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const answer = isJson ? JSON.parse(text) : undefined;
  expect(response.headers.get('cache-control')).toBe('no-store');
  if (response.status >= 400) expect(errorResponse.safeParse(answer).error).toBeUndefined();
  return { status: response.status, answer, text, headers: response.headers };
}

function expectShape(schema: z.ZodType, answer: unknown) {
  expect(schema.safeParse(answer).error?.issues).toBeUndefined();
}

async function makeKey(body: object = { organization: 'mercy' }) {
  return (await ask('POST /keys', { body })).answer as { readonly id: string; readonly key: string };
}

const PATHS = [
  'GET /master-key',
  'POST /master-key/rotate',
  'GET /keys',
  'POST /keys',
  'DELETE /keys/0123456789abcdef',
  'GET /plans',
  'GET /usage',
  'GET /nothing',
];

describe('/ops', () => {
  it.each(PATHS)('%s is 401 without the operator key', async (request) => {
    const { status, answer, headers } = await ask(request, { headers: { authorization: '' } });
    expect(status).toBe(401);
    expect(answer).toEqual({ statusCode: 401, message: expect.stringContaining('operator key') });
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each([
    ['a wrong key', { authorization: 'Bearer operator-key-for-tests-0123456789abcdeX' }],
    ['half a key', { authorization: `Bearer ${OPERATOR_KEY.slice(0, 20)}` }],
    ['another scheme', { authorization: `Basic ${OPERATOR_KEY}` }],
    ['no scheme', { authorization: OPERATOR_KEY }],
    ['an empty key', { authorization: 'Bearer ' }],
    ['a key of 10 KB', { authorization: `Bearer ${'x'.repeat(10_000)}` }],
    ['a key with characters that no key has', { authorization: 'Bearer \xe9\xe9' }],
    ['two keys', { authorization: `Bearer ${OPERATOR_KEY}, Bearer ${OPERATOR_KEY}` }],
    ['the operator’s key as x-api-key', { authorization: '', 'x-api-key': OPERATOR_KEY }],
  ])('is 401 with %s', async (_, headers) => {
    expect((await ask('GET /keys', { headers })).status).toBe(401);
  });

  it('is 401 with an API key in any header', async () => {
    const { key } = await makeKey();
    expect((await ask('GET /keys', { headers: { authorization: `Bearer ${key}` } })).status).toBe(401);
    expect((await ask('GET /keys', { headers: { authorization: '', 'x-api-key': key } })).status).toBe(401);
  });

  it.each(['bearer', 'BEARER', 'Bearer '])('accepts the scheme written as %j', async (scheme) => {
    expect((await ask('GET /keys', { headers: { authorization: `${scheme} ${OPERATOR_KEY}` } })).status).toBe(200);
  });

  it('answers 404 to unknown paths', async () => {
    for (const path of ['/', '/nothing', '/keys/0123456789abcdef/nothing', '/usage/x']) {
      expect([path, (await ask(`GET ${path}`)).status]).toEqual([path, 404]);
    }
  });

  it.each([
    ['PUT /keys', 'GET, HEAD, POST'],
    ['GET /keys/0123456789abcdef', 'DELETE'],
    ['GET /keys/0123456789abcdef/rotate', 'POST'],
    ['POST /plans', 'GET, HEAD'],
    ['DELETE /plans/standard', 'PUT'],
    ['POST /master-key', 'GET, HEAD'],
    ['GET /master-key/rotate', 'POST'],
    ['POST /usage', 'GET, HEAD'],
  ])('answers 405 to %s with the allowed methods', async (request, allowed) => {
    const { status, headers } = await ask(request);
    expect([status, headers.get('allow')]).toEqual([405, allowed]);
  });
});

describe('keys over HTTP', () => {
  it('a key is created and shown once', async () => {
    const { status, answer } = await ask('POST /keys', { body: { organization: 'Clínica São João', label: 'bench' } });
    expect(status).toBe(201);
    expectShape(issuedKeyResponse, answer);
    expect(answer).toMatchObject({ organization: 'Clínica São João', plan: 'standard', label: 'bench' });
    const list = await ask('GET /keys');
    expectShape(keyListResponse, list.answer);
    expect(list.answer.keys).toHaveLength(1);
    const secret = answer.key.slice(20);
    expect(list.text).not.toContain(secret);
    expect(list.text).not.toMatch(/digest|secret/i);
  });

  it('an invalid request creates no key, and the answer names every broken rule', async () => {
    const { status, answer } = await ask('POST /keys', { body: { organization: '', plan: 'GOLD', expiresAt: 'soon' } });
    expect(status).toBe(400);
    expect(answer.message).toHaveLength(3);
    expect((await ask('GET /keys')).answer).toEqual({ keys: [] });
  });

  it.each([
    ['a plan that does not exist', { organization: 'x', plan: 'gold' }, 'plan must be one of standard, unlimited'],
    ['an expiry in the past', { organization: 'x', expiresAt: '2026-11-21' }, 'expiresAt must be in the future'],
  ])('a request with %s is refused', async (_, body, message) => {
    expect((await ask('POST /keys', { body })).answer).toMatchObject({ statusCode: 400, message });
  });

  it.each([
    ['empty', undefined, 400],
    ['an array', '[]', 400],
    ['incomplete JSON', '{"organization":', 400],
    ['JSON with __proto__', '{"__proto__":{"organization":"x"}}', 400],
    ['100 KB', JSON.stringify({ organization: 'x'.repeat(100_000) }), 413],
  ])('a body that is %s is refused', async (_, body, expected) => {
    const { status } = await ask('POST /keys', body === undefined ? {} : { body });
    expect(status).toBe(expected);
    expect((await ask('GET /keys')).answer).toEqual({ keys: [] });
  });

  it('a body that is not JSON is refused', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await ask('POST /keys', { body: { organization: 'x' }, headers })).status).toBe(415);
  });

  it('keys are listed newest first, in pages', async () => {
    for (const organization of ['first', 'second', 'third']) await makeKey({ organization });
    const one = (await ask('GET /keys?limit=2')).answer;
    expectShape(keyListResponse, one);
    expect(one.keys.map((key: { organization: string }) => key.organization)).toEqual(['third', 'second']);
    const two = (await ask(`GET /keys?limit=2&cursor=${one.next}`)).answer;
    expect(two.keys.map((key: { organization: string }) => key.organization)).toEqual(['first']);
    expect(two).not.toHaveProperty('next');
  });

  it('keys are listed fifty per page by default', async () => {
    for (let index = 0; index < 51; index += 1) await makeKey();
    const { keys, next } = (await ask('GET /keys')).answer;
    expect([keys.length, typeof next]).toEqual([50, 'string']);
  });

  it.each(['limit=0', 'limit=501', 'limit=x', 'cursor=made-up', 'limit=1&limit=2', 'page=2'])(
    'a list with the invalid query %s is refused',
    async (query) => {
      expect((await ask(`GET /keys?${query}`)).status).toBe(400);
    },
  );

  it('keys are listed as active, expired or revoked', async () => {
    await makeKey({ organization: 'active', expiresAt: '2027-01-31' });
    await makeKey({ organization: 'expired', expiresAt: '2026-12-01' });
    const revoked = await makeKey({ organization: 'revoked' });
    await ask(`DELETE /keys/${revoked.id}`);
    engine.setTime('2026-12-02T00:00:00Z');
    const { keys } = (await ask('GET /keys')).answer;
    for (const { organization, status } of keys) expect(status).toBe(organization);
  });

  it('a key is rotated with an overlap of one day by default', async () => {
    const old = await makeKey();
    const { status, answer } = await ask(`POST /keys/${old.id}/rotate`);
    expect(status).toBe(201);
    expectShape(rotatedKeyResponse, answer);
    expect(answer).toMatchObject({ organization: 'mercy', replaces: old.id, oldKeyEndsAt: '2026-11-22T08:00:00.000Z' });
    expect(answer.key).not.toBe(old.key);
    expect((await engine.keys.find(old.id))?.expiresAt).toEqual(new Date('2026-11-22T08:00:00Z'));
  });

  it('a revoked or expired key is not rotated', async () => {
    const { id } = await makeKey();
    await ask(`DELETE /keys/${id}`);
    expect((await ask(`POST /keys/${id}/rotate`, { body: { overlapHours: 1 } })).status).toBe(409);
  });

  it('a key can be revoked twice', async () => {
    const { id } = await makeKey();
    const { status, text } = await ask(`DELETE /keys/${id}`);
    expect([status, text]).toEqual([204, '']);
    expect((await ask(`DELETE /keys/${id}`)).status).toBe(204);
    expect(await engine.keys.findEnded([id])).toEqual([id]);
  });

  it('a key is named bare or as Key/<id>', async () => {
    const { id } = await makeKey();
    expect((await ask(`POST /keys/Key/${id}/rotate`)).status).toBe(201);
    expect((await ask(`DELETE /keys/Key/${id}`)).status).toBe(204);
  });

  it.each(['0123456789abcdef', 'nobody', "'%20or%201=1", 'x'.repeat(500), '__proto__'])(
    'the unknown key %s is 404',
    async (id) => {
      expect((await ask(`DELETE /keys/${id}`)).status).toBe(404);
      expect((await ask(`POST /keys/${id}/rotate`)).status).toBe(404);
    },
  );

  it.each([
    ['%E0%A4%A', 400],
    ['a%00b', 400],
    ['..%2f..%2fetc', 404],
  ])('an id like %s is refused', async (id, expected) => {
    expect((await ask(`DELETE /keys/${id}`)).status).toBe(expected);
  });
});

describe('plans over HTTP', () => {
  it('are listed', async () => {
    const { status, answer } = await ask('GET /plans');
    expect(status).toBe(200);
    expectShape(planListResponse, answer);
    expect(answer.plans).toEqual([{ name: 'standard', requestsPerMinute: 600 }, { name: 'unlimited' }]);
  });

  it('are created and replaced', async () => {
    const body = { requestsPerMinute: 5, requestsPerMonth: 0, audioSecondsPerMonth: 3600 };
    const made = await ask('PUT /plans/pilot', { body });
    expect([made.status, made.answer]).toEqual([200, { name: 'pilot', ...body }]);
    expectShape(planResponse, made.answer);
    expect((await ask('PUT /plans/pilot', { body: {} })).answer).toEqual({ name: 'pilot' });
    expect(await engine.plans.find('pilot')).toEqual({ name: 'pilot' });
  });

  it.each([
    ['an invalid name', '/plans/Gold', {}, ['name must be 1 to 64 of a-z, 0-9 and -']],
    [
      'a limit below zero',
      '/plans/pilot',
      { requestsPerMinute: -1 },
      [expect.stringMatching(/^requestsPerMinute must/)],
    ],
    [
      'a limit that is a text',
      '/plans/pilot',
      { requestsPerMonth: '5' },
      [expect.stringMatching(/^requestsPerMonth must/)],
    ],
    ['an unknown field', '/plans/pilot', { perMinute: 5 }, ['unknown fields: "perMinute"']],
  ])('are refused with %s', async (_, path, body, message) => {
    expect((await ask(`PUT ${path}`, { body })).answer).toMatchObject({ statusCode: 400, message });
    expect(await engine.plans.find('pilot')).toBeUndefined();
  });
});

describe('usage over HTTP', () => {
  beforeEach(async () => {
    await engine.usage.record(aUsageRecord());
    await engine.usage.record(aUsageRecord({ outcome: 'failure', status: 503, audioSeconds: 0 }));
    await engine.usage.record(
      aUsageRecord({ organization: '=HYPERLINK("http://x")', operation: 'diagnose', audioSeconds: 0 }),
    );
    await engine.usage.record(aUsageRecord({ startedAt: new Date('2026-10-31T23:59:59Z'), audioSeconds: 7 }));
  });

  it('is reported for this month by organization, key and operation', async () => {
    const { status, answer } = await ask('GET /usage');
    expect(status).toBe(200);
    expectShape(usageResponse, answer);
    expect(answer).toMatchObject({ from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' });
    expect(answer.usage).toHaveLength(2);
    expect(answer.usage[1]).toEqual({
      organization: 'mercy',
      key: '0123456789abcdef',
      operation: 'transcribe',
      requests: 2,
      failures: 1,
      cancelled: 0,
      audioSeconds: 90.5,
      aiMs: 8000,
      durationMs: 10_000,
    });
  });

  it('can be filtered by organization, key and time', async () => {
    const rows = async (query: string) => (await ask(`GET /usage?${query}`)).answer.usage.length;
    expect(await rows('organization=mercy')).toBe(1);
    expect(await rows('organization=nobody')).toBe(0);
    expect(await rows('key=0123456789abcdef')).toBe(2);
    expect(await rows('key=fedcba9876543210')).toBe(0);
    const { answer } = await ask('GET /usage?from=2026-10-01&to=2026-11-01');
    expect(answer.usage.map((row: { audioSeconds: number }) => row.audioSeconds)).toEqual([7]);
  });

  it('is available as CSV in which no name is a formula', async () => {
    const { status, text, headers } = await ask('GET /usage?format=csv');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/csv');
    expect(text.split('\r\n')).toEqual([
      'organization,key,operation,requests,failures,cancelled,audioSeconds,aiMs,durationMs',
      '"\'=HYPERLINK(""http://x"")",0123456789abcdef,diagnose,1,0,0,0,4000,5000',
      'mercy,0123456789abcdef,transcribe,2,1,0,90.5,8000,10000',
      '',
    ]);
  });

  it.each(['from=2026-12-01&to=2026-11-01', 'from=yesterday', 'format=xml', 'organisation=mercy', 'key=../x'])(
    'is refused with the invalid query %s',
    async (query) => {
      expect((await ask(`GET /usage?${query}`)).status).toBe(400);
    },
  );
});
