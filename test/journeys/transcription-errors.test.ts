// Transcription by docs/service-interface.md, Errors: each status and its body. A failure of a vendor is 503 if the vendor is missing, is down
// or refuses the engine, and 500 if it answers with something else.
import { afterEach, describe, expect, it } from '@jest/globals';
import { CONSULTATIONS, type DeepgramBehaviour, listenAnswer } from '../support/deepgram-server.ts';
import { makePdf } from '../support/file-samples.ts';
import { type Answer, postForm, wrongKeyOf } from '../support/journey-client.ts';
import {
  AUDIO_PATHS,
  CONVERSATION_PATH,
  expectError,
  NOTE_PATH,
  openClinic,
  recordingPart,
  sendRecording,
} from '../support/journey-upload.ts';
import { notMedicalAnswer } from '../support/openai-answers.ts';
import type { Behaviour } from '../support/openai-behaviours.ts';
import { FAULTS } from '../support/openai-server.ts';
import { openedForFile } from '../support/opened-for-file.ts';

const env = { SPEECH_BASE_SECONDS: '1', REASONER_FIRST_BYTE_SECONDS: '1', REASONER_IDLE_SECONDS: '1' };
const clinic = openedForFile(() => openClinic({ env }));

afterEach(() => clinic.calmDown());

describe('keys of transcriptions', () => {
  it.each(AUDIO_PATHS)('%s without a key is 401, in a body without "error"', async (path) => {
    const answer = await postForm(clinic.engine, path, undefined, [recordingPart()]);
    expect(expectError(answer, 401)).toBe('The API key is missing or invalid');
    expect(answer.headers.get('www-authenticate')).toBe('ApiKey');
    expect(answer.body).not.toHaveProperty('error');
  });

  it.each(AUDIO_PATHS)('%s with an invalid key is 401, and the recording is not sent to the vendor', async (path) => {
    const callsBefore = clinic.speech.requests.length;
    const key = wrongKeyOf(clinic.key);
    expectError(await sendRecording({ ...clinic, key }, path), 401);
    expect(clinic.speech.requests).toHaveLength(callsBefore);
  });
});

describe('recordings without content for a note', () => {
  it.each(AUDIO_PATHS)('%s answers 400 for a recording without speech', async (path) => {
    clinic.speech.behave({ kind: 'silence' });
    expect(expectError(await sendRecording(clinic, path), 400)).toMatch(/no relevant medical content.*no speech/);
  });

  it('a recording that is not medical is 400, and the message says so', async () => {
    clinic.speech.behave({ kind: 'not-medical' });
    clinic.model.behave({ kind: 'answer', content: notMedicalAnswer });
    expect(expectError(await sendRecording(clinic, NOTE_PATH), 400)).toMatch(/no relevant medical content/);
  });

  it("nothing else of the model's answer is read if the recording is not medical", async () => {
    clinic.model.behave({ kind: 'answer', content: () => ({ is_medical: false }) });
    expectError(await sendRecording(clinic, NOTE_PATH), 400);
  });

  it('a recording without speech is not sent to the model', async () => {
    const callsBefore = clinic.model.requests.length;
    clinic.speech.behave({ kind: 'silence' });
    expectError(await sendRecording(clinic, NOTE_PATH), 400);
    expect(clinic.model.requests).toHaveLength(callsBefore);
  });
});

describe('the body of an error of transcription', () => {
  it('one message of an error is a string', async () => {
    expect((await sendRecording(clinic, NOTE_PATH, {}, recordingPart(makePdf()))).body).toEqual({
      statusCode: 415,
      message: expect.any(String),
      error: 'Unsupported Media Type',
    });
  });

  it('several messages of an error are an array of strings', async () => {
    expect((await sendRecording(clinic, NOTE_PATH, { language: 'x', template: 'x' })).body).toEqual({
      statusCode: 400,
      message: [expect.any(String), expect.any(String)],
      error: 'Bad Request',
    });
  });

  it.each(AUDIO_PATHS)('%s accepts POST alone', async (path) => {
    const response = await fetch(`${clinic.engine.url}${path}`, { headers: { 'x-api-key': clinic.key } });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.json()).toMatchObject({ statusCode: 405 });
  });
});

const SPEECH_FAULTS = named<DeepgramBehaviour>([
  ['answers 500', { kind: 'status', status: 500 }, 503],
  ['answers 502', { kind: 'status', status: 502 }, 503],
  ['answers 429', { kind: 'status', status: 429, headers: { 'retry-after': '60' } }, 503],
  ['refuses our key by 401', { kind: 'status', status: 401 }, 503],
  ['refuses our key by 403', { kind: 'status', status: 403 }, 503],
  ['has no credit left for us', { kind: 'status', status: 402 }, 503],
  ['is not there (404)', { kind: 'status', status: 404 }, 503],
  ['refuses the parameters', { kind: 'status', status: 400, body: { err_msg: 'vendor-secret-text' } }, 503],
  ['sends us elsewhere', { kind: 'status', status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 503],
  ['answers 500 before it has the recording', { kind: 'status', status: 500, isEarly: true }, 503],
  ['takes the recording and never answers', { kind: 'hang' }, 503],
  ['takes no byte', { kind: 'deaf' }, 503],
  ['resets the connection', { kind: 'reset' }, 503],
  ['breaks off its answer', { kind: 'cut' }, 500],
  ['answers with half a JSON text', { kind: 'malformed' }, 500],
  ['answers with an empty object', { kind: 'answer', body: {} }, 500],
  ['answers with a list', { kind: 'answer', body: [] }, 500],
  ['finds the recording too large', { kind: 'status', status: 413 }, 413],
  ['cannot decode the recording', { kind: 'status', status: 415 }, 415],
]);

describe('failures of the speech vendor', () => {
  it.each(SPEECH_FAULTS)('a speech vendor that $name leads to $status', async ({ fault, status }) => {
    for (const path of AUDIO_PATHS) {
      clinic.speech.behave(fault);
      const message = expectError(await sendRecording(clinic, path, { language: 'en' }), status);
      expect(message).not.toMatch(/vendor-secret-text|127\.0\.0\.1/);
    }
    expect(await clinic.spooledFiles()).toEqual([]);
  });

  it('a speech vendor that asks to wait leads to 503 with its Retry-After', async () => {
    clinic.speech.behave({ kind: 'status', status: 429, headers: { 'retry-after': '60' } });
    const answer = await sendRecording(clinic, NOTE_PATH);
    expectError(answer, 503);
    expect(answer.headers.get('retry-after')).toBe('60');
  });

  it.each([
    ['401', 401, 'DEEPGRAM_API_KEY'],
    ['404', 404, 'DEEPGRAM_BASE_URL'],
  ])('a speech vendor that answers %s leads to a message with the setting to check', async (_, status, setting) => {
    clinic.speech.behave({ kind: 'status', status });
    expect(expectError(await sendRecording(clinic, CONVERSATION_PATH), 503)).toContain(setting);
  });

  it.each([
    ['500', { kind: 'status', status: 500 }],
    ['429', { kind: 'status', status: 429, headers: { 'retry-after': '1' } }],
    ['a reset', { kind: 'reset' }],
    ['half an answer', { kind: 'cut' }],
  ] as const)('a recording that was stored is sent again if the speech vendor answers %s once', async (_, fault) => {
    const callsBefore = clinic.speech.requests.length;
    clinic.speech.behave(fault, { kind: 'consultation' });
    const answer = await postForm(clinic.engine, CONVERSATION_PATH, clinic.key, [recordingPart()]);
    expect(answer.status).toBe(200);
    const [first, second, ...more] = clinic.speech.requests.slice(callsBefore);
    expect(second?.sha256).toBe(first?.sha256);
    expect(more).toEqual([]);
  });

  it('bytes that were streamed to a failing speech vendor are not sent again', async () => {
    const callsBefore = clinic.speech.requests.length;
    clinic.speech.behave({ kind: 'status', status: 500 }, { kind: 'consultation' });
    expectError(await sendRecording(clinic, CONVERSATION_PATH, { language: 'en' }), 503);
    expect(clinic.speech.requests).toHaveLength(callsBefore + 1);
  });

  it('a conversation is made of words if the vendor gives no utterances', async () => {
    const { results, metadata } = listenAnswer(CONSULTATIONS['en'] ?? []) as { results: object; metadata: object };
    clinic.speech.behave({ kind: 'answer', body: { metadata, results: { ...results, utterances: [] } } });
    expect((await sendRecording(clinic, CONVERSATION_PATH)).status).toBe(200);
  });
});

const MODEL_FAULTS = named<Behaviour>([
  ['answers 500', FAULTS.serverError, 503],
  ['asks for a long pause', FAULTS.rateLimitedForLong, 503],
  ['refuses our key', FAULTS.unauthorized, 503],
  ['does not know the model', FAULTS.unknownModel, 503],
  ['refuses the request', FAULTS.badRequest, 503],
  ['never answers', FAULTS.hang, 503],
  ['drops the connection', FAULTS.drop, 503],
  ['falls silent in its answer', FAULTS.hangMidway, 503],
  ['ends its answer without a reason', FAULTS.noFinishReason, 500],
  ['runs out of length', FAULTS.tooShort, 500],
  ['filters its answer', FAULTS.contentFilter, 500],
  ['refuses to answer', FAULTS.refusal, 500],
  ['answers in prose', FAULTS.malformed, 500],
  ['answers nothing', FAULTS.empty, 500],
  ['answers with something endless', FAULTS.huge, 500],
  ['leaves a section out', { kind: 'answer', content: (usual) => withSections(usual, (all) => all.slice(1)) }, 500],
  ['invents a section', { kind: 'answer', content: (usual) => withSections(usual, (all) => [...all, INVENTED]) }, 500],
  ['repeats a section', { kind: 'answer', content: (usual) => withSections(usual, (all) => [...all, all[0]]) }, 500],
  ['does not say whether it is medical', { kind: 'answer', content: () => ({ title: 'x', sections: [] }) }, 500],
]);

const INVENTED = { key: 'INVENTED', text: 'Nobody asked for it.' };

function withSections(usual: unknown, change: (sections: readonly unknown[]) => readonly unknown[]): unknown {
  const note = usual as { readonly sections: readonly unknown[] };
  return { ...note, sections: change(note.sections) };
}

describe('failures of the model that writes the note', () => {
  it.each(MODEL_FAULTS)('a model that $name leads to $status', async ({ fault, status }) => {
    clinic.model.behave(fault);
    const message = expectError(await sendRecording(clinic, NOTE_PATH), status);
    expect(message).not.toMatch(/made-up vendor error|127\.0\.0\.1/);
  });

  it.each([
    ['cut', FAULTS.cutMidway],
    ['ended by an error event', FAULTS.errorEvent],
  ] as const)('a model whose answer is %s leads to 500 or 503, never to half a note', async (_, fault) => {
    clinic.model.behave(fault);
    const answer: Answer = await sendRecording(clinic, NOTE_PATH);
    expect([500, 503]).toContain(answer.status);
    expectError(answer, answer.status);
  });

  it('a model that fails once and then works leads to a note', async () => {
    clinic.model.next(FAULTS.serverError);
    expect((await sendRecording(clinic, NOTE_PATH)).status).toBe(200);
  });

  it('a model that breaks the form once is called again, and the recording is transcribed once', async () => {
    const callsBefore = clinic.speech.requests.length;
    clinic.model.next(FAULTS.malformed);
    expect((await sendRecording(clinic, NOTE_PATH)).status).toBe(200);
    expect(clinic.speech.requests).toHaveLength(callsBefore + 1);
  });

  it.each([
    ['401', FAULTS.unauthorized, 'OPENAI_API_KEY'],
    ['404', FAULTS.unknownModel, 'OPENAI_MODEL'],
  ] as const)('a model that answers %s leads to a message with the setting to check', async (_, fault, setting) => {
    clinic.model.behave(fault);
    expect(expectError(await sendRecording(clinic, NOTE_PATH), 503)).toContain(setting);
  });
});

/** Makes rows for titles that name the fault and the status. */
function named<Fault>(rows: readonly (readonly [name: string, fault: Fault, status: number])[]) {
  return rows.map(([name, fault, status]) => ({ name, fault, status }));
}
