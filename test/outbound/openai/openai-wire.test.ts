import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { makeOpenAiReasoner } from '../../../src/outbound/openai/openai-reasoner.ts';
import { makeHttpFetch } from '../../../src/platform/http-fetch.ts';
import { aHistory } from '../../contracts/reasoner-contract.ts';
import { diagnosisAnswer } from '../../support/openai-answers.ts';

const VENDOR = 'https://api.openai.com';
const WHOLE = JSON.stringify(diagnosisAnswer('en'));
const HALF = Math.floor(WHOLE.length / 2);

type Choice = { index?: number; delta?: unknown; finish_reason?: string | null };
const event = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const choices = (...given: Choice[]) => event({ choices: given });
const text = (content: string | null, index = 0) => choices({ index, delta: { content }, finish_reason: null });
const stop = choices({ index: 0, delta: {}, finish_reason: 'stop' });
const done = event('[DONE]');

describe('The answers of a vendor', () => {
  const signal = new AbortController().signal;
  const reasoner = makeOpenAiReasoner({
    apiKey: 'a-made-up-key',
    model: 'made-up-model',
    timeouts: { firstByteMs: 50_000, idleMs: 50_000, totalMs: 55_000 },
    fetch: makeHttpFetch(),
    backoffMs: 1,
  });

  beforeEach(() => {
    nock.disableNetConnect();
  });
  afterEach(() => {
    expect(nock.pendingMocks()).toEqual([]);
    nock.cleanAll();
    nock.enableNetConnect();
  });
  // nock replaces the HTTP of the whole process, and the next suite in it needs the real one, with its back-pressure.
  afterAll(() => nock.restore());

  function vendorAnswers(body: string, contentType = 'text/event-stream', status = 200): void {
    nock(VENDOR).post('/v1/chat/completions').reply(status, body, { 'content-type': contentType });
  }

  it.each([
    [
      'with comments and odd line ends',
      `: hello\r\n\r\n${text(WHOLE).replace('\n\n', '\r\n\r\n')}: ping\n\n${stop}${done}`,
    ],
    ['without [DONE]', text(WHOLE) + stop],
    [
      'with the finish reason in the last piece',
      `${text(WHOLE.slice(0, HALF))}${choices({ index: 0, delta: { content: WHOLE.slice(HALF) }, finish_reason: 'stop' })}`,
    ],
    [
      'with other choices in between',
      text('{"other', 1) +
        text(WHOLE.slice(0, HALF)) +
        text('choice"}', 1) +
        text(WHOLE.slice(HALF)) +
        choices({ index: 1, finish_reason: 'length' }) +
        stop +
        done,
    ],
    [
      'with empty pieces and usage',
      text('') + text(null) + text(WHOLE) + stop + stop + event({ choices: [], usage: {} }) + done,
    ],
    [
      'without an index',
      event({ choices: [{ delta: { content: WHOLE } }] }) +
        event({ choices: [{ delta: null, finish_reason: 'stop' }] }),
    ],
  ])('are understood %s', async (_, body) => {
    vendorAnswers(body);
    await expect(reasoner.diagnose(aHistory, signal)).resolves.toHaveProperty('triage.triage_level', 'RED');
  });

  it.each([
    ['text after the finish reason', text(WHOLE) + stop + text(' ') + done],
    ['an event that is not JSON', `${text(WHOLE)}data: {oops\n\n${stop}`],
    ['an event of another form', `${text(WHOLE)}${event({ choices: 'none' })}${stop}`],
    ['content that is not text', event({ choices: [{ index: 0, delta: { content: { text: WHOLE } } }] }) + stop],
    ['a named error event', `${text(WHOLE)}event: error\ndata: {"message":"made-up"}\n\n`],
    ['an unnamed error event', `${text(WHOLE)}${event({ error: { message: 'made-up' }, choices: [] })}${stop}${done}`],
    ['the end only behind [DONE]', text(WHOLE) + done + stop],
    ['the end only in an event without an empty line', text(WHOLE) + stop.trimEnd()],
    ['no content', ''],
    ['only [DONE]', done],
    ['only the end of another choice', text(WHOLE) + choices({ index: 1, finish_reason: 'stop' }) + done],
  ])('are refused if there is %s', async (_, body) => {
    vendorAnswers(body);
    await expect(reasoner.diagnose(aHistory, signal)).rejects.toMatchObject({ code: 'vendorAnswer' });
  });

  it.each([
    ['a page', '<html>Sign in</html>', 'text/html'],
    ['broken JSON', '{"choices":', 'application/json'],
    ['JSON of another form', '{"ok":true}', 'application/json'],
    ['an error as JSON', '{"error":{"message":"made-up"}}', 'application/json; charset=utf-8'],
    ['no choice', '{"choices":[]}', 'application/json'],
  ])('are refused if the server answers with %s', async (_, body, contentType) => {
    vendorAnswers(body, contentType);
    const failure = await reasoner.diagnose(aHistory, signal).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'AppError', code: 'vendorAnswer' });
    expect(String(failure)).not.toContain('made-up');
  });

  it('are refused if a piece is repeated and the text is no longer valid', async () => {
    const repeated = text(WHOLE.slice(0, HALF)) + text(WHOLE.slice(0, HALF)) + text(WHOLE.slice(HALF)) + stop + done;
    vendorAnswers(repeated);
    vendorAnswers(repeated);
    await expect(reasoner.diagnose(aHistory, signal)).rejects.toMatchObject({ code: 'vendorAnswer' });
  });

  it('are refused if an event has no end', async () => {
    vendorAnswers(`data: ${'a'.repeat(17 * 1_048_576)}`);
    await expect(reasoner.diagnose(aHistory, signal)).rejects.toMatchObject({
      code: 'vendorAnswer',
      message: 'The answer of the reasoner is too long',
    });
  });

  it('may be long if each event is short', async () => {
    const padded = [...WHOLE].map((content) =>
      event({ choices: [{ delta: { content } }], padding: 'a'.repeat(16_384) }),
    );
    expect(padded.join('').length).toBeGreaterThan(17 * 1_048_576);
    nock(VENDOR)
      .post('/v1/chat/completions')
      .reply(200, () => Readable.from([...padded, stop, done]), { 'content-type': 'text/event-stream' });
    await expect(reasoner.diagnose(aHistory, signal)).resolves.toHaveProperty('triage');
  });

  it('may ask for a pause by a date in Retry-After', async () => {
    nock(VENDOR)
      .post('/v1/chat/completions')
      .reply(503, '', { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() });
    const failure = await reasoner.diagnose(aHistory, signal).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'vendorUnavailable', retryAfterSeconds: expect.any(Number) });
  });
});
