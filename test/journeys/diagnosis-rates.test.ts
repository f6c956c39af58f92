// The rate limits of a plan on the diagnosis endpoints by docs/service-interface.md, and the usage record of each kind of outcome. Tests let
// time pass by moving stored times into the past.
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import {
  type Answer,
  getAnswer,
  postForm,
  postJson,
  readAll,
  readEvents,
  sendJson,
} from '../support/journey-client.ts';
import {
  expectDiagnosis,
  expectError,
  HISTORY,
  historyPart,
  openDiagnosisSetup,
  sessionOf,
  untilFirstEvent,
  usageOf,
} from '../support/journey-diagnosis.ts';
import { FAULTS, makeGate } from '../support/openai-server.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { until } from '../support/until.ts';

const setup = openedForFile(openDiagnosisSetup);
let engine: Engine;

beforeAll(async () => {
  engine = await setup.startEngine({ MAX_STREAMS_PER_ORGANIZATION: '1' });
  await engine.ops('PUT', '/plans/two-a-minute', { requestsPerMinute: 2 });
  await engine.ops('PUT', '/plans/two-a-month', { requestsPerMonth: 2 });
  await engine.ops('PUT', '/plans/nothing', { requestsPerMinute: 0 });
});
afterEach(() => setup.model.behave({ kind: 'answer' }));

function diagnose(key: string): Promise<Answer> {
  return postJson(engine, '/diagnose', key, { clinical_history: HISTORY });
}

function openText(key: string, signal?: AbortSignal): Promise<Response> {
  const body = { clinical_history: HISTORY };
  return sendJson(engine, '/diagnose/stream', key, body, signal === undefined ? {} : { signal });
}

describe('requests a minute', () => {
  it('requests up to the limit of a minute are answered, and their headers have the remaining number', async () => {
    const key = await engine.makeKey({ organization: 'minute', plan: 'two-a-minute' });
    for (const left of [1, 0]) {
      const answer = await diagnose(key);
      expectDiagnosis(answer);
      expect(answer.headers.get('ratelimit-policy')).toBe('"minute";q=2;w=60');
      expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`^"minute";r=${left};t=\\d+$`));
    }
  });

  it('a request beyond the limit of a minute is 429 with Retry-After and the remaining number, and the model is not called', async () => {
    const key = await engine.makeKey({ organization: 'minute', plan: 'two-a-minute' });
    await diagnose(key);
    await diagnose(key);
    const calls = setup.model.requests.length;
    const answer = await diagnose(key);
    expect(expectError(answer, 429)).toMatch(/2 requests a minute/);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(answer.headers.get('ratelimit')).toMatch(/^"minute";r=0;t=\d+$/);
    expect(setup.model.requests).toHaveLength(calls);
  });

  it('a key is accepted again after the minute', async () => {
    const key = await engine.makeKey({ organization: 'minute', plan: 'two-a-minute' });
    for (let count = 0; count < 3; count += 1) await diagnose(key);
    await setup.sql('update minute_counts set expire = expire - 60000');
    expectDiagnosis(await diagnose(key));
  });

  it('the requests of a minute are counted for each key separately', async () => {
    const keys = [0, 1].map(() => engine.makeKey({ organization: 'minute', plan: 'two-a-minute' }));
    const [one = '', two = ''] = await Promise.all(keys);
    for (let count = 0; count < 3; count += 1) await diagnose(one);
    expectError(await diagnose(one), 429);
    expectDiagnosis(await diagnose(two));
  });

  it.each([
    ['POST /diagnose', (key: string) => postForm(engine, '/diagnose', key, [historyPart])],
    ['POST /diagnose/stream', (key: string) => openText(key).then(readAll)],
    ['POST /diagnose/stream/files', (key: string) => postForm(engine, '/diagnose/stream/files', key, [historyPart])],
    ['GET /diagnose/stream/{sessionId}', (key: string) => getAnswer(engine, '/diagnose/stream/none', key)],
  ])('the limit of a minute holds for %s', async (_, send) => {
    expectError(await send(await engine.makeKey({ organization: 'minute', plan: 'nothing' })), 429);
  });

  it('the requests of a minute to all endpoints are counted together', async () => {
    const key = await engine.makeKey({ organization: 'minute', plan: 'two-a-minute' });
    await postForm(engine, '/diagnose/stream/files', key, [historyPart]);
    await readEvents(await openText(key));
    expectError(await diagnose(key), 429);
  });

  it('answers for a plan without limits have no headers about limits', async () => {
    const answer = await diagnose(await engine.makeKey());
    expect([answer.headers.get('ratelimit'), answer.headers.get('ratelimit-policy')]).toEqual([null, null]);
  });

  it('a key that was made without a plan has a limit', async () => {
    const { key } = (await engine.ops('POST', '/keys', { organization: 'plain' })) as { readonly key: string };
    expect((await diagnose(key)).headers.get('ratelimit-policy')).toBe('"minute";q=600;w=60');
  });
});

describe('requests a month', () => {
  it('a request beyond the limit of the month is 429 for all keys of the organization, and for no other organization', async () => {
    const order = { organization: 'month', plan: 'two-a-month' };
    const keys = [await engine.makeKey(order), await engine.makeKey(order)] as const;
    expectDiagnosis(await diagnose(keys[0]));
    expectDiagnosis(await diagnose(keys[1]));
    for (const key of keys) expect(expectError(await diagnose(key), 429)).toMatch(/month/);
    expectDiagnosis(await diagnose(await engine.makeKey({ ...order, organization: 'other-month' })));
  });

  it('an organization is accepted again in the next month', async () => {
    const key = await engine.makeKey({ organization: 'old-month', plan: 'two-a-month' });
    for (let count = 0; count < 2; count += 1) expectDiagnosis(await diagnose(key));
    expectError(await diagnose(key), 429);
    await setup.sql("update month_totals set month = month - interval '1 month' where organization = 'old-month'");
    expectDiagnosis(await diagnose(key));
  });
});

describe('too many streams at once', () => {
  it('too many streams at once are 429 with Retry-After for their organization alone, until one has ended', async () => {
    const gate = makeGate();
    setup.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const key = await engine.makeKey({ organization: 'busy' });
    const first = await untilFirstEvent(openText(key), gate);
    const refused = await readAll(await openText(await engine.makeKey({ organization: 'busy' })));
    expectError(refused, 429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await openText(await engine.makeKey({ organization: 'quiet' }))).status).toBe(201);
    gate.openAll();
    await first.ended;
    expect((await openText(key)).status).toBe(201);
  });
});

describe('usage records', () => {
  const line = (operation: string, counts: Readonly<Record<string, number>> = {}) =>
    expect.objectContaining({ operation, requests: 1, failures: 0, cancelled: 0, audioSeconds: 0, ...counts });

  it('usage has one success for each operation that succeeded', async () => {
    const key = await engine.makeKey({ organization: 'successes' });
    await diagnose(key);
    await readEvents(await openText(key));
    const { streamUrl } = sessionOf(await postForm(engine, '/diagnose/stream/files', key, [historyPart]));
    await getAnswer(engine, streamUrl, key);
    const operations = ['connect-stream', 'diagnose', 'diagnose-stream', 'prepare-stream'];
    expect(await usageOf(engine, 'successes')).toEqual(operations.map((operation) => line(operation)));
  });

  it('usage has a failure for an invalid request, and nothing for a request that the limit refused', async () => {
    const key = await engine.makeKey({ organization: 'refusals', plan: 'two-a-minute' });
    for (const status of [400, 400, 429]) expectError(await postJson(engine, '/diagnose', key, {}), status);
    expect(await usageOf(engine, 'refusals')).toEqual([line('diagnose', { requests: 2, failures: 2, aiMs: 0 })]);
  });

  it('usage has a failure with its duration if the model failed', async () => {
    setup.model.behave(FAULTS.refusal);
    const key = await engine.makeKey({ organization: 'failures' });
    expectError(await diagnose(key), 500);
    const [books, ...others] = await usageOf(engine, 'failures');
    expect(others).toEqual([]);
    expect(books).toEqual(line('diagnose', { failures: 1 }));
    expect(books?.aiMs).toBeGreaterThan(0);
  });

  it('usage has a failure if a stream ended with an error event', async () => {
    const gate = makeGate();
    const key = await engine.makeKey({ organization: 'broken-streams' });
    setup.model.next({ kind: 'answer', gate, chunkChars: 8, breaksOff: { afterChunks: 60, by: 'cut' } });
    const stream = await untilFirstEvent(openText(key), gate);
    gate.openAll();
    expect((await stream.ended).at(-1)?.event).toBe('error');
    expect(await usageOf(engine, 'broken-streams')).toEqual([line('diagnose-stream', { failures: 1 })]);
  });

  it('usage has a cancelled request if the client disconnected before the answer', async () => {
    setup.model.next(FAULTS.hang);
    const key = await engine.makeKey({ organization: 'left-requests' });
    const client = new AbortController();
    const calls = setup.model.requests.length;
    const { signal } = client;
    const sending = sendJson(engine, '/diagnose', key, { clinical_history: HISTORY }, { signal }).catch(() => 'left');
    await until(() => setup.model.requests.length > calls);
    client.abort();
    expect(await sending).toBe('left');
    await until(async () => (await usageOf(engine, 'left-requests')).length > 0);
    expect(await usageOf(engine, 'left-requests')).toEqual([line('diagnose', { cancelled: 1 })]);
  });

  it('usage has a cancelled request if the client disconnected from a stream', async () => {
    const gate = makeGate();
    setup.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const key = await engine.makeKey({ organization: 'left-streams' });
    const client = new AbortController();
    await untilFirstEvent(openText(key, client.signal), gate);
    client.abort();
    await until(async () => (await usageOf(engine, 'left-streams')).length > 0);
    expect(await usageOf(engine, 'left-streams')).toEqual([line('diagnose-stream', { cancelled: 1 })]);
    gate.openAll();
  });
});
