// The keys of the diagnosis endpoints by docs/service-interface.md: which keys are accepted, and for how long. Tests let time pass by moving
// stored times into the past.
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { makePng } from '../support/file-samples.ts';
import { type Answer, getAnswer, postForm, postJson, readAll, wrongKeyOf } from '../support/journey-client.ts';
import {
  expectDiagnosis,
  expectError,
  filePart,
  HISTORY,
  historyPart,
  keyIdOf,
  openDiagnosisSetup,
  sessionOf,
  untilFirstEvent,
  usageOf,
} from '../support/journey-diagnosis.ts';
import { makeGate } from '../support/openai-server.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { rawRequest } from '../support/raw-http.ts';

type Issued = { readonly id: string; readonly key: string };

const MAX_WRONG_KEYS = 20;

const setup = openedForFile(openDiagnosisSetup);
let engine: Engine;
let key: string;

beforeAll(async () => {
  // Tests can send from addresses of their own.
  engine = await setup.startEngine({ TRUST_PROXY_HOPS: '1' });
  key = await engine.makeKey();
});

let addresses = 0;
/** A client that has sent no request yet. */
function newAddress(): Readonly<Record<string, string>> {
  addresses += 1;
  return { 'x-forwarded-for': `203.0.113.${addresses}` };
}

function diagnose(withKey: string | undefined, headers = newAddress()): Promise<Answer> {
  return postJson(engine, '/diagnose', withKey, { clinical_history: HISTORY }, headers);
}

async function issue(order: Readonly<Record<string, string>> = {}): Promise<Issued> {
  return (await engine.ops('POST', '/keys', { organization: 'clinic', plan: 'unlimited', ...order })) as Issued;
}

async function rotate(id: string, overlapHours: number): Promise<Issued> {
  return (await engine.ops('POST', `/keys/${id}/rotate`, { overlapHours })) as Issued;
}

const ENDPOINTS: readonly (readonly [string, (withKey: string | undefined) => Promise<Answer>])[] = [
  ['POST /diagnose', (withKey) => postForm(engine, '/diagnose', withKey, [historyPart], newAddress())],
  ['POST /diagnose/stream', (withKey) => postJson(engine, '/diagnose/stream', withKey, {}, newAddress())],
  [
    'POST /diagnose/stream/files',
    (withKey) => postForm(engine, '/diagnose/stream/files', withKey, [filePart('a.png', makePng())], newAddress()),
  ],
  [
    'GET /diagnose/stream/{sessionId}',
    (withKey) => getAnswer(engine, '/diagnose/stream/00000000-0000-4000-8000-000000000000', withKey),
  ],
];

describe('keys of requests', () => {
  it.each(ENDPOINTS)('a request to %s without a key is 401, whatever else is wrong with it', async (_, send) => {
    const answer = await send(undefined);
    expect(answer.headers.get('www-authenticate')).toBe('ApiKey');
    expectError(answer, 401);
  });

  it.each(ENDPOINTS)('a request to %s with an invalid key is 401', async (_, send) => {
    expectError(await send('cw_0123456789abcdef_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'), 401);
  });

  it('the name of the key header may be written in any case', async () => {
    const headers = { 'X-API-KEY': key, 'content-type': 'application/json' };
    const body = JSON.stringify({ clinical_history: HISTORY });
    expectDiagnosis(await readAll(await fetch(`${engine.url}/diagnose`, { method: 'POST', headers, body })));
  });

  it.each(['/keys', '/diagnose/keys', '/ops/keys'])('a client cannot issue keys by %s', async (path) => {
    const answer = await postJson(engine, path, key, { organization: 'test-clinic' }, newAddress());
    expect([401, 404]).toContain(answer.status);
    expect(answer.text).not.toContain('cw_');
  });

  it.each([
    ['an empty one', () => ''],
    ['a word', () => 'secret'],
    ['one with the right id and another secret', () => wrongKeyOf(key)],
    ['one with the secret alone', () => key.slice(20)],
    ['one with a letter too many', () => `${key}A`],
    ['one in capitals', () => key.toUpperCase()],
    ['one of ten thousand characters', () => `cw_${'a'.repeat(10_000)}`],
    ['one with a quotation mark', () => "cw_' or 1=1 --"],
  ])('a wrong key is 401: %s', async (_, wrongKey) => {
    const answer = await diagnose(wrongKey());
    expect(expectError(answer, 401)).toBe('The API key is missing or invalid');
    expect(answer.body).not.toHaveProperty('error');
  });

  it('two keys in one request are 401', async () => {
    const head = ['POST /diagnose HTTP/1.1', 'host: localhost', `x-api-key: ${key}`, `x-api-key: ${key}`];
    const rest = ['content-type: application/json', 'content-length: 2', '', '{}'];
    const answer = await rawRequest(Number(new URL(engine.url).port), [...head, ...rest].join('\r\n'));
    expect(answer.status).toBe(401);
  });

  it.each(['x-api-key', 'api_key', 'apiKey'])('a key in the address (%s) is 400 and is not repeated', async (name) => {
    const answer = await postJson(engine, `/diagnose?${name}=${key}`, key, { clinical_history: HISTORY });
    expectError(answer, 400);
    expect(answer.text).not.toContain(key);
  });

  it('no key is in the log, neither a valid one nor a wrong one', () => {
    const { stdout, stderr } = engine.output();
    expect(stderr).toContain('/diagnose');
    expect(stdout + stderr).not.toContain(key.slice(20));
    expect(stdout + stderr).not.toContain('or 1=1');
  });

  it('the key of a stream session must be the one of its preparation, else the answer is 401', async () => {
    const { streamUrl } = sessionOf(await postForm(engine, '/diagnose/stream/files', key, [historyPart]));
    expectError(await getAnswer(engine, streamUrl, await engine.makeKey()), 401);
    expect((await getAnswer(engine, streamUrl, key)).status).toBe(200);
  });

  it('usage is counted for the key that was used, and for its organization', async () => {
    const [one, two] = [await issue({ organization: 'two-keys' }), await issue({ organization: 'two-keys' })];
    for (const { key: used } of [one, two, two]) expectDiagnosis(await diagnose(used));
    const lines = (await usageOf(engine, 'two-keys')).map((line) => [line.key, line.requests]);
    expect(new Map(lines as [string, number][])).toEqual(
      new Map([
        [one.id, 1],
        [two.id, 2],
      ]),
    );
  });

  it('requests with a wrong key are counted for no key', async () => {
    const { id, key: good } = await issue({ organization: 'wrongly-called' });
    expectError(await diagnose(wrongKeyOf(good)), 401);
    expect(keyIdOf(good)).toBe(id);
    expect(await usageOf(engine, 'wrongly-called')).toEqual([]);
  });
});

describe('the life of a key', () => {
  it('the new key and the old one are both valid after a rotation, until the overlap ends', async () => {
    const old = await issue();
    const successor = await rotate(old.id, 2);
    expectDiagnosis(await diagnose(old.key));
    expectDiagnosis(await diagnose(successor.key));
    const goBy = (time: string) =>
      setup.sql('update api_keys set expires_at = expires_at - $1::interval where id = $2', [time, old.id]);
    await goBy('110 minutes');
    expectDiagnosis(await diagnose(old.key));
    await goBy('10 minutes');
    expectError(await diagnose(old.key), 401);
    expectDiagnosis(await diagnose(successor.key));
  });

  it('a rotation without overlap ends the old key at once', async () => {
    const old = await issue();
    const successor = await rotate(old.id, 0);
    expectError(await diagnose(old.key), 401);
    expectDiagnosis(await diagnose(successor.key));
  });

  it('a key that was replaced does not open a stream that it prepared for its successor', async () => {
    const old = await issue();
    const { streamUrl } = sessionOf(await postForm(engine, '/diagnose/stream/files', old.key, [historyPart]));
    const successor = await rotate(old.id, 1);
    expectError(await getAnswer(engine, streamUrl, successor.key), 401);
    expect((await getAnswer(engine, streamUrl, old.key)).status).toBe(200);
  });

  it('a key is valid until it expires, and 401 from then on', async () => {
    const { id, key: used } = await issue({ expiresAt: new Date(Date.now() + 86_400_000).toISOString() });
    expectDiagnosis(await diagnose(used));
    await setup.sql("update api_keys set expires_at = expires_at - interval '1 day' where id = $1", [id]);
    expectError(await diagnose(used), 401);
  });

  it('a revoked key is 401 from the next request on', async () => {
    const { id, key: used } = await issue();
    expectDiagnosis(await diagnose(used));
    await engine.ops('DELETE', `/keys/${id}`);
    expectError(await diagnose(used), 401);
  });

  it('a revoked key ends its open streams with an error event of 401', async () => {
    const { id, key: used } = await issue();
    const gate = makeGate();
    setup.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const body = JSON.stringify({ clinical_history: HISTORY });
    const headers = { 'x-api-key': used, 'content-type': 'application/json' };
    const opening = fetch(`${engine.url}/diagnose/stream`, { method: 'POST', headers, body });
    const stream = await untilFirstEvent(opening, gate);
    await engine.ops('DELETE', `/keys/${id}`);
    const last = (await stream.ended).at(-1);
    expect(last).toEqual({ event: 'error', data: { type: 'error', statusCode: 401, message: expect.any(String) } });
    expect(await setup.model.requests.at(-1)?.closed).toBe('gone');
  });
});

describe('many wrong keys', () => {
  it('wrong keys from one address become 429 with Retry-After, and never block a valid key of the same address', async () => {
    const address = newAddress();
    const wrong = wrongKeyOf(key);
    for (let count = 0; count < MAX_WRONG_KEYS; count += 1) expectError(await diagnose(wrong, address), 401);
    const refused = await diagnose(wrong, address);
    expectError(refused, 429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expectDiagnosis(await diagnose(key, address));
    expectError(await diagnose(wrong, address), 429);
    expectDiagnosis(await diagnose(key, address));
  });

  it('wrong keys from one address leave wrong keys from other addresses at 401', async () =>
    expectError(await diagnose('wrong'), 401));

  it('requests without any key remain 401, however many there are', async () => {
    const address = newAddress();
    for (let count = 0; count <= MAX_WRONG_KEYS; count += 1) expectError(await diagnose(undefined, address), 401);
  });
});
