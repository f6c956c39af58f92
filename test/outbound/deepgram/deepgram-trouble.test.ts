import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import type { Recording } from '../../../src/domain/recording/recording.ts';
import type { DeepgramParts, SpeechCall } from '../../../src/outbound/deepgram/deepgram-speech.ts';
import { aRecording } from '../../contracts/speech-contract.ts';
import { type DeepgramServer, startDeepgramServer } from '../../support/deepgram-server.ts';
import { holdTimers, passDeadline } from '../../support/held-timers.ts';
import { runningTimers } from '../../support/local-servers.ts';
import { until } from '../../support/until.ts';
import { MEBIBYTE, makeSpeech, NEVER, status, streamed } from './deepgram-stage.ts';

describe('Transcription while Deepgram is in trouble', () => {
  let server: DeepgramServer;
  beforeEach(async () => {
    server = await startDeepgramServer();
  });
  afterEach(() => {
    jest.useRealTimers();
    return server.close();
  });

  const transcribe = (recording: Recording = aRecording().recording, parts: Partial<DeepgramParts> = {}) =>
    makeSpeech(server, parts).transcribe({ recording, language: 'en' }, NEVER);

  it('the adapter sends a recording that can be read again up to two more times', async () => {
    const calls: SpeechCall[] = [];
    server.behave(status(503), { kind: 'reset' }, { kind: 'consultation' });
    const { recording, opened } = aRecording();
    const transcript = await transcribe(recording, { onCall: (call) => calls.push(call) });
    expect(transcript.utterances).toHaveLength(5);
    expect(opened).toEqual([200_000, 200_000, 200_000]);
    expect(calls.map(({ outcome }) => outcome)).toEqual(['vendorUnavailable', 'vendorUnavailable', 'success']);
    expect(calls[0]).toMatchObject({ vendor: 'deepgram', operation: 'transcribe' });
  });

  it.each([
    ['cannot answer now', status(503), '5xx'],
    ['refuses the key', status(401), '4xx'],
    ['closes the connection', { kind: 'reset' }, 'reset'],
    ['answers half a JSON', { kind: 'malformed' }, 'answer'],
    ['says nothing', { kind: 'hang' }, 'timeout'],
  ] as const)('the adapter reports the cause of each try if the vendor %s', async (_, behaviour, cause) => {
    const calls: SpeechCall[] = [];
    server.behave(behaviour);
    const impatient = { baseTimeoutMs: 50, pace: { answerMsPerMebibyte: 50, retryBaseMs: 1 } };
    const parts = {
      ...(behaviour.kind === 'hang' && impatient),
      onCall: (call: SpeechCall) => calls.push(call),
    };
    await transcribe(aRecording().recording, parts).catch(() => undefined);
    expect(new Set(calls.map((call) => call.cause))).toEqual(new Set([cause]));
  });

  it('the adapter gives up after three tries', async () => {
    server.behave(status(500));
    await expect(transcribe()).rejects.toMatchObject({ code: 'vendorUnavailable' });
    expect(server.requests).toHaveLength(3);
  });

  it('the adapter asks again if the answer breaks off', async () => {
    server.behave({ kind: 'cut' }, { kind: 'consultation' });
    await expect(transcribe()).resolves.toMatchObject({ language: 'en' });
  });

  it('a recording that can be read only once is never sent again', async () => {
    server.behave(status(503));
    const { recording, opened } = aRecording({ isReopenable: false });
    await expect(transcribe(recording)).rejects.toMatchObject({ code: 'vendorUnavailable' });
    expect(opened).toEqual([200_000]);
  });

  it.each([400, 401, 402, 413, 504])('the adapter does not try again after status %i', async (code) => {
    server.behave(status(code));
    await expect(transcribe()).rejects.toBeInstanceOf(AppError);
    expect(server.requests).toHaveLength(1);
  });

  it('a vendor that asks for a long pause is not asked again, and the caller learns the pause', async () => {
    server.behave(status(429, { headers: { 'retry-after': '120' } }));
    await expect(transcribe()).rejects.toMatchObject({ code: 'vendorUnavailable', retryAfterSeconds: 120 });
    expect(server.requests).toHaveLength(1);
  });

  it.each(['-5', 'soon', '', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    'the adapter ignores the invalid pause "%s" in Retry-After',
    async (wish) => {
      server.behave(status(429, { headers: { 'retry-after': wish } }), { kind: 'consultation' });
      await expect(transcribe()).resolves.toMatchObject({ language: 'en' });
    },
  );

  it('the pause before the next try ends when the caller cancels', async () => {
    server.behave(status(503));
    const cancel = new AbortController();
    const speech = makeSpeech(server, { pace: { retryBaseMs: 600_000 }, onCall: () => cancel.abort() });
    const asked = speech.transcribe({ recording: aRecording().recording, language: 'en' }, cancel.signal);
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    expect(server.requests).toHaveLength(1);
  });

  it('a vendor that cannot be reached is reported as unavailable', async () => {
    await server.close();
    await expect(transcribe()).rejects.toMatchObject({ code: 'vendorUnavailable' });
  });

  it('the adapter gives up a vendor that never answers, after a time that grows with the recording', async () => {
    server.behave({ kind: 'hang' });
    const { recording } = aRecording();
    let isRead = false;
    const open = async function* () {
      yield* recording.open();
      isRead = true;
    };
    const hasWholeRequest = () => isRead && server.requests[0]?.sha256 !== undefined;
    const limits = { baseTimeoutMs: 5_000, pace: { answerMsPerMebibyte: 50_000 } };
    const longerMs = Math.ceil((50_000 * (recording.sizeBytes ?? 0)) / MEBIBYTE);
    const asked = passDeadline(() => transcribe({ ...recording, open }, limits), {
      after: hasWholeRequest,
      ms: 5_000 + longerMs,
    });
    await expect(asked).rejects.toMatchObject({
      code: 'vendorUnavailable',
      message: 'The speech service took too long to answer',
    });
    expect(server.requests).toHaveLength(1);
    await server.requests[0]?.closed;
  });

  it('the time for the answer does not run during the upload', async () => {
    holdTimers();
    const open = async function* () {
      yield Buffer.alloc(1000);
      jest.advanceTimersByTime(300);
      yield Buffer.alloc(1000);
    };
    const recording: Recording = { type: 'audio/wav', sizeBytes: undefined, isReopenable: false, open };
    const slow = transcribe(recording, {
      baseTimeoutMs: 100,
      pace: { answerMsPerMebibyte: 10_000_000, sendIdleMs: 100 },
    });
    await expect(slow).resolves.toMatchObject({ language: 'en' });
  });

  it('the adapter gives up a vendor that takes no bytes, and does not read the recording into memory', async () => {
    server.behave({ kind: 'deaf' });
    let askedBytes = 0;
    const recording = streamed(100 * MEBIBYTE, (asked) => {
      askedBytes = asked;
    });
    await expect(transcribe(recording, { pace: { sendIdleMs: 300 } })).rejects.toMatchObject({
      code: 'vendorUnavailable',
      message: 'The speech service does not take the recording',
    });
    expect(askedBytes).toBeLessThan(32 * MEBIBYTE);
  });

  it('a call that ends while its source is still read leaves no timer', async () => {
    server.behave(status(401, { isEarly: true }));
    const before = runningTimers();
    const [answered, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const open = async function* () {
      yield Buffer.alloc(1000);
      await answered.promise;
      ended.resolve();
    };
    const recording: Recording = { type: 'audio/wav', sizeBytes: undefined, isReopenable: false, open };
    await expect(transcribe(recording, { baseTimeoutMs: 600_000 })).rejects.toMatchObject({ code: 'vendorRejected' });
    answered.resolve();
    await ended.promise;
    // By then, everything that follows from the end of the source has happened.
    await new Promise((resolve) => setImmediate(resolve));
    await until(() => runningTimers() <= before);
  });
});
