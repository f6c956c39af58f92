// The operator's keys and plans over HTTP: who may use /ops, what it answers, and the effect on transcription.
import { describe, expect, it } from '@jest/globals';
import { issuedKeyResponse, keyListResponse, rotatedKeyResponse } from '../../src/wire/keys.ts';
import { planListResponse, planResponse } from '../../src/wire/plans.ts';
import { type Answer, readAll } from '../support/journey-client.ts';
import { CONVERSATION_PATH, expectError, openClinic, secretOf, sendRecording } from '../support/journey-upload.ts';
import { openedForFile } from '../support/opened-for-file.ts';

const OPERATOR_KEY = 'made-up-operator-key-for-tests-0123456789';
const OPERATIONS = [
  ['POST', '/keys'],
  ['GET', '/keys'],
  ['POST', '/keys/0123456789abcdef/rotate'],
  ['PUT', '/keys/0123456789abcdef/callbacks'],
  ['DELETE', '/keys/0123456789abcdef'],
  ['GET', '/plans'],
  ['PUT', '/plans/standard'],
  ['GET', '/usage'],
  ['GET', '/nothing-here'],
] as const;

type Issued = { readonly id: string; readonly key: string };
type PlanBody = { readonly name: string; readonly requestsPerMinute?: number };
type Listed = { readonly id: string; readonly status: string; readonly lastUsedAt?: string };

const clinic = openedForFile(openClinic);

async function ask(
  method: string,
  path: string,
  body?: unknown,
  authorization: string | undefined = `Bearer ${OPERATOR_KEY}`,
): Promise<Answer> {
  const response = await fetch(`${clinic.engine.url}/ops${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(authorization !== '' && { authorization }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return readAll(response);
}

async function issue(order: Readonly<Record<string, unknown>> = {}): Promise<Issued> {
  const answer = await ask('POST', '/keys', { organization: 'ward 3', plan: 'unlimited', ...order });
  expect(answer.status).toBe(201);
  return answer.body as Issued;
}

async function listAll(): Promise<readonly Listed[]> {
  return ((await ask('GET', '/keys?limit=500')).body as { readonly keys: readonly Listed[] }).keys;
}

const hear = (key: string): Promise<Answer> => sendRecording({ ...clinic, key }, CONVERSATION_PATH);

describe('access to /ops', () => {
  it.each(OPERATIONS)('%s /ops%s without the operator key is 401', async (method, path) => {
    const answer = await ask(method, path, undefined, '');
    expectError(answer, 401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each([
    ['a wrong key', 'Bearer wrong-operator-key-for-tests-0123456789'],
    ['the key without its scheme', OPERATOR_KEY],
    ['another scheme', `Basic ${OPERATOR_KEY}`],
    ['the beginning of the key', `Bearer ${OPERATOR_KEY.slice(0, -1)}`],
    ['two keys', `Bearer ${OPERATOR_KEY} ${OPERATOR_KEY}`],
  ])('a request to /ops with %s is 401', async (_, authorization) => {
    expectError(await ask('GET', '/keys', undefined, authorization), 401);
  });

  it('an API key does not open /ops', async () => {
    expectError(await ask('GET', '/keys', undefined, `Bearer ${clinic.key}`), 401);
  });

  it('the operator key is not an API key', async () => expectError(await hear(OPERATOR_KEY), 401));

  it('an unknown address below /ops is 404, with the body of the service interface', async () => {
    expectError(await ask('GET', '/nothing-here'), 404);
  });

  it('answers of /ops are not cached', async () => {
    expect((await ask('GET', '/keys')).headers.get('cache-control')).toBe('no-store');
  });
});

describe('keys at /ops', () => {
  it('POST /ops/keys is 201 with id, key, organization and plan', async () => {
    const answer = await ask('POST', '/keys', { organization: 'ward 1', plan: 'unlimited', label: 'bench' });
    expect(answer.status).toBe(201);
    expect(() => issuedKeyResponse.strict().parse(answer.body)).not.toThrow();
    expect(answer.body).toMatchObject({ organization: 'ward 1', plan: 'unlimited', label: 'bench' });
    expect((await hear((answer.body as Issued).key)).status).toBe(200);
  });

  it('a key that is made without a plan gets standard', async () => {
    const answer = await ask('POST', '/keys', { organization: 'ward 1' });
    expect(answer.body).toMatchObject({ plan: 'standard' });
    const { plans } = (await ask('GET', '/plans')).body as { readonly plans: readonly PlanBody[] };
    const { requestsPerMinute } = plans.find(({ name }) => name === 'standard') ?? {};
    const policy = (await hear((answer.body as Issued).key)).headers.get('ratelimit-policy');
    expect(policy).toBe(`"minute";q=${requestsPerMinute};w=60`);
  });

  it('a key is shown once, and the list has its id and nothing of its text', async () => {
    const { id, key } = await issue();
    const answer = await ask('GET', '/keys?limit=500');
    expect(() => keyListResponse.strict().parse(answer.body)).not.toThrow();
    expect(answer.text).toContain(id);
    expect(answer.text).not.toContain(secretOf(key));
  });

  it('the list of keys is newest first, a page at a time, and has each key once', async () => {
    const made = [await issue(), await issue(), await issue()].map(({ id }) => id).toReversed();
    const first = (await ask('GET', '/keys?limit=2')).body as { keys: Listed[]; next: string };
    expect(first.keys.map(({ id }) => id)).toEqual(made.slice(0, 2));
    const second = (await ask('GET', `/keys?limit=2&cursor=${encodeURIComponent(first.next)}`)).body as typeof first;
    expect(second.keys[0]?.id).toBe(made[2]);
    const all = (await listAll()).map(({ id }) => id);
    expect(new Set(all).size).toBe(all.length);
  });

  it("the list of keys has the time of each key's last use", async () => {
    const { id, key } = await issue();
    const listed = async () => (await listAll()).find((each) => each.id === id);
    expect(await listed()).not.toHaveProperty('lastUsedAt');
    await hear(key);
    expect((await listed())?.lastUsedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('a key may have an expiry', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    expect(await issue({ expiresAt })).toMatchObject({ expiresAt });
  });

  it.each(['', 'Key/'])(
    'POST /ops/keys/%s<id>/rotate is 201, and both keys are valid during the overlap',
    async (prefix) => {
      const old = await issue();
      const answer = await ask('POST', `/keys/${prefix}${old.id}/rotate`, { overlapHours: 1 });
      expect(answer.status).toBe(201);
      expect(() => rotatedKeyResponse.strict().parse(answer.body)).not.toThrow();
      expect(answer.body).toMatchObject({ replaces: old.id, organization: 'ward 3', plan: 'unlimited' });
      for (const { key } of [old, answer.body as Issued]) expect((await hear(key)).status).toBe(200);
    },
  );

  it('a rotation without overlap ends the old key', async () => {
    const old = await issue();
    const { key } = (await ask('POST', `/keys/${old.id}/rotate`, { overlapHours: 0 })).body as Issued;
    expectError(await hear(old.key), 401);
    expect((await hear(key)).status).toBe(200);
  });

  it.each(['', 'Key/'])('DELETE /ops/keys/%s<id> is 204, and the key is 401 from then on', async (prefix) => {
    const { id, key } = await issue();
    const answer = await ask('DELETE', `/keys/${prefix}${id}`);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    expectError(await hear(key), 401);
    expect((await listAll()).find((each) => each.id === id)?.status).toBe('revoked');
    expect((await ask('DELETE', `/keys/${prefix}${id}`)).status).toBe(204);
  });

  it.each([
    ['DELETE', '/keys/0123456789abcdef'],
    ['DELETE', '/keys/no-id'],
    ['POST', '/keys/0123456789abcdef/rotate'],
  ])('%s /ops%s of an unknown key is 404', async (method, path) => {
    expectError(await ask(method, path), 404);
  });

  it('a revoked key cannot be rotated', async () => {
    const { id } = await issue();
    await ask('DELETE', `/keys/${id}`);
    expectError(await ask('POST', `/keys/${id}/rotate`, {}), 409);
  });

  it.each([
    ['nothing', undefined, /organization is required/],
    ['a blank organization', { organization: '  ' }, /organization must be/],
    ['a line break in the organization', { organization: 'a\nb' }, /organization must be/],
    ['a plan that is not there', { organization: 'a', plan: 'gold' }, /standard, /],
    ['an end in the past', { organization: 'a', expiresAt: '2020-01-01' }, /expiresAt must be in the future/],
    ['an end that is no time', { organization: 'a', expiresAt: 'soon' }, /expiresAt must be a day/],
    ['a slip in a name', { organization: 'a', plans: 'unlimited' }, /unknown fields: "plans"/],
    ['half a JSON text', '{"organization":', /JSON/],
    ['a list', [], /JSON object/],
  ])('POST /ops/keys with %s is 400', async (_, body, message) => {
    expect(expectError(await ask('POST', '/keys', body), 400)).toMatch(message);
  });

  it.each([-1, 721, '24'])('a rotation with overlapHours outside of 0 to 720 is 400: %p', async (overlapHours) => {
    const { id } = await issue();
    expectError(await ask('POST', `/keys/${id}/rotate`, { overlapHours }), 400);
  });

  it.each(['limit=0', 'limit=501', 'limit=ten', 'cursor=made-up', 'page=2'])(
    'GET /ops/keys?%s is 400',
    async (query) => {
      expectError(await ask('GET', `/keys?${query}`), 400);
    },
  );
});

describe('plans at /ops', () => {
  it('the plans unlimited and standard exist from the start', async () => {
    const answer = await ask('GET', '/plans');
    expect(() => planListResponse.strict().parse(answer.body)).not.toThrow();
    const { plans } = answer.body as { readonly plans: readonly { readonly name: string }[] };
    expect(plans).toContainEqual({ name: 'unlimited' });
    expect(plans.map(({ name }) => name)).toContain('standard');
  });

  it('PUT /ops/plans/:name is 200 with the current plan', async () => {
    const limits = { requestsPerMinute: 5, requestsPerMonth: 100, audioSecondsPerMonth: 3600 };
    const answer = await ask('PUT', '/plans/small', limits);
    expect(answer.status).toBe(200);
    expect(() => planResponse.strict().parse(answer.body)).not.toThrow();
    expect(answer.body).toEqual({ name: 'small', ...limits });
  });

  it('a limit of a plan that is left out is no limit', async () => {
    await ask('PUT', '/plans/changing', { requestsPerMinute: 5, requestsPerMonth: 1 });
    expect((await ask('PUT', '/plans/changing', { requestsPerMinute: 5 })).body).toEqual({
      name: 'changing',
      requestsPerMinute: 5,
    });
  });

  it('a change of a plan is in force for its keys', async () => {
    await ask('PUT', '/plans/tightened', {});
    const { key } = await issue({ plan: 'tightened' });
    expect((await hear(key)).status).toBe(200);
    await ask('PUT', '/plans/tightened', { requestsPerMinute: 0 });
    // An engine may cache a plan for some seconds.
    let status = 200;
    while (status === 200) ({ status } = await hear(key));
    expect(status).toBe(429);
  });

  it.each([
    ['a negative number', { requestsPerMinute: -1 }],
    ['a fraction', { requestsPerMonth: 1.5 }],
    ['a text', { audioSecondsPerMonth: '60' }],
    ['a slip in a name', { requestPerMinute: 1 }],
  ])('PUT /ops/plans/:name with %s is 400', async (_, body) => {
    expectError(await ask('PUT', '/plans/wrong', body), 400);
  });

  it('a plan with an invalid name is 400', async () => {
    expectError(await ask('PUT', '/plans/Gold%20Plan', {}), 400);
  });
});
