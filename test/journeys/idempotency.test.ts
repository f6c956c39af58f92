// Requests with an Idempotency-Key to whole engines on one database: the model is called once for each key, whatever is sent again, by whichever
// engine, also if the client leaves or an engine is killed.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { makePng } from '../support/file-samples.ts';
import { postForm, postJson, readEvents, sendJson } from '../support/journey-client.ts';
import {
  expectDiagnosis,
  expectError,
  expectedFinal,
  filePart,
  HISTORY,
  historyPart,
  openDiagnosisSetup,
  sessionOf,
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
let count = 0;

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

function aKey() {
  count += 1;
  return { 'idempotency-key': `"made-up-${count}"` };
}

const calls = () => setup.model.requests.length;
const isRepeated = ({ headers }: { readonly headers: Headers }) => headers.get('idempotent-replayed') === 'true';

describe('a request with an Idempotency-Key', () => {
  it('a request that is sent again with its key, to another engine, gets the first answer without a call of the model', async () => {
    const before = calls();
    const headers = aKey();
    const first = await postJson(one, '/diagnose', key, body, headers);
    expectDiagnosis(first);
    expect(isRepeated(first)).toBe(false);
    for (const engine of [one, other]) {
      const again = await postJson(engine, '/diagnose', key, body, headers);
      expect([again.status, again.text, isRepeated(again)]).toEqual([200, first.text, true]);
    }
    expect(calls()).toBe(before + 1);
  });

  it('the same key without quotes is the same key', async () => {
    const before = calls();
    await postJson(one, '/diagnose', key, body, { 'idempotency-key': '"bare-or-quoted"' });
    expect(isRepeated(await postJson(one, '/diagnose', key, body, { 'idempotency-key': 'bare-or-quoted' }))).toBe(true);
    expect(calls()).toBe(before + 1);
  });

  it('requests with one key that come at once to two engines are answered alike by one call of the model', async () => {
    const before = calls();
    setup.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const headers = aKey();
    const asking = Array.from({ length: 8 }, (_, index) =>
      postJson(index % 2 === 0 ? one : other, '/diagnose', key, body, headers),
    );
    await until(() => calls() > before);
    gate.openAll();
    const answers = await Promise.all(asking);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers) expectDiagnosis(answer);
    expect(answers.filter(isRepeated)).toHaveLength(7);
    expect(calls()).toBe(before + 1);
  });

  it('a form with a file that is sent again with another boundary gets the first answer', async () => {
    const before = calls();
    const headers = aKey();
    const parts = [historyPart, filePart('x-ray.png', makePng())];
    const first = await postForm(one, '/diagnose', key, parts, headers);
    const again = await postForm(other, '/diagnose', key, parts, headers);
    expect([again.status, again.text, isRepeated(again)]).toEqual([200, first.text, true]);
    expect(calls()).toBe(before + 1);
  });

  it.each<[string, (headers: Readonly<Record<string, string>>) => Promise<unknown>]>([
    ['another history', (headers) => postJson(other, '/diagnose', key, { clinical_history: 'another' }, headers)],
    ['another endpoint', (headers) => postJson(other, '/diagnose/stream', key, body, headers)],
    ['a form', (headers) => postForm(other, '/diagnose', key, [historyPart], headers)],
    [
      'a file more',
      (headers) => postForm(other, '/diagnose', key, [historyPart, filePart('a.png', makePng())], headers),
    ],
  ])('a key that is used again with %s is 422, and the model is not called', async (_, ask) => {
    const headers = aKey();
    await postJson(one, '/diagnose', key, body, headers);
    const before = calls();
    expect(await ask(headers)).toMatchObject({ status: 422, body: { statusCode: 422, error: 'Unprocessable Entity' } });
    expect(calls()).toBe(before);
  });

  it.each(['""', '"open', 'clé', 'x'.repeat(256)])('the malformed Idempotency-Key %s is 400', async (given) => {
    const answer = await postJson(one, '/diagnose', key, body, {
      'idempotency-key': Buffer.from(given).toString('latin1'),
    });
    expect(expectError(answer, 400)).toContain('Idempotency-Key');
  });

  it('the same Idempotency-Key of another API key is another key', async () => {
    const headers = aKey();
    await postJson(one, '/diagnose', key, body, headers);
    const before = calls();
    const others = await postJson(one, '/diagnose', await one.makeKey(), body, headers);
    expectDiagnosis(others);
    expect([isRepeated(others), calls()]).toEqual([false, before + 1]);
  });

  it('a request that was refused for its content is refused alike again, and one that failed at the model is tried again', async () => {
    const invalid = aKey();
    const first = await postJson(one, '/diagnose', key, { clinical_history: ' ' }, invalid);
    const again = await postJson(one, '/diagnose', key, { clinical_history: ' ' }, invalid);
    expect([again.status, again.text, isRepeated(again)]).toEqual([400, first.text, true]);

    const failing = aKey();
    setup.model.behave({ kind: 'status', status: 401 });
    expectError(await postJson(one, '/diagnose', key, body, failing), 500);
    setup.model.behave({ kind: 'answer' });
    const mended = await postJson(one, '/diagnose', key, body, failing);
    expectDiagnosis(mended);
    expect(isRepeated(mended)).toBe(false);
  });

  it('a stream that is asked for again ends with the same diagnosis without a call of the model', async () => {
    const headers = aKey();
    const before = calls();
    const first = await readEvents(await sendJson(one, '/diagnose/stream', key, body, { headers }));
    expect(first.at(-1)).toEqual(expectedFinal('en'));
    const response = await sendJson(other, '/diagnose/stream', key, body, { headers });
    expect([response.status, isRepeated(response)]).toEqual([201, true]);
    expect(await readEvents(response)).toEqual([expectedFinal('en')]);
    expect(calls()).toBe(before + 1);
  });

  it('a preparation that is sent again names the same session', async () => {
    const headers = aKey();
    const first = sessionOf(await postForm(one, '/diagnose/stream/files', key, [historyPart], headers));
    expect(sessionOf(await postForm(other, '/diagnose/stream/files', key, [historyPart], headers))).toEqual(first);
  });

  it('an answer is forgotten after a day', async () => {
    const headers = aKey();
    await postJson(one, '/diagnose', key, body, headers);
    await setup.sql("update keyed_answers set expires_at = expires_at - interval '24 hours'");
    expect(isRepeated(await postJson(one, '/diagnose', key, body, headers))).toBe(false);
  });

  it('neither the key nor the answer can be read in the database or in the log', async () => {
    await postJson(one, '/diagnose', key, body, { 'idempotency-key': 'patient-4711' });
    const rows = await setup.sql('select * from keyed_answers where answer is not null');
    expect(rows.length).toBeGreaterThan(0);
    const stored = rows
      .flatMap((row) => Object.values(row))
      .map((value) => Buffer.from(String(value)).toString('latin1'));
    for (const text of ['patient-4711', 'diagnosis', HISTORY]) {
      expect(stored.join()).not.toContain(text);
      expect(one.output().stderr).not.toContain(text === 'diagnosis' ? HISTORY : text);
    }
  });

  it('the metrics count what was kept, repeated and refused', async () => {
    const text = await (await fetch(`${one.url}/metrics`)).text();
    for (const outcome of ['kept', 'not-kept', 'repeated']) {
      expect(text).toMatch(new RegExp(`chartwright_idempotency_requests_total{outcome="${outcome}"} [1-9]`));
    }
  });

  it('a repeated request counts as a request, and costs no time of the model', async () => {
    const counted = await one.makeKey({ organization: 'repeating' });
    const headers = aKey();
    await postJson(one, '/diagnose', counted, body, headers);
    const [{ aiMs = 0 } = {}] = await usageOf(one, 'repeating');
    await postJson(one, '/diagnose', counted, body, headers);
    expect(await usageOf(one, 'repeating')).toMatchObject([{ requests: 2, failures: 0, aiMs }]);
  });
});

describe('a client that leaves, and an engine that ends', () => {
  async function leave(engine: Engine, path: string, headers: Readonly<Record<string, string>>): Promise<void> {
    const before = calls();
    const leaving = new AbortController();
    const asking = sendJson(engine, path, key, body, { headers, signal: leaving.signal });
    await until(() => calls() > before);
    leaving.abort();
    await expect(asking).rejects.toThrow();
  }

  it.each(['/diagnose', '/diagnose/stream'])(
    'the work for a request to %s goes on after its client has left, and the client gets the answer when it comes again',
    async (path) => {
      const headers = aKey();
      const before = calls();
      setup.model.next({ kind: 'answer', gate, chunkChars: 8 });
      await leave(one, path, headers);
      const again = sendJson(other, path, key, body, { headers });
      gate.openAll();
      const response = await again;
      expect(isRepeated(response)).toBe(true);
      const text = await response.text();
      expect(text).toContain('J18.9');
      expect(calls()).toBe(before + 1);
    },
  );

  it('the work for a request without a key ends when its client leaves', async () => {
    setup.model.next(FAULTS.hang);
    await leave(one, '/diagnose', {});
    expect(await setup.model.requests.at(-1)?.closed).toBe('gone');
  });

  it('an answer survives the engine that made it', async () => {
    const mortal = await setup.startEngine();
    const headers = aKey();
    const first = await postJson(mortal, '/diagnose', key, body, headers);
    mortal.signal('SIGKILL');
    await mortal.exited;
    const before = calls();
    const again = await postJson(one, '/diagnose', key, body, headers);
    expect([again.text, isRepeated(again), calls()]).toEqual([first.text, true, before]);
  });

  it('a key whose engine was killed during the call of the model is free when its time is over, and the request is worked on once more', async () => {
    const mortal = await setup.startEngine();
    const headers = aKey();
    setup.model.next(FAULTS.hang);
    const before = calls();
    const cut = postJson(mortal, '/diagnose', key, body, headers).catch(() => 'cut');
    await until(() => calls() > before);
    mortal.signal('SIGKILL');
    expect(await cut).toBe('cut');
    const again = postJson(one, '/diagnose', key, body, headers);
    await setup.sql('update keyed_answers set lease_until = now() where answer is null');
    const answer = await again;
    expectDiagnosis(answer);
    expect([isRepeated(answer), calls()]).toEqual([false, before + 2]);
  });

  it('a key whose engine is stopped while it works for a client that has left is free at once', async () => {
    const stopping = await setup.startEngine();
    const headers = aKey();
    setup.model.next(FAULTS.hang);
    await leave(stopping, '/diagnose', headers);
    stopping.signal('SIGTERM');
    expect(await stopping.exited).toBe(0);
    expect(await setup.sql('select 1 from keyed_answers where answer is null')).toEqual([]);
    expectDiagnosis(await postJson(one, '/diagnose', key, body, headers));
  });

  it('many requests to engines that are killed are each answered once, and no key with an answer has a second call of the model', async () => {
    const asked = Array.from({ length: 40 }, (_, index) => ({
      headers: aKey(),
      history: { clinical_history: `${HISTORY} Visit ${index}.` },
    }));
    const answered = new Map<number, string>();
    // Slow enough that a kill finds some requests answered and others at the model.
    setup.model.behave({ kind: 'answer', chunkChars: 40, paceMs: 5 });
    for (let kills = 0; answered.size < asked.length; kills += 1) {
      const mortal = await setup.startEngine();
      const open = asked.entries().filter(([index]) => !answered.has(index));
      const asking = [...open].map(async ([index, { headers, history }]) => {
        const { status, text } = await postJson(mortal, '/diagnose', key, history, headers);
        if (status === 200) answered.set(index, text);
      });
      if (kills < 3) {
        const enough = Math.min(answered.size + 8, asked.length);
        await until(() => answered.size >= enough);
        mortal.signal('SIGKILL');
      }
      await Promise.allSettled(asking);
      await setup.sql('update keyed_answers set lease_until = now() where answer is null');
      await mortal.stop();
    }
    setup.model.behave({ kind: 'answer' });
    const before = calls();
    for (const [index, { headers, history }] of asked.entries()) {
      const again = await postJson(one, '/diagnose', key, history, headers);
      expect([again.text, isRepeated(again)]).toEqual([answered.get(index), true]);
    }
    expect(calls()).toBe(before);
  });
});
