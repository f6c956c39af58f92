// A stream session by docs/service-interface.md, from its preparation to its end. Tests let time pass by moving stored times into the past.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { streamSessionResponse } from '../../src/inbound/http/api/response-schemas.ts';
import type { Engine } from '../support/engine.ts';
import { makeGif, makeJpeg, makePdf, makePng, makeWebp } from '../support/file-samples.ts';
import { type FormPart, get, getAnswer, postForm, postJson, readAll, readEvents } from '../support/journey-client.ts';
import {
  expectError,
  expectedFinal,
  filePart,
  HISTORIES,
  HISTORY,
  historyPart,
  openDiagnosisSetup,
  sessionOf,
  untilFirstEvent,
} from '../support/journey-diagnosis.ts';
import { FAULTS, type Gate, makeGate } from '../support/openai-server.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { until } from '../support/until.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const setup = openedForFile(openDiagnosisSetup);
let engine: Engine;
let key: string;
let gate: Gate;

beforeAll(async () => {
  engine = await setup.startEngine();
  key = await engine.makeKey();
});
beforeEach(() => {
  gate = makeGate();
});
afterEach(() => {
  gate.openAll();
  setup.model.behave({ kind: 'answer' });
});

function prepare(parts: readonly FormPart[] = [historyPart, filePart('a.png', makePng())]) {
  return postForm(engine, '/diagnose/stream/files', key, parts);
}

async function prepared(parts?: readonly FormPart[]): Promise<string> {
  return sessionOf(await prepare(parts)).streamUrl;
}

function connect(streamUrl: string, withKey: string | undefined = key) {
  return get(engine, streamUrl, withKey, { headers: { accept: 'text/event-stream' } });
}

async function expectStreamed(response: Response, language: keyof typeof HISTORIES = 'en'): Promise<void> {
  expect(response.status).toBe(200);
  expect((await readEvents(response)).at(-1)).toEqual(expectedFinal(language));
}

/** Moves all stored times of prepared streams into the past. */
async function pass(time: string): Promise<void> {
  await setup.sql('update prepared_streams set expires_at = expires_at - $1::interval', [time]);
}

describe('POST /diagnose/stream/files', () => {
  it('the preparation of a stream answers 201 with sessionId and streamUrl, both texts, and nothing else', async () => {
    const answer = await prepare();
    expect(answer.status).toBe(201);
    expect(streamSessionResponse.strict().parse(answer.body)).toEqual(answer.body);
  });

  it('each preparation of a stream has another sessionId', async () => {
    const ids = [sessionOf(await prepare()).sessionId, sessionOf(await prepare()).sessionId];
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(UUID);
  });

  it('streamUrl is the relative path /diagnose/stream/<sessionId>', async () => {
    const { sessionId, streamUrl } = sessionOf(await prepare());
    expect(streamUrl).toBe(`/diagnose/stream/${sessionId}`);
  });

  it('the model is not called before a client connects to a prepared stream', async () => {
    const calls = setup.model.requests.length;
    await prepare();
    expect(setup.model.requests).toHaveLength(calls);
  });

  it('a stream can be prepared with a history alone', async () =>
    expectStreamed(await connect(await prepared([historyPart]))));

  it('a stream can be prepared with a file alone', async () => {
    await expectStreamed(await connect(await prepared([filePart('a.png', makePng())])));
  });

  it('the preparation of a stream without a history and without a file is 400', async () => {
    expectError(await prepare([{ name: 'language', value: 'en' }]), 400);
    expectError(await prepare([{ name: 'clinical_history', value: '  ' }]), 400);
  });

  it.each(['en', 'es', 'pt'] as const)(
    'language %s of a prepared stream is the language of its answer',
    async (language) => {
      const parts = [
        { name: 'clinical_history', value: HISTORIES[language] },
        { name: 'language', value: language },
      ];
      await expectStreamed(await connect(await prepared(parts)), language);
    },
  );

  it('a prepared stream answers in English if no language is requested', async () => {
    await expectStreamed(await connect(await prepared([{ name: 'clinical_history', value: HISTORIES.es }])), 'en');
  });

  it('the preparation of a stream in another language is 400', async () => {
    expect(expectError(await prepare([historyPart, { name: 'language', value: 'it' }]), 400)).toContain('en, es, pt');
  });

  it.each([
    ['JPEG', makeJpeg(), 'image/jpeg'],
    ['PNG', makePng(), 'image/png'],
    ['WEBP', makeWebp(), 'image/webp'],
    ['GIF', makeGif(), 'image/gif'],
    ['PDF', makePdf(), 'application/pdf'],
  ])(
    'a file of the type %s is stored for a prepared stream and reaches the model unchanged',
    async (_, bytes, type) => {
      await expectStreamed(await connect(await prepared([historyPart, filePart('a', bytes, type)])));
      const asked = setup.model.requests.at(-1)?.rawBody ?? '';
      expect(asked).toContain(`data:${type};base64,${bytes.toString('base64')}`);
      expect(asked).toContain(HISTORY);
    },
  );

  it('the preparation of a stream with a file of another type is 400, and the message names the file', async () => {
    expect(expectError(await prepare([historyPart, filePart('note.txt', Buffer.from('fever'))]), 400)).toContain(
      'note.txt',
    );
  });

  it('the preparation of a stream ignores an unknown field', async () => {
    await expectStreamed(await connect(await prepared([historyPart, { name: 'ward', value: '7' }])));
  });

  it('the preparation of a stream by JSON is 400', async () => {
    expectError(await postJson(engine, '/diagnose/stream/files', key, { clinical_history: HISTORY }), 400);
  });
});

describe('GET /diagnose/stream/{sessionId}', () => {
  it('a connection to a prepared stream is 200 and a stream of events', async () => {
    const response = await connect(await prepared());
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    await expectStreamed(response);
  });

  it('a connection to a prepared stream without a key is 401, and the session remains usable', async () => {
    const streamUrl = await prepared();
    expectError(await getAnswer(engine, streamUrl, undefined), 401);
    await expectStreamed(await connect(streamUrl));
  });

  it('a connection to a prepared stream with an invalid key is 401, and the session remains usable', async () => {
    const streamUrl = await prepared();
    expectError(await getAnswer(engine, streamUrl, `${key.slice(0, -4)}AAAA`), 401);
    await expectStreamed(await connect(streamUrl));
  });

  it.each([
    ['another key of the same organization', 'test-clinic'],
    ['a key of another organization', 'somebody-else'],
  ])('a connection to a prepared stream with %s is 401, and the session remains usable', async (_, organization) => {
    const streamUrl = await prepared();
    const calls = setup.model.requests.length;
    const message = expectError(await getAnswer(engine, streamUrl, await engine.makeKey({ organization })), 401);
    expect(message).toMatch(/another API key/);
    expect(setup.model.requests).toHaveLength(calls);
    await expectStreamed(await connect(streamUrl));
  });

  it.each([
    ['was never prepared', '00000000-0000-4000-8000-000000000000'],
    ['is no id', 'session'],
    ['tries to leave the path', '..%2f..%2fetc%2fpasswd'],
    ['is endless', 'a'.repeat(4000)],
    ['would break a query', "1'%20or%20'1'='1"],
  ])('a connection to a session whose id %s is 404', async (_, sessionId) => {
    expectError(await getAnswer(engine, `/diagnose/stream/${sessionId}`, key), 404);
  });

  it('a connection whose Accept does not allow a stream is 400, and the session remains usable', async () => {
    const streamUrl = await prepared();
    const refused = await get(engine, streamUrl, key, { headers: { accept: 'application/json' } });
    expectError(await readAll(refused), 400);
    await expectStreamed(await connect(streamUrl));
  });

  it('HEAD does not use up the session of a prepared stream', async () => {
    const streamUrl = await prepared();
    await fetch(`${engine.url}${streamUrl}`, { method: 'HEAD', headers: { 'x-api-key': key } });
    await expectStreamed(await connect(streamUrl));
  });

  it('a connection beyond the rate limit is 429, and the session of the prepared stream remains usable', async () => {
    await engine.ops('PUT', '/plans/two-a-minute', { requestsPerMinute: 2 });
    const limited = await engine.makeKey({ organization: 'limited', plan: 'two-a-minute' });
    const { streamUrl } = sessionOf(await postForm(engine, '/diagnose/stream/files', limited, [historyPart]));
    expectError(await getAnswer(engine, '/diagnose/stream/none', limited), 404);
    expectError(await getAnswer(engine, streamUrl, limited), 429);
    await engine.ops('PUT', '/plans/two-a-minute', {});
    await expectStreamed(await connect(streamUrl, limited));
  });
});

describe('the states of a session', () => {
  it('a prepared session that is connected within ten minutes opens its stream', async () => {
    const streamUrl = await prepared();
    await pass('9 minutes 30 seconds');
    await expectStreamed(await connect(streamUrl));
  });

  it('a prepared session that is not connected for ten minutes is 404', async () => {
    const streamUrl = await prepared();
    await pass('10 minutes');
    expect(expectError(await getAnswer(engine, streamUrl, key), 404)).toMatch(/expired/);
  });

  it('an expired session is 404 for another key, too', async () => {
    const streamUrl = await prepared();
    await pass('10 minutes');
    expectError(await getAnswer(engine, streamUrl, await engine.makeKey({ organization: 'curious' })), 404);
  });

  it('a second connection to a streaming session is 404, and does not disturb the first', async () => {
    setup.model.behave({ kind: 'answer', gate, chunkChars: 8 });
    const streamUrl = await prepared();
    const stream = await untilFirstEvent(connect(streamUrl), gate);
    expectError(await getAnswer(engine, streamUrl, key), 404);
    // This holds also after the time at which a connection without sent headers would be given up.
    await setup.sql("update prepared_streams set claimed_at = claimed_at - interval '2 minutes'");
    expectError(await getAnswer(engine, streamUrl, key), 404);
    gate.openAll();
    expect((await stream.ended).at(-1)).toEqual(expectedFinal('en'));
  });

  it('a session may stream for more than ten minutes', async () => {
    setup.model.behave({ kind: 'answer', gate, chunkChars: 8 });
    const stream = await untilFirstEvent(connect(await prepared()), gate);
    await pass('10 minutes');
    gate.openAll();
    expect((await stream.ended).at(-1)?.event).toBe('final');
  });

  it('a session that ended with a final event cannot be used again', async () => {
    const streamUrl = await prepared();
    await expectStreamed(await connect(streamUrl));
    expectError(await getAnswer(engine, streamUrl, key), 404);
  });

  it('a session that ended with an error event cannot be used again', async () => {
    setup.model.behave({ kind: 'answer', gate, chunkChars: 8, breaksOff: { afterChunks: 60, by: 'cut' } });
    const streamUrl = await prepared();
    const stream = await untilFirstEvent(connect(streamUrl), gate);
    gate.openAll();
    expect((await stream.ended).at(-1)?.event).toBe('error');
    expectError(await getAnswer(engine, streamUrl, key), 404);
  });

  it('a session whose client disconnected while streaming cannot be used again', async () => {
    setup.model.behave({ kind: 'answer', gate, chunkChars: 8 });
    const streamUrl = await prepared();
    const client = new AbortController();
    await untilFirstEvent(get(engine, streamUrl, key, { signal: client.signal }), gate);
    client.abort();
    expect(await setup.model.requests.at(-1)?.closed).toBe('gone');
    expectError(await getAnswer(engine, streamUrl, key), 404);
  });

  it('a session whose model failed before the headers were sent can be used again', async () => {
    setup.model.next(FAULTS.unauthorized);
    const streamUrl = await prepared([historyPart, filePart('a.png', makePng())]);
    expectError(await getAnswer(engine, streamUrl, key), 500);
    await expectStreamed(await connect(streamUrl));
  });

  it('a session whose client disconnected before the headers were sent can be used again', async () => {
    setup.model.next(FAULTS.hang);
    const calls = setup.model.requests.length;
    const streamUrl = await prepared();
    const client = new AbortController();
    const opening = get(engine, streamUrl, key, { signal: client.signal }).catch(() => 'left');
    await until(() => setup.model.requests.length > calls);
    client.abort();
    expect(await opening).toBe('left');
    await until(async () => {
      const response = await connect(streamUrl);
      if (response.status !== 200) return false;
      await expectStreamed(response);
      return true;
    });
  });

  it('one of many simultaneous connections to a session gets the stream, and all others get 404', async () => {
    const streamUrl = await prepared();
    const answers = await Promise.all(Array.from({ length: 8 }, () => getAnswer(engine, streamUrl, key)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 7 }, () => 404)]);
  });
});
