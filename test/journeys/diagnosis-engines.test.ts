// Several engines on one PostgreSQL: what one prepares, counts or revokes holds on the others, also after the end of the
// one; an engine with another master key is not let in.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Engine, spawnEngine } from '../support/engine.ts';
import { makePdf, makePng } from '../support/file-samples.ts';
import { get, getAnswer, postForm, postJson, readEvents, sendJson } from '../support/journey-client.ts';
import {
  expectDiagnosis,
  expectError,
  expectedDiagnosis,
  filePart,
  HISTORY,
  type House,
  historyPart,
  keyIdOf,
  openHouse,
  sessionOf,
  untilFirstEvent,
  usageOf,
} from '../support/journey-diagnosis.ts';
import { FAULTS, type Gate, makeGate } from '../support/openai-server.ts';
import { until } from '../support/until.ts';

const body = { clinical_history: HISTORY };

let house: House | undefined;
let one: Engine;
let other: Engine;
let key: string;
let gate: Gate;

beforeAll(async () => {
  house = await openHouse();
  one = await house.startEngine();
  other = await house.startEngine();
  key = await one.makeKey();
});
afterAll(() => house?.close());
beforeEach(() => {
  gate = makeGate();
});
afterEach(() => {
  gate.openAll();
  house?.model.behave({ kind: 'answer' });
});

async function prepareOn(engine: Engine): Promise<string> {
  const parts = [historyPart, filePart('a.pdf', makePdf()), filePart('b.png', makePng())];
  return sessionOf(await postForm(engine, '/diagnose/stream/files', key, parts)).streamUrl;
}

async function expectOpensOn(engine: Engine, streamUrl: string): Promise<void> {
  const response = await get(engine, streamUrl, key);
  expect(response.status).toBe(200);
  expect((await readEvents(response)).at(-1)).toEqual({ event: 'final', data: expectedDiagnosis('en') });
}

/** One that may be killed. */
async function startMortal(): Promise<Engine> {
  if (house === undefined) throw new Error('there is no house');
  return house.startEngine();
}

async function kill(engine: Engine): Promise<void> {
  engine.signal('SIGKILL');
  expect(await engine.exited).toBe('SIGKILL');
}

describe('two engines', () => {
  it('a stream that was prepared with files on one engine is opened on the other', async () => {
    await expectOpensOn(other, await prepareOn(one));
    const asked = house?.model.requests.at(-1)?.rawBody ?? '';
    expect(asked).toContain(HISTORY);
    expect(asked).toContain(makePdf().toString('base64'));
    expect(asked).toContain(makePng().toString('base64'));
  });

  it('the key must be the same on the other engine too', async () => {
    const streamUrl = await prepareOn(one);
    expectError(await getAnswer(other, streamUrl, await other.makeKey()), 401);
    await expectOpensOn(other, streamUrl);
  });

  it('a session that is used on one engine is 404 on the other', async () => {
    const streamUrl = await prepareOn(one);
    await expectOpensOn(one, streamUrl);
    expectError(await getAnswer(other, streamUrl, key), 404);
  });

  it('of connections on both engines at once one gets the stream, and all others 404', async () => {
    const streamUrl = await prepareOn(one);
    const answers = await Promise.all([one, other, one, other].map((engine) => getAnswer(engine, streamUrl, key)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404]);
  });

  it('what waits in the database for its connection cannot be read there', async () => {
    await prepareOn(one);
    const rows = await house?.sql(
      'select manifest as bytes from prepared_streams union all select bytes from prepared_stream_chunks',
    );
    expect(rows?.length).toBeGreaterThanOrEqual(3);
    const stored = rows?.map(({ bytes }) => Buffer.from(bytes as Uint8Array).toString('latin1')).join() ?? '';
    for (const text of [HISTORY, 'Woman', '%PDF', 'IHDR']) expect(stored).not.toContain(text);
  });

  it('a key that was made on one engine is good on the other at once', async () => {
    expectDiagnosis(await postJson(other, '/diagnose', await one.makeKey(), body));
    expectDiagnosis(await postJson(one, '/diagnose', await other.makeKey(), body));
  });

  it('a key that was revoked on one engine is 401 on the other at once', async () => {
    const revoked = await one.makeKey();
    expectDiagnosis(await postJson(other, '/diagnose', revoked, body));
    await one.ops('DELETE', `/keys/${keyIdOf(revoked)}`);
    expectError(await postJson(other, '/diagnose', revoked, body), 401);
  });

  it('a key that was revoked on one engine ends its open stream on the other with an error event of 401', async () => {
    house?.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const revoked = await one.makeKey();
    const stream = await untilFirstEvent(sendJson(other, '/diagnose/stream', revoked, body), gate);
    await one.ops('DELETE', `/keys/${keyIdOf(revoked)}`);
    const last = (await stream.ended).at(-1);
    expect(last).toEqual({ event: 'error', data: { statusCode: 401, message: expect.any(String) } });
  });

  it('requests a minute count together', async () => {
    await one.ops('PUT', '/plans/three-a-minute', { requestsPerMinute: 3 });
    const limited = await one.makeKey({ organization: 'minute', plan: 'three-a-minute' });
    for (const engine of [one, other, one]) expectDiagnosis(await postJson(engine, '/diagnose', limited, body));
    for (const engine of [one, other]) expectError(await postJson(engine, '/diagnose', limited, body), 429);
  });

  it('requests a month count together, also when all come at once', async () => {
    await other.ops('PUT', '/plans/five-a-month', { requestsPerMonth: 5 });
    const limited = await one.makeKey({ organization: 'month', plan: 'five-a-month' });
    const engines = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? one : other));
    const answers = await Promise.all(engines.map((engine) => postJson(engine, '/diagnose', limited, body)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
  });

  it('usage of both engines stands in the same books', async () => {
    const used = await one.makeKey({ organization: 'both' });
    for (const engine of [one, other]) await postJson(engine, '/diagnose', used, body);
    for (const engine of [one, other]) expect(await usageOf(engine, 'both')).toMatchObject([{ requests: 2 }]);
  });
});

describe('an engine that is killed', () => {
  it('after it has prepared a stream: the stream is opened on another engine', async () => {
    const mortal = await startMortal();
    const streamUrl = await prepareOn(mortal);
    await kill(mortal);
    await expectOpensOn(other, streamUrl);
  });

  it('before the headers of the stream went out: the stream is opened on another engine, a minute later', async () => {
    const mortal = await startMortal();
    const streamUrl = await prepareOn(mortal);
    house?.model.next(FAULTS.hang);
    const calls = house?.model.requests.length ?? 0;
    const opening = get(mortal, streamUrl, key).catch(() => 'cut');
    await until(() => (house?.model.requests.length ?? 0) > calls);
    await kill(mortal);
    expect(await opening).toBe('cut');
    expectError(await getAnswer(other, streamUrl, key), 404);
    await house?.sql("update prepared_streams set claimed_at = claimed_at - interval '1 minute'");
    await expectOpensOn(other, streamUrl);
  });

  it('within the stream: it was used, and is 404 on another engine', async () => {
    const mortal = await startMortal();
    const streamUrl = await prepareOn(mortal);
    house?.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const stream = await untilFirstEvent(get(mortal, streamUrl, key), gate);
    await kill(mortal);
    await expect(stream.ended).rejects.toThrow();
    expect(stream.events.map(({ event }) => event)).not.toContain('final');
    expectError(await getAnswer(other, streamUrl, key), 404);
  });
});

describe('an engine that is stopped', () => {
  it('lets an open stream come to its final event first', async () => {
    const stopping = await startMortal();
    house?.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const stream = await untilFirstEvent(sendJson(stopping, '/diagnose/stream', key, body), gate);
    stopping.signal('SIGTERM');
    await until(() => stopping.output().stderr.includes('shutting down'));
    gate.openAll();
    expect((await stream.ended).at(-1)).toEqual({ event: 'final', data: expectedDiagnosis('en') });
    expect(await stopping.exited).toBe(0);
  });

  it('ends a stream that does not come to its end with an error event, and its session is used up', async () => {
    const stopping = await startMortal();
    const streamUrl = await prepareOn(one);
    house?.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const stream = await untilFirstEvent(get(stopping, streamUrl, key), gate);
    stopping.signal('SIGTERM');
    const last = (await stream.ended).at(-1);
    expect(last).toEqual({ event: 'error', data: { statusCode: 429, message: expect.stringContaining('restarting') } });
    expect(await stopping.exited).toBe(0);
    expectError(await getAnswer(other, streamUrl, key), 404);
  });
});

describe('an engine with another master key', () => {
  it.each([
    ['given to it', { MASTER_KEY: randomBytes(32).toString('base64') }],
    ['made by itself', {}],
  ])('is not let in on the same database, and says why: %s', async (_, env) => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'chartwright-stranger-'));
    const { output, exited } = spawnEngine({
      ...{
        DATA_DIR: dataDir,
        DATABASE_URL: house?.connectionString ?? '',
        OPENAI_BASE_URL: house?.model.baseUrl ?? '',
      },
      ...env,
    });
    expect(await exited).toBe(1);
    expect(output().stderr).toMatch(/another MASTER_KEY/);
    expect(output().stderr).not.toMatch(/ at .*\.ts:\d+/);
    expect(output().stdout).not.toContain('is ready');
    await rm(dataDir, { recursive: true });
    expectDiagnosis(await postJson(one, '/diagnose', key, body));
  });
});
