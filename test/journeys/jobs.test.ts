// Requests with `Prefer: respond-async` to whole engines: 202 with a job at once, and later the answer that a client that waits would have got.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { makePng } from '../support/file-samples.ts';
import { type Answer, getAnswer, postForm, postJson, readAll } from '../support/journey-client.ts';
import {
  expectDiagnosis,
  expectError,
  expectedDiagnosis,
  filePart,
  HISTORY,
  historyPart,
  openDiagnosisSetup,
  usageOf,
} from '../support/journey-diagnosis.ts';
import { FAULTS, type Gate, makeGate } from '../support/openai-server.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { until, untilFound } from '../support/until.ts';

const LATER = { prefer: 'respond-async' };
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

const calls = () => setup.model.requests.length;
const placeOf = ({ headers }: Answer) => headers.get('location') ?? '';
type ShownJob = { readonly status: string; readonly result?: { readonly status: number; readonly body: unknown } };
const jobIn = (answer: Answer) => answer.body as ShownJob;

function untilEnded(engine: Engine, place: string): Promise<ShownJob> {
  return untilFound(async () => {
    const job = jobIn(await getAnswer(engine, place, key));
    return job.result === undefined && job.status !== 'cancelled' ? undefined : job;
  });
}

function remove(place: string, withKey = key): Promise<Answer> {
  return fetch(`${other.url}${place}`, { method: 'DELETE', headers: { 'x-api-key': withKey } }).then(readAll);
}

describe('a request with Prefer: respond-async', () => {
  it('gets 202 with a job while the model works, and any engine has its answer later', async () => {
    setup.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const accepted = await postJson(one, '/diagnose', key, body, LATER);
    expect(accepted.status).toBe(202);
    expect(accepted.headers.get('preference-applied')).toBe('respond-async');
    expect(accepted.headers.get('retry-after')).toBe('2');
    expect(accepted.body).toMatchObject({
      status: expect.stringMatching(/^(queued|running)$/),
      operation: 'diagnose',
      url: placeOf(accepted),
    });
    const running = await untilFound(async () => {
      const answer = await getAnswer(other, placeOf(accepted), key);
      return jobIn(answer).status === 'running' ? answer : undefined;
    });
    expect([running.status, running.headers.get('retry-after'), jobIn(running).result]).toEqual([200, '2', undefined]);
    gate.openAll();
    const done = await untilEnded(other, placeOf(accepted));
    expect(done).toMatchObject({ status: 'done', result: { status: 200, body: expectedDiagnosis() } });
  });

  it('a form with a file gets the same answer as from a client that waits', async () => {
    const parts = [historyPart, filePart('x-ray.png', makePng())];
    const accepted = await postForm(one, '/diagnose', key, parts, LATER);
    const { result } = await untilEnded(one, placeOf(accepted));
    expect(result).toEqual({ status: 200, body: (await postForm(one, '/diagnose', key, parts)).body });
  });

  it('a request without the preference is answered as before', async () => {
    const answer = await postJson(one, '/diagnose', key, body, { prefer: 'wait=10' });
    expectDiagnosis(answer);
    expect([placeOf(answer), answer.headers.get('preference-applied')]).toEqual(['', null]);
  });

  it('a request that breaks a rule, and one whose model fails, end as failed with the status and body of that failure', async () => {
    const wrong = await untilEnded(one, placeOf(await postJson(one, '/diagnose', key, { language: 'xx' }, LATER)));
    const waited = await postJson(one, '/diagnose', key, { language: 'xx' });
    expect(wrong).toMatchObject({ status: 'failed', result: { status: 400, body: waited.body } });
    setup.model.behave(FAULTS.unauthorized);
    const failed = await untilEnded(one, placeOf(await postJson(one, '/diagnose', key, body, LATER)));
    expect(failed).toMatchObject({ status: 'failed', result: { status: 500, body: { statusCode: 500 } } });
  });

  it('a body that cannot be read, a type that is not taken, and a limit of the plan are refused at once', async () => {
    expectError(await postJson(one, '/diagnose', key, '{"clinical_history":', LATER), 400);
    const headers = { ...LATER, 'content-type': 'text/plain' };
    expectError(await postJson(one, '/diagnose', key, body, headers), 400);
    await one.ops('PUT', '/plans/one-a-month', { requestsPerMonth: 1 });
    const limited = await one.makeKey({ organization: 'small-clinic', plan: 'one-a-month' });
    expect((await postJson(one, '/diagnose', limited, body, LATER)).status).toBe(202);
    expectError(await postJson(one, '/diagnose', limited, body, LATER), 429);
  });

  it('the job is not found by another key, of the same organization or not', async () => {
    const place = placeOf(await postJson(one, '/diagnose', key, body, LATER));
    for (const organization of ['test-clinic', 'another-clinic']) {
      const foreign = await one.makeKey({ organization });
      expectError(await getAnswer(one, place, foreign), 404);
      expectError(await remove(place, foreign), 404);
    }
    expect((await getAnswer(one, place, undefined)).status).toBe(401);
    expect((await untilEnded(one, place)).status).toBe('done');
    expectError(await getAnswer(one, '/jobs/not-an-id', key), 404);
  });

  it('DELETE cancels a job that is running, and deletes the answer of one that is done', async () => {
    setup.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const before = calls();
    const place = placeOf(await postJson(one, '/diagnose', key, body, LATER));
    await until(() => calls() > before);
    expect((await remove(place)).status).toBe(204);
    expect(jobIn(await getAnswer(one, place, key))).toMatchObject({ status: 'cancelled' });
    gate.openAll();
    const done = placeOf(await postJson(one, '/diagnose', key, body, LATER));
    await untilEnded(one, done);
    expect((await remove(done)).status).toBe(204);
    expectError(await getAnswer(one, done, key), 404);
    expect(jobIn(await getAnswer(one, place, key))).toMatchObject({ status: 'cancelled' });
  });

  it('the same Idempotency-Key and body get the same job, and the model is called once', async () => {
    const before = calls();
    const headers = { ...LATER, 'idempotency-key': 'made-up-job' };
    const first = await postJson(one, '/diagnose', key, body, headers);
    const again = await postJson(other, '/diagnose', key, body, headers);
    expect([again.status, again.text]).toEqual([202, first.text]);
    expect(placeOf(again)).toBe(placeOf(first));
    await untilEnded(one, placeOf(first));
    expect(placeOf(await postJson(other, '/diagnose', key, body, headers))).toBe(placeOf(first));
    expect(calls()).toBe(before + 1);
    expect((await postJson(one, '/diagnose', key, { clinical_history: 'another' }, headers)).status).toBe(422);
    // The engine ended after the job was queued, and before its answer was kept.
    await setup.sql('delete from keyed_answers');
    expect(placeOf(await postJson(other, '/diagnose', key, body, headers))).toBe(placeOf(first));
    await setup.sql('delete from keyed_answers');
    expect((await postJson(one, '/diagnose', key, { clinical_history: 'another' }, headers)).status).toBe(422);
    expect(calls()).toBe(before + 1);
  });

  it('counts once in the usage, with the status of its answer', async () => {
    const organization = 'counted-clinic';
    const counted = await one.makeKey({ organization });
    const place = placeOf(await postJson(one, '/diagnose', counted, body, LATER));
    await untilFound(async () => jobIn(await getAnswer(one, place, counted)).result);
    await until(async () => (await usageOf(one, organization)).length > 0);
    expect(await usageOf(one, organization)).toMatchObject([{ operation: 'diagnose', requests: 1, failures: 0 }]);
  });

  it('nothing of history or answer is readable in the database, and the body is deleted when the job has ended', async () => {
    const place = placeOf(await postJson(one, '/diagnose', key, body, LATER));
    await untilEnded(one, place);
    const [row] = await setup.sql('select * from jobs where id = $1', [place.replace('/jobs/', '')]);
    expect(row).toMatchObject({ status: 'done' });
    const stored = Object.values(row ?? {}).map((value) =>
      Buffer.isBuffer(value) ? value.toString('latin1') : String(value),
    );
    for (const word of ['cough', 'disease', 'triage']) expect(stored.join('\n')).not.toContain(word);
    expect(await setup.sql('select 1 from job_chunks where job_id = $1', [place.replace('/jobs/', '')])).toEqual([]);
  });
});
