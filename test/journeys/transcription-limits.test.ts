// The limits of transcription by docs/service-interface.md: 100 MB to the byte, requests a minute, and the monthly limits of a plan.
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { audioSha256, audioStream } from '../support/audio-samples.ts';
import { listenAnswer } from '../support/deepgram-server.ts';
import type { Answer } from '../support/journey-client.ts';
import {
  AUDIO_PATHS,
  CONVERSATION_PATH,
  expectError,
  LiveForm,
  NOTE_PATH,
  openClinic,
  sendRecording,
} from '../support/journey-upload.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { RawClient } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const LIMIT_BYTES = 104_857_600;

const clinic = openedForFile(openClinic);

beforeAll(async () => {
  await clinic.engine.ops('PUT', '/plans/two-a-minute', { requestsPerMinute: 2 });
  await clinic.engine.ops('PUT', '/plans/two-a-month', { requestsPerMonth: 2 });
  await clinic.engine.ops('PUT', '/plans/ten-seconds', { audioSecondsPerMonth: 10 });
});
afterEach(() => clinic.calmDown());

function begin(path: string, first: 'fields' | 'file'): LiveForm {
  const form = new LiveForm({ url: clinic.engine.url, path, key: clinic.key });
  return (first === 'fields' ? form.field('language', 'en') : form).beginFile();
}

describe('the size of a recording', () => {
  it.each([
    [NOTE_PATH, 'fields'],
    [CONVERSATION_PATH, 'file'],
  ] as const)(
    '%s with the %s first accepts 104,857,600 bytes, and all of them reach the vendor',
    async (path, first) => {
      const callsBefore = clinic.speech.requests.length;
      const form = await begin(path, first).send(audioStream('wav', LIMIT_BYTES));
      expect((await form.endFile().end()).status).toBe(200);
      const [heard, ...more] = clinic.speech.requests.slice(callsBefore);
      expect(more).toEqual([]);
      expect(heard?.receivedBytes).toBe(LIMIT_BYTES);
      expect(heard?.sha256).toBe(audioSha256('wav', LIMIT_BYTES));
      expect(await clinic.spooledFiles()).toEqual([]);
    },
  );

  it.each([
    [NOTE_PATH, 'file'],
    [CONVERSATION_PATH, 'fields'],
  ] as const)('%s with the %s first answers 413 as soon as one byte more has arrived', async (path, first) => {
    const form = await begin(path, first).send(audioStream('flac', LIMIT_BYTES + 1));
    // The form is never ended, and the answer still comes.
    expect(expectError(await form.answer, 413)).toBe('The audio file is larger than 100 MB');
    form.leave();
    await until(async () => (await clinic.spooledFiles()).length === 0);
  });

  it('the vendor call of a recording that grows too large is ended', async () => {
    const callsBefore = clinic.speech.requests.length;
    const form = await begin(CONVERSATION_PATH, 'fields').send(audioStream('aac', LIMIT_BYTES + 65_536));
    expectError(await form.answer, 413);
    const [heard] = clinic.speech.requests.slice(callsBefore);
    await heard?.closed;
    expect(heard?.sha256).toBeUndefined();
  });

  it.each(AUDIO_PATHS)(
    '%s answers 413 to a body that announces far more than the limit, before any of it is sent',
    async (path) => {
      const client = await RawClient.connect(Number(new URL(clinic.engine.url).port));
      const type = 'Content-Type: multipart/form-data; boundary=b';
      const headers = ['Host: localhost', `x-api-key: ${clinic.key}`, type, `Content-Length: ${LIMIT_BYTES * 2}`];
      client.write([`POST ${path} HTTP/1.1`, ...headers, 'Expect: 100-continue', '', ''].join('\r\n'));
      expect((await client.answer()).status).toBe(413);
      expect(client.received).not.toContain('100 Continue');
      client.destroy();
    },
  );
});

describe('requests a minute', () => {
  it.each(AUDIO_PATHS)('%s answers as many requests a minute as the plan allows, and one more is 429', async (path) => {
    const key = await clinic.engine.makeKey({ organization: 'minute', plan: 'two-a-minute' });
    for (const left of [1, 0]) {
      const answer = await sendRecording({ ...clinic, key }, path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('ratelimit-policy')).toBe('"minute";q=2;w=60');
      expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`^"minute";r=${left};t=\\d+$`));
    }
    const callsBefore = clinic.speech.requests.length;
    const refused = await sendRecording({ ...clinic, key }, path);
    expect(expectError(refused, 429)).toMatch(/2 requests a minute/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(clinic.speech.requests).toHaveLength(callsBefore);
  });

  it('429 is answered before the recording is sent', async () => {
    const key = await clinic.engine.makeKey({ organization: 'minute', plan: 'two-a-minute' });
    for (let count = 0; count < 2; count += 1) await sendRecording({ ...clinic, key }, CONVERSATION_PATH);
    const form = new LiveForm({ url: clinic.engine.url, path: CONVERSATION_PATH, key }).beginFile();
    expectError(await form.answer, 429);
    form.leave();
  });
});

describe('the monthly limits of a plan', () => {
  const hear = async (key: string, path: string): Promise<Answer> => sendRecording({ ...clinic, key }, path);

  it.each(AUDIO_PATHS)('%s is 402 after all requests of the month are used', async (path) => {
    const organization = `requests of ${path}`;
    const key = await clinic.engine.makeKey({ organization, plan: 'two-a-month' });
    expect((await hear(key, path)).status).toBe(200);
    expect((await hear(key, path)).status).toBe(200);
    expect(expectError(await hear(key, path), 402)).toMatch(/requests for this month are used up/);
  });

  it('the requests of a month are counted for the organization, so a second key does not help', async () => {
    const order = { organization: 'two keys', plan: 'two-a-month' };
    const [one, two] = [await clinic.engine.makeKey(order), await clinic.engine.makeKey(order)];
    expect((await hear(one, NOTE_PATH)).status).toBe(200);
    expect((await hear(two, CONVERSATION_PATH)).status).toBe(200);
    for (const key of [one, two]) expectError(await hear(key, CONVERSATION_PATH), 402);
    const other = await clinic.engine.makeKey({ ...order, organization: 'another' });
    expect((await hear(other, CONVERSATION_PATH)).status).toBe(200);
  });

  it.each(AUDIO_PATHS)('%s is 402 after all audio seconds of the month are used', async (path) => {
    const key = await clinic.engine.makeKey({ organization: `audio of ${path}`, plan: 'ten-seconds' });
    // Each recording has five and a half seconds, so the second one exceeds ten.
    clinic.speech.behave({ kind: 'answer', body: listenAnswer([[0, 'my chest hurts when I breathe in deeply']]) });
    expect((await hear(key, path)).status).toBe(200);
    expect((await hear(key, path)).status).toBe(200);
    const callsBefore = clinic.speech.requests.length;
    expect(expectError(await hear(key, path), 402)).toMatch(/audio for this month is used up/);
    expect(clinic.speech.requests).toHaveLength(callsBefore);
  });

  it('audio of exactly the seconds of the plan reaches the limit', async () => {
    const key = await clinic.engine.makeKey({ organization: 'to the second', plan: 'ten-seconds' });
    const body = { ...listenAnswer([[0, 'my chest hurts']]), metadata: { duration: 10 } };
    clinic.speech.behave({ kind: 'answer', body });
    expect((await hear(key, CONVERSATION_PATH)).status).toBe(200);
    expectError(await hear(key, CONVERSATION_PATH), 402);
  });

  it('a recording that was transcribed counts although it makes no note', async () => {
    const key = await clinic.engine.makeKey({ organization: 'heard', plan: 'ten-seconds' });
    const body = { ...listenAnswer([[0, 'my chest hurts']]), metadata: { duration: 10 } };
    clinic.speech.behave({ kind: 'answer', body });
    clinic.model.behave({ kind: 'status', status: 401 });
    expectError(await hear(key, NOTE_PATH), 503);
    expectError(await hear(key, NOTE_PATH), 402);
  });

  it('402 is answered before the recording is sent', async () => {
    await clinic.engine.ops('PUT', '/plans/no-audio', { audioSecondsPerMonth: 0 });
    const key = await clinic.engine.makeKey({ organization: 'text only', plan: 'no-audio' });
    const form = new LiveForm({ url: clinic.engine.url, path: NOTE_PATH, key }).beginFile();
    expectError(await form.answer, 402);
    form.leave();
  });
});
