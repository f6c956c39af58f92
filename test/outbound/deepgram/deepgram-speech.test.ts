import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import type { Recording } from '../../../src/domain/recording/recording.ts';
import { type DeepgramParts, parseDeepgramModels } from '../../../src/outbound/deepgram/deepgram-speech.ts';
import { aRecording, describeSpeech, type SpeechSituation } from '../../contracts/speech-contract.ts';
import { makeFakeSpeech } from '../../fakes/speech.ts';
import { audioSha256 } from '../../support/audio-samples.ts';
import {
  CONSULTATIONS,
  type DeepgramBehaviour,
  type DeepgramServer,
  detectedAnswer,
  startDeepgramServer,
} from '../../support/deepgram-server.ts';
import { MEBIBYTE, makeSpeech, NEVER, status, streamed } from './deepgram-stage.ts';

describeSpeech('Deepgram', async () => {
  const server = await startDeepgramServer();
  const behaviours: Readonly<Record<SpeechSituation, DeepgramBehaviour>> = {
    consultation: { kind: 'consultation' },
    spanish: { kind: 'answer', body: detectedAnswer(CONSULTATIONS['es'] ?? [], 'es-419') },
    german: { kind: 'answer', body: detectedAnswer(CONSULTATIONS['en'] ?? [], 'de') },
    silence: { kind: 'silence' },
    down: { kind: 'status', status: 503 },
    hang: { kind: 'hang' },
  };
  return {
    speech: makeSpeech(server),
    arrange: (situation) => server.behave(behaviours[situation]),
    close: () => server.close(),
  };
});

describeSpeech('The fake', async () => {
  const speech = makeFakeSpeech();
  const arrange = (situation: SpeechSituation) => {
    if (situation === 'spanish') speech.speak('es');
    if (situation === 'german') speech.speak('de');
    if (situation === 'silence') speech.hear([]);
    if (situation === 'down') speech.fail(new AppError('vendorUnavailable', 'down'));
    if (situation === 'hang') speech.hang();
  };
  return { speech, arrange, close: async () => undefined };
});

describe('Transcription by Deepgram', () => {
  let server: DeepgramServer;
  beforeEach(async () => {
    server = await startDeepgramServer();
  });
  afterEach(() => server.close());

  const transcribe = (recording: Recording = aRecording().recording, parts: Partial<DeepgramParts> = {}) =>
    makeSpeech(server, parts).transcribe({ recording, language: 'en' }, NEVER);

  it('the adapter asks the vendor for what the product needs, and opts out of training with the recording', async () => {
    await makeSpeech(server).transcribe({ recording: aRecording().recording, language: 'es' }, NEVER);
    const [request] = server.requests;
    expect(request?.path).toBe('/v1/listen');
    expect(request?.query).toEqual({
      model: 'model-es',
      language: 'es',
      diarize: 'true',
      utterances: 'true',
      smart_format: 'true',
      punctuate: 'true',
      mip_opt_out: 'true',
    });
    expect(request?.headers).toMatchObject({
      authorization: 'Token secret-key',
      'content-type': 'audio/mpeg',
      'content-length': '200000',
    });
    expect(request?.headers).not.toHaveProperty('accept-encoding');
  });

  it('the adapter asks the vendor to detect the language among its supported ones if the caller does not name it', async () => {
    await makeSpeech(server).transcribe({ recording: aRecording().recording, language: 'detect' }, NEVER);
    expect(server.requests[0]?.query).toMatchObject({ model: 'nova-3', detect_language: 'true', mip_opt_out: 'true' });
    expect(server.requests[0]?.query).not.toHaveProperty('language');
    const models = parseDeepgramModels('en=a,detect=b');
    await makeSpeech(server, { models }).transcribe({ recording: aRecording().recording, language: 'detect' }, NEVER);
    expect(server.requests[1]?.query).toMatchObject({ model: 'b' });
    const { detect: _, ...few } = models;
    await makeSpeech(server, { models: few }).transcribe(
      { recording: aRecording().recording, language: 'detect' },
      NEVER,
    );
    expect(server.requests[2]?.query).toMatchObject({ model: 'nova-3' });
  });

  it('the adapter sends no key to a self-hosted vendor without one, even if the environment has a key', async () => {
    process.env['DEEPGRAM_API_KEY'] = 'of-somebody-else';
    try {
      await transcribe(aRecording().recording, { apiKey: undefined });
    } finally {
      delete process.env['DEEPGRAM_API_KEY'];
    }
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('the adapter passes the bytes on unchanged', async () => {
    await transcribe(streamed(3 * MEBIBYTE));
    expect(server.requests[0]).toMatchObject({
      receivedBytes: 3 * MEBIBYTE,
      sha256: audioSha256('wav', 3 * MEBIBYTE),
    });
  });

  it('the adapter passes the bytes on while the upload still goes on', async () => {
    const arrived = Promise.withResolvers<void>();
    const open = async function* () {
      yield Buffer.alloc(100_000);
      await arrived.promise;
      yield Buffer.alloc(100_000);
    };
    const asked = transcribe({ type: 'audio/wav', sizeBytes: undefined, isReopenable: false, open });
    const request = await server.waitForBytes(100_000);
    expect(request.sha256).toBeUndefined();
    arrived.resolve();
    await asked;
    expect(request.receivedBytes).toBe(200_000);
  });

  it('the first person who speaks is speaker 0, whatever the number of the vendor', async () => {
    const { utterances, durationSeconds } = await transcribe();
    expect(utterances.map(({ speaker }) => speaker)).toEqual([0, 1, 0, 1, 0]);
    expect(utterances[0]).toEqual({
      speaker: 0,
      text: 'Good morning, what brings you in today?',
      startSeconds: 0.5,
      endSeconds: 4,
      confidence: expect.closeTo(0.9),
    });
    expect(durationSeconds).toBeGreaterThan(4);
  });

  it.each([
    [401, {}, 'vendorRejected', 'DEEPGRAM_API_KEY'],
    [403, {}, 'vendorRejected', 'DEEPGRAM_API_KEY'],
    [402, {}, 'vendorRejected', 'account'],
    [404, {}, 'vendorRejected', 'DEEPGRAM_BASE_URL'],
    [302, { headers: { location: 'http://127.0.0.1:1/' } }, 'vendorRejected', 'DEEPGRAM_BASE_URL'],
    [400, { body: { err_msg: 'No such model/language/tier combination found.' } }, 'vendorRejected', 'DEEPGRAM_MODEL'],
    [
      400,
      { body: { err_msg: 'Bad Request: failed to process audio: corrupt or unsupported data' } },
      'unsupportedMedia',
      'damaged',
    ],
    [415, {}, 'unsupportedMedia', 'damaged'],
    [413, {}, 'payloadTooLarge', 'too large'],
    [408, {}, 'vendorUnavailable', '408'],
    [429, {}, 'vendorUnavailable', '429'],
    [500, {}, 'vendorUnavailable', '500'],
    [503, { body: 'not JSON {' }, 'vendorUnavailable', '503'],
    [504, {}, 'vendorUnavailable', '504'],
  ] as const)('status %i %j is the error %s, which names %s', async (code, more, expected, word) => {
    server.behave(status(code, more));
    const error = await transcribe().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: expected, message: expect.stringContaining(word) });
    expect(everythingIn(error)).not.toMatch(/vendor-secret-text|No such model|corrupt|secret-key/);
  });

  it.each([
    ['malformed', { kind: 'malformed' }],
    ['cut', { kind: 'cut' }],
    ['without results', { kind: 'answer', body: { metadata: { duration: 3 } } }],
    ['without a duration', { kind: 'answer', body: { metadata: {}, results: { channels: [] } } }],
    ['a list', { kind: 'answer', body: [] }],
    ['null', { kind: 'answer', body: null }],
    ['empty', { kind: 'status', status: 200, body: undefined }],
    ['only the announcement of a callback', { kind: 'status', status: 202, body: { request_id: 'x' } }],
  ] as const)('an answer that is %s is not a transcript', async (_, behaviour) => {
    server.behave(behaviour);
    const error = await transcribe().catch((thrown: unknown) => thrown);
    expect(['vendorAnswer', 'vendorRejected']).toContain((error as AppError).code);
  });

  it('an endless answer is not read to its end', async () => {
    const endless: typeof fetch = async (_, init) => {
      for await (const chunk of (init?.body ?? []) as AsyncIterable<Uint8Array>) expect(chunk).toBeDefined();
      const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(MEBIBYTE)) });
      return new Response(body);
    };
    await expect(transcribe(aRecording().recording, { fetch: endless })).rejects.toMatchObject({
      code: 'vendorAnswer',
    });
  });

  it('an answer before the whole recording was sent is not a transcript', async () => {
    server.behave({
      kind: 'status',
      status: 200,
      body: { metadata: { duration: 1 }, results: { channels: [] } },
      isEarly: true,
    });
    await expect(transcribe(streamed(100 * MEBIBYTE))).rejects.toMatchObject({ code: 'vendorAnswer' });
  });

  it('an answer may come before the source reports its end if the size is known', async () => {
    const answered = Promise.withResolvers<void>();
    const open = async function* () {
      yield Buffer.alloc(1000);
      await answered.promise;
    };
    const asked = transcribe({ type: 'audio/wav', sizeBytes: 1000, isReopenable: true, open });
    await expect(asked).resolves.toMatchObject({ language: 'en' });
    answered.resolve();
  });

  it('a refusal before the whole recording was sent ends the upload', async () => {
    server.behave(status(401, { isEarly: true }));
    let askedBytes = 0;
    const recording = streamed(100 * MEBIBYTE, (asked) => {
      askedBytes = asked;
    });
    await expect(transcribe(recording)).rejects.toMatchObject({ code: 'vendorRejected' });
    expect(askedBytes).toBeLessThan(100 * MEBIBYTE);
  });

  it('a caller that cancels ends the call to the vendor and the reading of the upload', async () => {
    const cancel = new AbortController();
    const stopped = Promise.withResolvers<void>();
    const open = async function* () {
      try {
        for (;;) {
          yield Buffer.alloc(10_000);
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        stopped.resolve();
      }
    };
    const recording: Recording = { type: 'audio/wav', sizeBytes: undefined, isReopenable: false, open };
    const asked = makeSpeech(server).transcribe({ recording, language: 'en' }, cancel.signal);
    asked.catch(() => undefined);
    const request = await server.waitForBytes(50_000);
    cancel.abort();
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    await Promise.all([stopped.promise, request.closed]);
    expect(request.sha256).toBeUndefined();
  });

  it('an upload that breaks off is never treated as a whole recording', async () => {
    const tooLarge = new AppError('payloadTooLarge', 'the file is larger than 100 MB');
    const { recording } = aRecording({ isReopenable: false, breakWith: tooLarge });
    await expect(transcribe(recording)).rejects.toBe(tooLarge);
    for (const request of server.requests) {
      await request.closed;
      expect(request.sha256).toBeUndefined();
    }
  });

  it('the name of the engine contains its models', () => {
    const named = (setting: string) => makeSpeech(server, { models: parseDeepgramModels(setting) }).engine;
    expect(named('nova-3')).toBe('deepgram:nova-3');
    expect(named('en=nova-3-medical')).toBe('deepgram:nova-3-medical,nova-3');
  });
});

describe('The setting DEEPGRAM_MODEL', () => {
  it.each([
    ['nova-2', { en: 'nova-2', es: 'nova-2', pt: 'nova-2', detect: 'nova-2' }],
    ['en=a,es=b,pt=c', { en: 'a', es: 'b', pt: 'c', detect: 'nova-3' }],
    ['detect=d', { en: 'nova-3-medical', es: 'nova-3', pt: 'nova-3', detect: 'd' }],
    ['es=b', { en: 'nova-3-medical', es: 'b', pt: 'nova-3', detect: 'nova-3' }],
    ['pt=c, en=a', { en: 'a', es: 'nova-3', pt: 'c', detect: 'nova-3' }],
  ])('DEEPGRAM_MODEL=%s selects the models %j', (setting, models) => {
    expect(parseDeepgramModels(setting)).toEqual(models);
  });
});

/** The error with all its causes, as a log could show it. */
function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? '';
  return [error.message, JSON.stringify(error), error.stack, everythingIn(error.cause)].join('\n');
}
