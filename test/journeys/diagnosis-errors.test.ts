// The diagnosis endpoints by docs/service-interface.md, Errors: each status with its condition, and the body of an error.
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { makePng } from '../support/file-samples.ts';
import {
  type Answer,
  get,
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
  filePart,
  HISTORY,
  historyPart,
  openDiagnosisSetup,
  sessionOf,
  untilFirstEvent,
  usageOf,
} from '../support/journey-diagnosis.ts';
import { FAULTS, makeGate } from '../support/openai-server.ts';
import { openedForFile } from '../support/opened-for-file.ts';

const body = { clinical_history: HISTORY };
const UNKNOWN_SESSION = '/diagnose/stream/00000000-0000-4000-8000-000000000000';

const setup = openedForFile(openDiagnosisSetup);
let engine: Engine;
let key: string;

beforeAll(async () => {
  engine = await setup.startEngine();
  key = await engine.makeKey();
});
afterEach(() => setup.model.behave({ kind: 'answer' }));

function withFiles(...names: readonly string[]): Promise<Answer> {
  const parts = names.map((name) => filePart(name, Buffer.from('no image')));
  return postForm(engine, '/diagnose', key, parts);
}

describe('the statuses of a diagnosis', () => {
  it('POST /diagnose answers 200 if the diagnosis succeeded', async () => {
    expectDiagnosis(await postJson(engine, '/diagnose', key, body));
  });

  it('the preparation of a stream answers 201, and its connection answers 200', async () => {
    const answer = await postForm(engine, '/diagnose/stream/files', key, [historyPart]);
    expect(answer.status).toBe(201);
    const response = await get(engine, sessionOf(answer).streamUrl, key);
    expect(response.status).toBe(200);
    await readEvents(response);
  });

  it('POST /diagnose/stream answers 201 if the stream is opened', async () => {
    const response = await sendJson(engine, '/diagnose/stream', key, body);
    expect(response.status).toBe(201);
    await readEvents(response);
  });

  it('a request with an invalid format is 400', async () => {
    expectError(await postJson(engine, '/diagnose', key, '{"clinical_history"'), 400);
  });

  it('a request without a history and without files is 400', async () => {
    expectError(await postForm(engine, '/diagnose', key, []), 400);
    expectError(await postForm(engine, '/diagnose/stream/files', key, [{ name: 'language', value: 'en' }]), 400);
    expectError(await postJson(engine, '/diagnose/stream', key, {}), 400);
  });

  it('a file of the wrong type is 400', async () => expectError(await withFiles('note.txt'), 400));

  it('a request with a missing or invalid key is 401', async () => {
    expectError(await postJson(engine, '/diagnose', undefined, body), 401);
    expectError(await postJson(engine, '/diagnose', 'no key', body), 401);
  });

  it('a connection to a stream with another key than that of its preparation is 401', async () => {
    const { streamUrl } = sessionOf(await postForm(engine, '/diagnose/stream/files', key, [historyPart]));
    expectError(await getAnswer(engine, streamUrl, await engine.makeKey()), 401);
  });

  it('a connection to an unknown stream session is 404', async () => {
    expectError(await getAnswer(engine, UNKNOWN_SESSION, key), 404);
  });

  it('a request beyond the rate limit is 429', async () => {
    await engine.ops('PUT', '/plans/nothing', { requestsPerMinute: 0 });
    const limited = await engine.makeKey({ organization: 'limited', plan: 'nothing' });
    expectError(await postJson(engine, '/diagnose', limited, body), 429);
  });

  it('a stream whose processing fails ends with an error event of 500', async () => {
    const gate = makeGate();
    setup.model.next({ kind: 'answer', gate, chunkChars: 8, breaksOff: { afterChunks: 60, by: 'error-event' } });
    const stream = await untilFirstEvent(sendJson(engine, '/diagnose/stream', key, body), gate);
    gate.openAll();
    expect((await stream.ended).at(-1)?.data).toMatchObject({ statusCode: 500 });
  });
});

describe('the body of an error', () => {
  it('statusCode of an error is the status of the answer, as a number', async () => {
    for (const [status, answer] of [
      [400, await postJson(engine, '/diagnose', key, {})],
      [401, await postJson(engine, '/diagnose', undefined, {})],
      [404, await getAnswer(engine, UNKNOWN_SESSION, key)],
    ] as const) {
      expect([answer.status, answer.body]).toEqual([status, expect.objectContaining({ statusCode: status })]);
    }
  });

  it('message of an error is one text if one thing is wrong with the request as a whole', async () => {
    expect((await postJson(engine, '/diagnose', key, {})).body).toMatchObject({ message: expect.any(String) });
  });

  it('message of an error has one entry for each invalid field', async () => {
    const answer = await postJson(engine, '/diagnose/stream', key, { clinical_history: 7, language: 'xx' });
    expect(answer.body).toMatchObject({
      message: [expect.stringContaining('clinical_history'), expect.stringContaining('language')],
    });
  });

  it('message of an error has one entry for each invalid file, which names the file', async () => {
    expect((await withFiles('a.txt', 'b.doc', 'c.exe')).body).toMatchObject({
      message: ['a.txt', 'b.doc', 'c.exe'].map((name) => expect.stringContaining(name)),
    });
  });

  it('message of an error names a file without its folders, and only the beginning of an endless name', async () => {
    const answer = await withFiles('../../etc/passwd', `${'x'.repeat(4000)}.png`);
    expect(expectError(answer, 400)).toContain('passwd');
    expect(answer.text).not.toContain('..');
    expect(answer.text.length).toBeLessThan(1000);
  });

  it('error is the name of the status', async () => {
    expect((await postJson(engine, '/diagnose', key, {})).body).toMatchObject({ error: 'Bad Request' });
    expect((await getAnswer(engine, UNKNOWN_SESSION, key)).body).toMatchObject({ error: 'Not Found' });
  });

  it('error is absent with 401', async () => {
    expect((await postJson(engine, '/diagnose', undefined, body)).body).not.toHaveProperty('error');
  });

  it('an address that does not exist is an error of the same form', async () => {
    expectError(await postJson(engine, '/diagnose/nothing/here', key, body), 404);
  });
});

describe('internal errors', () => {
  it('an internal error is 500 without internal details, and the engine continues', async () => {
    const parts = [historyPart, filePart('a.png', makePng())];
    await setup.sql('alter table prepared_stream_chunks rename to away');
    const failed = await postForm(engine, '/diagnose/stream/files', key, parts);
    await setup.sql('alter table away rename to prepared_stream_chunks');
    expect(expectError(failed, 500)).toBe('Internal server error');
    expect(await setup.sql('select 1 from prepared_streams where ready_at is null')).toEqual([]);
    const { streamUrl } = sessionOf(await postForm(engine, '/diagnose/stream/files', key, parts));
    expect((await readAll(await get(engine, streamUrl, key))).text).toContain('event: final');
  });

  it('a usage record that cannot be stored does not prevent the answer, and the log reports it', async () => {
    const organization = 'lost-line';
    const counted = await engine.makeKey({ organization });
    await setup.sql('alter table usage_records rename to away');
    const answer = await postJson(engine, '/diagnose', counted, body);
    await setup.sql('alter table away rename to usage_records');
    expectDiagnosis(answer);
    expect(engine.output().stderr).toContain('a usage record could not be stored');
    setup.model.next(FAULTS.refusal);
    expectError(await postJson(engine, '/diagnose', counted, body), 500);
    expect(await usageOf(engine, organization)).toMatchObject([{ requests: 1, failures: 1 }]);
  });
});
