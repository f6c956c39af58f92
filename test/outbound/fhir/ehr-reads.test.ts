import { afterEach, describe, expect, it } from '@jest/globals';
import type { Patient } from '@medplum/fhirtypes';
import { EhrLimit } from '../../../src/domain/ehr-limit.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { passDeadline } from '../../support/held-timers.ts';
import { anOutcome, type ScriptedAnswer, type ScriptedEhr, startScriptedEhr } from './scripted-ehr.ts';

const CANARY = 'zebrowski-4711';
const never = new AbortController().signal;
const A_PATIENT: Patient = { resourceType: 'Patient', id: CANARY, meta: { versionId: '3' } };

let server: ScriptedEhr | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Returns the answers in order, and the last one for all further calls. */
async function serverOf(...answers: ScriptedAnswer[]): Promise<ScriptedEhr> {
  let turn = 0;
  server = await startScriptedEhr(() => answers[Math.min(turn++, answers.length - 1)] ?? 'reset', {
    limits: { readMs: 20_000 },
  });
  return server;
}

const read = ({ ehr }: ScriptedEhr) => ehr.read(`Patient/${CANARY}`, never);

async function failureOf(reading: Promise<unknown>): Promise<AppError> {
  const thrown = await reading.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof AppError)) throw new Error('no AppError was thrown', { cause: thrown });
  for (let error: unknown = thrown; error instanceof Error; error = error.cause) {
    expect(error.message).not.toContain(CANARY);
    expect(error.message).not.toMatch(/https?:/);
  }
  return thrown;
}

describe('Reading from an EHR', () => {
  it('a read asks for FHIR, and returns the resource', async () => {
    const ehr = await serverOf({ status: 200, body: A_PATIENT });
    expect(await read(ehr)).toEqual({ reference: `Patient/${CANARY}`, version: '3', resource: A_PATIENT });
    expect(ehr.requests).toMatchObject([
      { method: 'GET', url: `Patient/${CANARY}`, headers: { accept: 'application/fhir+json' } },
    ]);
  });

  it.each<ScriptedAnswer>([
    'reset',
    { status: 500 },
    { status: 503 },
    { status: 429 },
    { status: 408 },
    { status: 200, body: A_PATIENT, isCut: true },
  ])('a passing failure is tried again, a little later each time (%#)', async (trouble) => {
    const ehr = await serverOf(trouble, trouble, { status: 200, body: A_PATIENT });
    expect(await read(ehr)).toMatchObject({ version: '3' });
    const [first = 0, second = 0] = ehr.runtime.pauses;
    expect(ehr.runtime.pauses).toHaveLength(2);
    expect(first).toBeGreaterThanOrEqual(125);
    expect(second).toBeGreaterThanOrEqual(250);
    expect(second).toBeLessThanOrEqual(750);
  });

  it('a read is given up after four tries', async () => {
    const ehr = await serverOf({ status: 503 });
    expect(await failureOf(read(ehr))).toMatchObject({
      code: 'ehrUnavailable',
      message: 'mercy: the EHR cannot be asked for Patient now: it answers 503',
    });
    expect(ehr.requests).toHaveLength(4);
  });

  it('a read keeps a short pause that the EHR asks for', async () => {
    const ehr = await serverOf({ status: 429, headers: { 'retry-after': '5' } }, { status: 200, body: A_PATIENT });
    expect(await read(ehr)).toBeDefined();
    const [pauseMs = 0, ...more] = ehr.runtime.pauses;
    expect([pauseMs >= 5_000 && pauseMs <= 6_000, more]).toEqual([true, []]);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['Retry-After', { 'retry-after': '120' }],
    ['RateLimit', { ratelimit: '"default";r=0;t=120' }],
    ['RateLimit-Reset', { 'ratelimit-limit': '100', 'ratelimit-remaining': '0', 'ratelimit-reset': '120' }],
  ])(
    'an EHR that limits requests is sent nothing until the time of its %s, and the limit is reported as such',
    async (_, headers) => {
      const ehr = await serverOf({ status: 429, headers }, { status: 200, body: A_PATIENT });
      for (let call = 0; call < 10; call += 1) {
        const failure = await failureOf(read(ehr));
        expect(failure).toBeInstanceOf(EhrLimit);
        expect(failure).toMatchObject({
          code: 'ehrUnavailable',
          retryAfterSeconds: 120,
          message: 'mercy: the EHR limits requests (429); it asked to wait until 2026-03-02 10:02 UTC',
        });
      }
      expect(ehr.requests).toHaveLength(1);
      ehr.runtime.advance(120_000);
      expect(await read(ehr)).toBeDefined();
      expect(ehr.requests).toHaveLength(2);
    },
  );

  it('an EHR that limits requests and does not say for how long is tried again, and then left alone for a moment', async () => {
    const ehr = await serverOf({ status: 429 });
    expect(await failureOf(read(ehr))).toMatchObject({
      retryAfterSeconds: 10,
      message: 'mercy: the EHR limits requests (429)',
    });
    expect(ehr.requests).toHaveLength(4);
  });

  it('a limit is believed for an hour at the most', async () => {
    const ehr = await serverOf({ status: 429, headers: { 'retry-after': '999999' } }, { status: 200, body: A_PATIENT });
    expect(await failureOf(read(ehr))).toMatchObject({ retryAfterSeconds: 3_600 });
    ehr.runtime.advance(3_600_000);
    expect(await read(ehr)).toBeDefined();
  });

  it.each([
    ['120', 120],
    ['999999', 3600],
  ])('a read fails with a long pause (%s s) for its caller', async (header, seconds) => {
    const ehr = await serverOf({ status: 503, headers: { 'retry-after': header } });
    expect(await failureOf(read(ehr))).toMatchObject({ code: 'ehrUnavailable', retryAfterSeconds: seconds });
    expect(ehr.requests).toHaveLength(1);
    expect(ehr.runtime.pauses).toEqual([]);
  });

  it('an EHR that never answers is given up in time', async () => {
    const ehr = await startScriptedEhr(() => 'hang', { limits: { readMs: 60 } });
    server = ehr;
    const hasArrived = () => ehr.requests.length === 1;
    const failure = await passDeadline(() => failureOf(read(ehr)), { after: hasArrived, ms: 60 });
    expect(failure).toMatchObject({ code: 'ehrUnavailable' });
    expect(ehr.requests).toHaveLength(1);
  });

  it.each([404, 410])('status %d means that the resource does not exist', async (status) => {
    expect(await read(await serverOf({ status, body: anOutcome({ code: 'not-found' }) }))).toBeUndefined();
  });

  it.each<[string, ScriptedAnswer]>([
    ['a page', { status: 404, body: '<html>No such application</html>', headers: { 'content-type': 'text/html' } }],
    ['other JSON', { status: 404, body: { message: 'no route matched' } }],
  ])('status 404 of a gateway, as %s, does not mean that a resource is gone', async (_, answer) => {
    const ehr = await serverOf(answer);
    expect(await failureOf(read(ehr))).toMatchObject({ code: 'ehrAnswer' });
    expect(await ehr.ehr.remove(`Patient/${CANARY}`, never)).toBe(false);
  });

  it('refused credentials are reported with the setting to check', async () => {
    const ehr = await serverOf({ status: 401 });
    expect(await failureOf(read(ehr))).toMatchObject({
      code: 'ehrUnavailable',
      retryAfterSeconds: 30,
      message: 'mercy: the EHR refuses our credentials (401): look at ehr.auth of that site',
    });
    ehr.runtime.advance(330_000);
    expect(await failureOf(read(ehr))).toMatchObject({
      code: 'ehrRefused',
      message: 'mercy: the EHR refuses our credentials (401): look at ehr.auth of that site',
    });
    expect(ehr.requests).toHaveLength(2);
  });

  it.each([400, 403, 405, 422, 301, 302])('status %d is a refusal, and is not tried again', async (status) => {
    const headers = { location: `https://elsewhere.example.org/Patient/${CANARY}` };
    const body = anOutcome({ code: 'invalid', diagnostics: CANARY, details: { text: CANARY } });
    const ehr = await serverOf({ status, body, headers });
    expect(await failureOf(read(ehr))).toMatchObject({ code: 'ehrRefused' });
    expect(ehr.requests).toHaveLength(1);
  });

  it.each<[string, ScriptedAnswer]>([
    ['a page of a gateway', { status: 200, body: '<html>Login</html>', headers: { 'content-type': 'text/html' } }],
    ['invalid JSON', { status: 200, body: '{"resourceType":' }],
    ['a list', { status: 200, body: '[]' }],
    ['empty', { status: 200, body: '' }],
    ['another resource', { status: 200, body: { ...A_PATIENT, id: 'other' } }],
    ['another type', { status: 200, body: { ...A_PATIENT, resourceType: 'Person' } }],
    ['a resource without id', { status: 200, body: { resourceType: 'Patient' } }],
    [
      'a resource with the key __proto__',
      { status: 200, body: `{"resourceType":"Patient","id":"${CANARY}","__proto__":{}}` },
    ],
    [
      'a resource with endless nesting',
      { status: 200, body: `{"resourceType":"Patient","id":"${CANARY}","x":${'['.repeat(9_000)}${']'.repeat(9_000)}}` },
    ],
  ])('an answer that is %s is refused', async (_, answer) => {
    const ehr = await serverOf(answer);
    expect(await failureOf(read(ehr))).toMatchObject({ code: 'ehrAnswer' });
    expect(ehr.requests).toHaveLength(1);
  });

  it('an answer longer than the limit is not read further', async () => {
    const text = 'x'.repeat(100_000);
    server = await startScriptedEhr(() => ({ status: 200, body: { ...A_PATIENT, name: [{ text }] } }), {
      limits: { maxAnswerBytes: 50_000 },
    });
    expect(await failureOf(read(server))).toMatchObject({ code: 'ehrAnswer' });
  });

  it.each([
    'Patient',
    'Patient/..',
    'Patient/1/../2',
    '../Patient/1',
    'Patient/1?x=y',
    'https://evil.example/Patient/1',
  ])('a read of the invalid reference %s calls no server', async (reference) => {
    const ehr = await serverOf({ status: 200, body: A_PATIENT });
    await expect(ehr.ehr.read(reference, never)).rejects.toMatchObject({ code: 'ehrRefused' });
    expect(ehr.requests).toEqual([]);
  });

  it('a caller that cancels while the EHR is silent gets its own reason at once', async () => {
    const giveUp = new AbortController();
    const reason = new Error('the run was cancelled');
    server = await startScriptedEhr(() => {
      giveUp.abort(reason);
      return 'hang';
    });
    await expect(server.ehr.read('Patient/1', giveUp.signal)).rejects.toBe(reason);
  });

  it('a delete of a missing resource succeeds, and a refused delete does not', async () => {
    const ehr = await serverOf({ status: 204 }, { status: 404 }, { status: 410 }, { status: 405 }, { status: 202 });
    const removed: boolean[] = [];
    for (let turn = 0; turn < 5; turn += 1) removed.push(await ehr.ehr.remove('Condition/1', never));
    expect(removed).toEqual([true, true, true, false, false]);
    expect(ehr.requests[0]).toMatchObject({ method: 'DELETE', url: 'Condition/1' });
  });
});

describe('Searching in an EHR', () => {
  const order = { type: 'Condition', parameters: { patient: 'Patient/1' }, maxResources: 100 } as const;
  const page = (ids: readonly string[], next?: string, extra: readonly unknown[] = []) => ({
    status: 200,
    body: {
      resourceType: 'Bundle',
      type: 'searchset',
      ...(next !== undefined && { link: [{ relation: 'next', url: next }] }),
      entry: [...ids.map((id) => ({ resource: { resourceType: 'Condition', id } })), ...extra],
    },
  });
  const idsOf = ({ resources }: { readonly resources: readonly { readonly id?: string }[] }) =>
    resources.map(({ id }) => id);

  it('a search encodes values as FHIR does, and several values of a name are several conditions', async () => {
    const ehr = await serverOf(page([]));
    const parameters = { date: ['ge2026-01-01T00:00:00+01:00', 'lt2026-03-01'], code: 'a|b&c' };
    await ehr.ehr.search({ type: 'Observation', parameters, maxResources: 5 }, never);
    const url = new URL(ehr.requests[0]?.url ?? '', ehr.baseUrl);
    expect(url.searchParams.getAll('date')).toEqual(parameters.date);
    expect(url.searchParams.get('code')).toBe('a|b&c');
  });

  it.each([
    ['a whole address', (base: string) => `${base}/Condition?page=2`],
    ['an address without its origin', () => '/fhir/Condition?page=2'],
    ['an address below the base', () => 'Condition?page=2'],
    ['a query alone', () => '?page=2'],
  ])('a search follows the next page if its link is %s', async (_, link) => {
    server = await startScriptedEhr(({ url }, base) =>
      url.includes('page=2') ? page(['b']) : page(['a'], link(base)),
    );
    const answer = await server.ehr.search(order, never);
    expect(idsOf(answer)).toEqual(['a', 'b']);
    expect(answer.isComplete).toBe(true);
  });

  it('a search does not request a next page at another address, and is not complete', async () => {
    const ehr = await serverOf(page(['a'], 'http://inner.example.org/Condition?page=2'));
    expect(await ehr.ehr.search(order, never)).toMatchObject({ isComplete: false, resources: [{ id: 'a' }] });
    expect(ehr.requests).toHaveLength(1);
  });

  it('a search ends if a next page leads back to itself', async () => {
    const ehr = await serverOf(page(['a'], '?page=2'));
    const answer = await ehr.ehr.search(order, never);
    expect(answer.isComplete).toBe(false);
    expect(idsOf(answer)).toEqual(['a']);
    expect(ehr.requests).toHaveLength(2);
  });

  it('a search reads endless pages up to a limit', async () => {
    let count = 0;
    server = await startScriptedEhr(() => page([], `?page=${++count}`));
    expect(await server.ehr.search(order, never)).toEqual({ resources: [], isComplete: false });
    expect(server.requests).toHaveLength(50);
  });

  it('a search is not continued after a minute of slow pages', async () => {
    let count = 0;
    const ehr = await startScriptedEhr(() => {
      ehr.runtime.advance(15_000);
      return page([`c${count}`], `?page=${++count}`);
    });
    server = ehr;
    expect(await ehr.ehr.search(order, never)).toMatchObject({ isComplete: false });
    expect(ehr.requests).toHaveLength(5);
  });

  it.each<[string, object]>([
    ['an entry that is not a list', { entry: { resource: { resourceType: 'Consent', id: '1' } } }],
    ['an entry of null', { entry: [null] }],
    ['an entry without its resource', { entry: [{ fullUrl: 'urn:uuid:1' }] }],
    ['a total larger than its entries', { total: 1 }],
    ['a next page without an address', { link: [{ relation: 'next' }] }],
    ['a link that is not a list', { link: { relation: 'next', url: 'Consent?page=2' } }],
    ['another kind of Bundle', { type: 'batch-response' }],
    ['an error', { entry: [{ search: { mode: 'outcome' }, resource: anOutcome({ code: 'exception' }) }] }],
    [
      'a warning that entries are suppressed',
      { entry: [{ search: { mode: 'outcome' }, resource: anOutcome({ severity: 'warning', code: 'suppressed' }) }] },
    ],
  ])('a page with %s does not show that there are no resources', async (_, page) => {
    const { ehr } = await serverOf({ status: 200, body: { resourceType: 'Bundle', type: 'searchset', ...page } });
    const answer = await ehr.search({ type: 'Consent', parameters: {}, maxResources: 10 }, never);
    expect(answer).toEqual({ resources: [], isComplete: false });
  });

  it('a search holds only as many large pages as the memory limit allows', async () => {
    let pages = 0;
    server = await startScriptedEhr((_, base) => {
      pages += 1;
      const resource = { resourceType: 'Media', id: String(pages), note: [{ text: 'x'.repeat(15 * 1024 * 1024) }] };
      const link = [{ relation: 'next', url: `${base}/Media?page=${pages}` }];
      return { status: 200, body: { resourceType: 'Bundle', type: 'searchset', entry: [{ resource }], link } };
    });
    const answer = await server.ehr.search({ type: 'Media', parameters: {}, maxResources: 100 }, never);
    expect(answer.isComplete).toBe(false);
    expect(pages).toBe(5);
  });

  it('a search reads no more than requested', async () => {
    const ehr = await serverOf(page(['a', 'b', 'c'], '?page=2'));
    const answer = await ehr.ehr.search({ ...order, maxResources: 2 }, never);
    expect(idsOf(answer)).toEqual(['a', 'b']);
    expect(answer.isComplete).toBe(false);
    expect(ehr.requests).toHaveLength(1);
  });

  it('a search ignores included resources, warnings and other types', async () => {
    const extra = [
      { search: { mode: 'include' }, resource: { resourceType: 'Condition', id: 'included' } },
      { search: { mode: 'outcome' }, resource: { resourceType: 'OperationOutcome' } },
      { resource: { resourceType: 'Patient', id: 'p' } },
      { resource: 'nonsense' },
      null,
    ];
    const ehr = await serverOf(page(['a'], undefined, extra));
    expect(idsOf(await ehr.ehr.search(order, never))).toEqual(['a']);
  });

  it('a search that the EHR does not support is a refusal', async () => {
    const body = anOutcome({ code: 'invalid', diagnostics: `Unknown search parameter ${CANARY}` });
    const ehr = await serverOf({ status: 400, body });
    expect(await failureOf(ehr.ehr.search(order, never))).toMatchObject({
      code: 'ehrRefused',
      message: 'mercy: the EHR refuses to be asked for Condition (400, invalid)',
    });
  });

  it('an answer that is not a Bundle, or has entries without an id, is refused', async () => {
    const withoutId = page([], undefined, [{ resource: { resourceType: 'Condition' } }]);
    for (const answer of [{ status: 200, body: A_PATIENT }, withoutId]) {
      const ehr = await serverOf(answer);
      expect(await failureOf(ehr.ehr.search(order, never))).toMatchObject({ code: 'ehrAnswer' });
      await ehr.close();
    }
  });
});
