// Several engines on one PostgreSQL: a stream that is prepared, a request that is counted and a key that is revoked on one engine count on
// the others, also after the first engine has ended. An engine with another master key does not start.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Engine, spawnEngine } from '../support/engine.ts';
import { makePdf, makePng } from '../support/file-samples.ts';
import { get, getAnswer, postForm, postJson, readEvents, sendJson } from '../support/journey-client.ts';
import {
  expectDiagnosis,
  expectError,
  expectedFinal,
  filePart,
  HISTORY,
  historyPart,
  keyIdOf,
  openDiagnosisSetup,
  sessionOf,
  untilFirstEvent,
  usageOf,
} from '../support/journey-diagnosis.ts';
import { FAULTS, type Gate, makeGate } from '../support/openai-server.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { until } from '../support/until.ts';

const body = { clinical_history: HISTORY };

const setup = openedForFile(openDiagnosisSetup);
let one: Engine;
let other: Engine;
let key: string;
let gate: Gate;

beforeAll(async () => {
  one = await setup.startEngine();
  other = await setup.startEngine();
  key = await one.makeKey();
});
beforeEach(() => {
  gate = makeGate();
});
afterEach(() => {
  gate.openAll();
  setup.model.behave({ kind: 'answer' });
});

async function prepareOn(engine: Engine): Promise<string> {
  const parts = [historyPart, filePart('a.pdf', makePdf()), filePart('b.png', makePng())];
  return sessionOf(await postForm(engine, '/diagnose/stream/files', key, parts)).streamUrl;
}

async function expectOpensOn(engine: Engine, streamUrl: string): Promise<void> {
  const response = await get(engine, streamUrl, key);
  expect(response.status).toBe(200);
  expect((await readEvents(response)).at(-1)).toEqual(expectedFinal('en'));
}

/** Starts an engine that a test may kill or stop. */
function startMortal(): Promise<Engine> {
  return setup.startEngine();
}

async function kill(engine: Engine): Promise<void> {
  engine.signal('SIGKILL');
  expect(await engine.exited).toBe('SIGKILL');
}

describe('two engines on one database', () => {
  it('a stream that was prepared with files on one engine is opened on another engine', async () => {
    await expectOpensOn(other, await prepareOn(one));
    const asked = setup.model.requests.at(-1)?.rawBody ?? '';
    expect(asked).toContain(HISTORY);
    expect(asked).toContain(makePdf().toString('base64'));
    expect(asked).toContain(makePng().toString('base64'));
  });

  it('another engine answers 401 for a prepared stream if the key is not the one of the preparation', async () => {
    const streamUrl = await prepareOn(one);
    expectError(await getAnswer(other, streamUrl, await other.makeKey()), 401);
    await expectOpensOn(other, streamUrl);
  });

  it('a session that was used on one engine is 404 on another engine', async () => {
    const streamUrl = await prepareOn(one);
    await expectOpensOn(one, streamUrl);
    expectError(await getAnswer(other, streamUrl, key), 404);
  });

  it('one of several simultaneous connections to a prepared stream on two engines gets it, and all others get 404', async () => {
    const streamUrl = await prepareOn(one);
    const answers = await Promise.all([one, other, one, other].map((engine) => getAnswer(engine, streamUrl, key)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404]);
  });

  it('a prepared stream that is stored in the database cannot be read there', async () => {
    await prepareOn(one);
    const rows = await setup.sql(
      'select manifest as bytes from prepared_streams union all select bytes from prepared_stream_chunks',
    );
    expect(rows.length).toBeGreaterThanOrEqual(3);
    const stored = rows.map(({ bytes }) => Buffer.from(bytes as Uint8Array).toString('latin1')).join();
    for (const text of [HISTORY, 'Woman', '%PDF', 'IHDR']) expect(stored).not.toContain(text);
  });

  it('a key that was made on one engine is valid on another engine at once', async () => {
    expectDiagnosis(await postJson(other, '/diagnose', await one.makeKey(), body));
    expectDiagnosis(await postJson(one, '/diagnose', await other.makeKey(), body));
  });

  it('a key that was revoked on one engine is 401 on another engine at once', async () => {
    const revoked = await one.makeKey();
    expectDiagnosis(await postJson(other, '/diagnose', revoked, body));
    await one.ops('DELETE', `/keys/${keyIdOf(revoked)}`);
    expectError(await postJson(other, '/diagnose', revoked, body), 401);
  });

  it('a key that was revoked on one engine ends its open stream on another engine with an error event of 401', async () => {
    setup.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const revoked = await one.makeKey();
    const stream = await untilFirstEvent(sendJson(other, '/diagnose/stream', revoked, body), gate);
    await one.ops('DELETE', `/keys/${keyIdOf(revoked)}`);
    const last = (await stream.ended).at(-1);
    expect(last).toEqual({ event: 'error', data: { type: 'error', statusCode: 401, message: expect.any(String) } });
  });

  it('two engines count the requests of a minute together', async () => {
    await one.ops('PUT', '/plans/three-a-minute', { requestsPerMinute: 3 });
    const limited = await one.makeKey({ organization: 'minute', plan: 'three-a-minute' });
    for (const engine of [one, other, one]) expectDiagnosis(await postJson(engine, '/diagnose', limited, body));
    for (const engine of [one, other]) expectError(await postJson(engine, '/diagnose', limited, body), 429);
  });

  it('two engines count the requests of a month together, also if all requests arrive at once', async () => {
    await other.ops('PUT', '/plans/five-a-month', { requestsPerMonth: 5 });
    const limited = await one.makeKey({ organization: 'month', plan: 'five-a-month' });
    const engines = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? one : other));
    const answers = await Promise.all(engines.map((engine) => postJson(engine, '/diagnose', limited, body)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
  });

  it('each of two engines reports the usage of both', async () => {
    const used = await one.makeKey({ organization: 'both' });
    for (const engine of [one, other]) await postJson(engine, '/diagnose', used, body);
    for (const engine of [one, other]) expect(await usageOf(engine, 'both')).toMatchObject([{ requests: 2 }]);
  });
});

describe('an engine that is killed', () => {
  it('a stream that an engine prepared before it was killed is opened on another engine', async () => {
    const mortal = await startMortal();
    const streamUrl = await prepareOn(mortal);
    await kill(mortal);
    await expectOpensOn(other, streamUrl);
  });

  it('a stream of an engine that was killed before it sent headers is opened on another engine a minute later', async () => {
    const mortal = await startMortal();
    const streamUrl = await prepareOn(mortal);
    setup.model.next(FAULTS.hang);
    const calls = setup.model.requests.length;
    const opening = get(mortal, streamUrl, key).catch(() => 'cut');
    await until(() => setup.model.requests.length > calls);
    await kill(mortal);
    expect(await opening).toBe('cut');
    expectError(await getAnswer(other, streamUrl, key), 404);
    await setup.sql("update prepared_streams set claimed_at = claimed_at - interval '1 minute'");
    await expectOpensOn(other, streamUrl);
  });

  it('a stream of an engine that was killed while streaming counts as used and is 404 on another engine', async () => {
    const mortal = await startMortal();
    const streamUrl = await prepareOn(mortal);
    setup.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const stream = await untilFirstEvent(get(mortal, streamUrl, key), gate);
    await kill(mortal);
    await expect(stream.ended).rejects.toThrow();
    expect(stream.events.map(({ event }) => event)).not.toContain('final');
    expectError(await getAnswer(other, streamUrl, key), 404);
  });
});

describe('an engine that is stopped', () => {
  it('an engine that is stopped first lets an open stream reach its final event', async () => {
    const stopping = await startMortal();
    setup.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const stream = await untilFirstEvent(sendJson(stopping, '/diagnose/stream', key, body), gate);
    stopping.signal('SIGTERM');
    await until(() => stopping.output().stderr.includes('shutting down'));
    gate.openAll();
    expect((await stream.ended).at(-1)).toEqual(expectedFinal('en'));
    expect(await stopping.exited).toBe(0);
  });

  it('an engine that is stopped ends a stalled stream with an error event, and the session of the stream is used up', async () => {
    const stopping = await startMortal();
    const streamUrl = await prepareOn(one);
    setup.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const stream = await untilFirstEvent(get(stopping, streamUrl, key), gate);
    stopping.signal('SIGTERM');
    const last = (await stream.ended).at(-1);
    expect(last).toEqual({
      event: 'error',
      data: { type: 'error', statusCode: 429, message: expect.stringContaining('restarting') },
    });
    expect(await stopping.exited).toBe(0);
    expectError(await getAnswer(other, streamUrl, key), 404);
  });
});

describe('an engine with another master key', () => {
  it.each([
    ['given to it', { MASTER_KEY: randomBytes(32).toString('base64') }],
    ['made by itself', {}],
  ])(
    'an engine with another master key refuses to start on the same database and reports why: the key is %s',
    async (_, env) => {
      const dataDir = await mkdtemp(path.join(tmpdir(), 'chartwright-stranger-'));
      const { output, exited } = spawnEngine({
        ...{
          DATA_DIR: dataDir,
          DATABASE_URL: setup.connectionString,
          OPENAI_BASE_URL: setup.model.baseUrl,
        },
        ...env,
      });
      expect(await exited).toBe(1);
      expect(output().stderr).toMatch(/another MASTER_KEY/);
      expect(output().stderr).not.toMatch(/ at .*\.ts:\d+/);
      expect(output().stdout).not.toContain('is ready');
      await rm(dataDir, { recursive: true });
      expectDiagnosis(await postJson(one, '/diagnose', key, body));
    },
  );
});
