// Failures of the model by docs/service-interface.md, Errors: each is a clean 500 or an error event, never a shorter answer, and never quotes
// the vendor. If a client disconnects, its call to the model ends.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorEvent } from '../../src/inbound/http/api/response-schemas.ts';
import type { Engine } from '../support/engine.ts';
import { get, postForm, postJson, readAll, readEvents, sendJson } from '../support/journey-client.ts';
import {
  expectDiagnosis,
  expectError,
  expectedFinal,
  HISTORY,
  historyPart,
  openDiagnosisSetup,
  sessionOf,
  untilFirstEvent,
  usageOf,
} from '../support/journey-diagnosis.ts';
import type { Behaviour } from '../support/openai-behaviours.ts';
import { FAULTS, type Gate, makeGate } from '../support/openai-server.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { until } from '../support/until.ts';

type Ask = (engine: Engine, key: string, signal?: AbortSignal) => Promise<Response>;

const VENDOR_KEY = 'made-up-vendor-key-0123456789';
const body = { clinical_history: HISTORY };

const WAYS: readonly (readonly [string, Ask])[] = [
  ['POST /diagnose', (engine, key, signal) => sendJson(engine, '/diagnose', key, body, signal ? { signal } : {})],
  [
    'POST /diagnose/stream',
    (engine, key, signal) => sendJson(engine, '/diagnose/stream', key, body, signal ? { signal } : {}),
  ],
  [
    'GET /diagnose/stream/{sessionId}',
    async (engine, key, signal) => {
      const { streamUrl } = sessionOf(await postForm(engine, '/diagnose/stream/files', key, [historyPart]));
      return get(engine, streamUrl, key, signal ? { signal } : {});
    },
  ],
];

const setup = openedForFile(openDiagnosisSetup);
let engine: Engine;
/** It waits at most a second for the first byte and between bytes. */
let hasty: Engine;
/** It waits at most a second for the whole answer. */
let brief: Engine;
let key: string;
let gate: Gate;

beforeAll(async () => {
  const shortly = { REASONER_FIRST_BYTE_SECONDS: '1', REASONER_IDLE_SECONDS: '1' };
  [engine, hasty, brief] = await Promise.all([
    setup.startEngine({ OPENAI_API_KEY: VENDOR_KEY }),
    setup.startEngine(shortly),
    setup.startEngine({ REASONER_TOTAL_SECONDS: '1' }),
  ]);
  key = await engine.makeKey();
});
beforeEach(() => {
  gate = makeGate();
});
afterEach(() => {
  gate.openAll();
  setup.model.behave({ kind: 'answer' });
});

function modelCalls(): number {
  return setup.model.requests.length;
}

/** The failure is a plain answer if nothing was sent before, else the one event at the end. Returns the message. */
async function expectFailed(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    return expectError(await readAll(response), 500);
  }
  const events = await readEvents(response);
  expect(events.map(({ event }) => event)).toEqual([...events.slice(1).map(() => 'partial'), 'error']);
  const { statusCode, message } = errorEvent.strict().parse(events.at(-1)?.data);
  expect(statusCode).toBe(500);
  return message;
}

function expectDiscreet(message: string): void {
  expect(message).not.toMatch(/made-up|pneumonia|crackles|at .*:\d+/);
}

/** The number of calls to the model if the client is shown nothing before the end. */
const MODEL_FAULTS: readonly (readonly [string, number, Behaviour])[] = [
  ['answers 500 each time', 3, FAULTS.serverError],
  ['answers 429 each time', 3, FAULTS.rateLimited],
  ['answers 429 and wants to be left alone for minutes', 1, FAULTS.rateLimitedForLong],
  ['answers 400', 1, FAULTS.badRequest],
  ['answers 401', 1, FAULTS.unauthorized],
  ['answers 404', 1, FAULTS.unknownModel],
  ['closes the connection each time', 3, FAULTS.drop],
  ['is cut off within its answer', 1, FAULTS.cutMidway],
  ['reports an error within its answer', 1, FAULTS.errorEvent],
  ['ends without saying that it is done', 1, FAULTS.noFinishReason],
  ['stops at its length', 1, FAULTS.tooShort],
  ['is stopped by its content filter', 1, FAULTS.contentFilter],
  ['refuses', 1, FAULTS.refusal],
  ['says something that is no JSON, twice', 2, FAULTS.malformed],
  ['says nothing, twice', 2, FAULTS.empty],
  ['says a category that does not exist, twice', 2, FAULTS.badCategory],
  ['says a probability that cannot be, twice', 2, FAULTS.badProbability],
  ['says far too much', 1, FAULTS.huge],
  ['is a web page', 1, { kind: 'status', status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }],
  ['sends one elsewhere', 1, { kind: 'status', status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
];

describe.each(WAYS)('a failing model on %s', (name, ask) => {
  it.each(MODEL_FAULTS)('a model that %s makes the request fail with 500', async (_, asks, fault) => {
    setup.model.behave(fault);
    const before = modelCalls();
    expectDiscreet(await expectFailed(await ask(engine, key)));
    if (name === 'POST /diagnose') expect(modelCalls() - before).toBe(asks);
    else expect(modelCalls() - before).toBeLessThanOrEqual(asks);
  });

  it('a model that does not begin its answer in time makes the request fail with 500 and the name of the setting', async () => {
    setup.model.behave(FAULTS.hang);
    expect(await expectFailed(await ask(hasty, key))).toContain('REASONER_FIRST_BYTE_SECONDS');
    await until(() => setup.model.openCalls() === 0);
  });

  it('a model that stops within its answer makes the request fail with 500 and the name of the setting', async () => {
    setup.model.behave(FAULTS.hangMidway);
    expect(await expectFailed(await ask(hasty, key))).toContain('REASONER_IDLE_SECONDS');
    await until(() => setup.model.openCalls() === 0);
  });

  it('a model that takes too long in all makes the request fail with 500 and the name of the setting', async () => {
    setup.model.behave({ kind: 'answer', gate });
    expect(await expectFailed(await ask(brief, key))).toContain('REASONER_TOTAL_SECONDS');
    await until(() => setup.model.openCalls() === 0);
  });

  it('a client that disconnects before the answer ends the call to the model', async () => {
    setup.model.behave(FAULTS.hang);
    const before = modelCalls();
    const client = new AbortController();
    const asking = ask(engine, key, client.signal).catch(() => 'left');
    await until(() => modelCalls() > before);
    client.abort();
    expect(await asking).toBe('left');
    expect(await setup.model.requests.at(-1)?.closed).toBe('gone');
  });
});

describe('a model that fails once', () => {
  it.each([
    ['500', FAULTS.serverError],
    ['429', FAULTS.rateLimited],
    ['a closed connection', FAULTS.drop],
    ['no JSON', FAULTS.malformed],
    ['a category that does not exist', FAULTS.badCategory],
  ])('a model that fails once with %s is called once more, and its whole answer is returned', async (_, fault) => {
    const before = modelCalls();
    setup.model.next(fault);
    expectDiagnosis(await postJson(engine, '/diagnose', key, body));
    expect(modelCalls() - before).toBe(2);
  });

  it('a model is not called again after a part of its answer was shown, because that part cannot be withdrawn', async () => {
    const before = modelCalls();
    setup.model.next({ ...FAULTS.badCategory, gate, chunkChars: 8 });
    const stream = await untilFirstEvent(sendJson(engine, '/diagnose/stream', key, body), gate);
    gate.openAll();
    expect((await stream.ended).at(-1)?.event).toBe('error');
    expect(modelCalls() - before).toBe(1);
  });

  it('a model that does not stream is understood, too', async () => {
    setup.model.behave({ kind: 'answer', form: 'json' });
    expectDiagnosis(await postJson(engine, '/diagnose', key, body));
    const events = await readEvents(await sendJson(engine, '/diagnose/stream', key, body));
    expect(events.at(-1)).toEqual(expectedFinal('en'));
  });
});

describe('clients that disconnect', () => {
  it.each(WAYS.slice(1))(
    'a client of %s that disconnects within the stream ends the call to the model',
    async (_, ask) => {
      setup.model.behave({ kind: 'answer', gate, chunkChars: 8 });
      const client = new AbortController();
      await untilFirstEvent(ask(engine, key, client.signal), gate);
      client.abort();
      expect(await setup.model.requests.at(-1)?.closed).toBe('gone');
    },
  );

  it('a client that disconnects during a pause for a busy model prevents the next call', async () => {
    setup.model.behave(FAULTS.rateLimited);
    const before = modelCalls();
    const leaver = await engine.makeKey({ organization: 'leavers' });
    const client = new AbortController();
    const asking = sendJson(engine, '/diagnose', leaver, body, { signal: client.signal }).catch(() => 'left');
    await until(() => modelCalls() > before);
    await setup.model.requests.at(-1)?.closed;
    client.abort();
    expect(await asking).toBe('left');
    await until(async () => (await usageOf(engine, 'leavers')).length > 0);
    expect(modelCalls() - before).toBe(1);
  });
});

describe('the words of failures', () => {
  it('an error after a 401 of the vendor names the setting to check, and the key of the vendor is nowhere', async () => {
    setup.model.behave(FAULTS.unauthorized);
    const answer = await postJson(engine, '/diagnose', key, body);
    expect(expectError(answer, 500)).toContain('OPENAI_API_KEY');
    expect(setup.model.requests.at(-1)?.headers.authorization).toBe(`Bearer ${VENDOR_KEY}`);
    const { stdout, stderr } = engine.output();
    expect(answer.text + stdout + stderr).not.toContain(VENDOR_KEY);
  });

  it('the engines answer as before after all failures, and their logs have nothing of a history', async () => {
    for (const each of [engine, hasty, brief]) {
      const { stdout, stderr } = each.output();
      expect(stdout + stderr).not.toMatch(/crackles|pneumonia|made-up vendor/i);
      expect((await fetch(`${each.url}/readyz`)).status).toBe(200);
    }
    expectDiagnosis(await postJson(engine, '/diagnose', key, body));
  });
});
