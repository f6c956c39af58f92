// Call-backs of jobs from whole engines: signed, without clinical content, only to origins that the operator has allowed, and again until they are taken.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type CallbackReceiver, type ReceivedCall, startCallbackReceiver } from '../support/callback-receiver.ts';
import type { Engine } from '../support/engine.ts';
import { type Answer, getAnswer, postJson } from '../support/journey-client.ts';
import { expectError, HISTORY, keyIdOf, openDiagnosisSetup } from '../support/journey-diagnosis.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { untilFound } from '../support/until.ts';

const body = { clinical_history: HISTORY };

const setup = openedForFile(openDiagnosisSetup);
let receiver: CallbackReceiver;
let engine: Engine;
let key: string;
let secret: string;

beforeAll(async () => {
  receiver = await startCallbackReceiver();
  engine = await setup.startEngine();
  key = await engine.makeKey();
  const set = await engine.ops('PUT', `/keys/${keyIdOf(key)}/callbacks`, { origins: [receiver.origin] });
  ({ secret } = set as { readonly secret: string });
});
afterAll(() => receiver?.close());
afterEach(() => receiver.answerWith(204));

function ask(url: string, withKey = key): Promise<Answer> {
  return postJson(engine, '/diagnose', withKey, body, { prefer: 'respond-async', 'callback-url': url });
}

const placeOf = ({ headers }: Answer) => headers.get('location') ?? '';
const idOf = (accepted: Answer) => placeOf(accepted).replace('/jobs/', '');
const callsOf = (accepted: Answer) => receiver.calls.filter(({ id }) => id === `job_${idOf(accepted)}`);

function untilCalls(accepted: Answer, count: number): Promise<readonly ReceivedCall[]> {
  return untilFound(async () => (callsOf(accepted).length >= count ? callsOf(accepted) : undefined));
}

function untilCallback(accepted: Answer, state: string): Promise<true> {
  return untilFound(async () => {
    const { callback } = (await getAnswer(engine, placeOf(accepted), key)).body as { readonly callback?: string };
    return callback === state ? true : undefined;
  });
}

/** The next try is due now. */
const passPause = (accepted: Answer) =>
  setup.sql('update jobs set callback_at = now() where id = $1', [idOf(accepted)]);

describe('the call-back of a job', () => {
  it('comes when the job has ended, signed with the secret of the key, with its status and address and no clinical content', async () => {
    const accepted = await ask(`${receiver.origin}/hooks?of=charts`);
    expect([accepted.status, (accepted.body as { callback?: string }).callback]).toEqual([202, 'wanted']);
    const [call] = await untilCalls(accepted, 1);
    expect(call?.path).toBe('/hooks?of=charts');
    expect(call?.isSignedWith(secret)).toBe(true);
    expect(JSON.parse(call?.body ?? '')).toEqual({
      type: 'job.ended',
      timestamp: expect.any(String),
      data: { id: idOf(accepted), status: 'done', url: `${engine.url}${placeOf(accepted)}` },
    });
    await untilCallback(accepted, 'delivered');
    expect(callsOf(accepted)).toHaveLength(1);
  });

  it('is tried again with the same id until it is taken, and does not follow a redirect', async () => {
    receiver.answerWith(307, { location: `${receiver.origin}/elsewhere` });
    const accepted = await ask(`${receiver.origin}/hooks`);
    await untilCalls(accepted, 1);
    await untilCallback(accepted, 'due');
    receiver.answerWith(204);
    await passPause(accepted);
    const calls = await untilCalls(accepted, 2);
    await untilCallback(accepted, 'delivered');
    expect(calls.map(({ path }) => path)).toEqual(['/hooks', '/hooks']);
    expect(calls.every((call) => call.isSignedWith(secret))).toBe(true);
  });

  it('ends when the receiver answers 410, and comes again when the client asks for it', async () => {
    receiver.answerWith(410);
    const accepted = await ask(`${receiver.origin}/hooks`);
    await untilCallback(accepted, 'given-up');
    receiver.answerWith(204);
    const again = await fetch(`${engine.url}${placeOf(accepted)}/callback`, {
      method: 'POST',
      headers: { 'x-api-key': key },
    });
    expect(again.status).toBe(202);
    expect(await untilCalls(accepted, 2)).toHaveLength(2);
    await untilCallback(accepted, 'delivered');
  });

  it('is refused at once for an address that the operator has not allowed for the key', async () => {
    const foreign = await engine.makeKey();
    expectError(await ask(`${receiver.origin}/hooks`, foreign), 400);
    const { port } = new URL(receiver.origin);
    for (const url of [
      'https://evil.example/hooks',
      `${receiver.origin}.evil.example/`,
      `http://user@127.0.0.1:${port}/`,
      `http://localhost:${port}/hooks`,
      `${receiver.origin}\\hooks`,
      'file:///etc/passwd',
      '/hooks',
    ]) {
      expectError(await ask(url), 400);
    }
  });

  it('is not made any more when the operator has taken the origin back', async () => {
    const other = await engine.makeKey();
    const path = `/keys/${keyIdOf(other)}/callbacks`;
    await engine.ops('PUT', path, { origins: [receiver.origin] });
    receiver.answerWith(500);
    const accepted = await ask(`${receiver.origin}/hooks`, other);
    await untilCalls(accepted, 1);
    await engine.ops('PUT', path, { origins: [] });
    await passPause(accepted);
    await untilFound(async () => {
      const [row] = await setup.sql('select callback_state from jobs where id = $1', [idOf(accepted)]);
      return row?.['callback_state'] === 'given-up' ? true : undefined;
    });
    expect(callsOf(accepted)).toHaveLength(1);
  });

  it('is asked for again only if there is one', async () => {
    const accepted = await postJson(engine, '/diagnose', key, body, { prefer: 'respond-async' });
    const again = (place: string) =>
      fetch(`${engine.url}${place}/callback`, { method: 'POST', headers: { 'x-api-key': key } });
    expect((await again(placeOf(accepted))).status).toBe(409);
    expect((await again('/jobs/00000000-0000-4000-8000-000000000000')).status).toBe(404);
  });

  it('can be allowed only for origins, not for plain http to another machine', async () => {
    for (const origin of ['http://clinic.example.org', 'https://clinic.example.org/hooks', 'clinic.example.org']) {
      await expect(engine.ops('PUT', `/keys/${keyIdOf(key)}/callbacks`, { origins: [origin] })).rejects.toThrow(/400/);
    }
    await expect(engine.ops('PUT', '/keys/0123456789abcdef/callbacks', { origins: [] })).rejects.toThrow(/404/);
  });
});
