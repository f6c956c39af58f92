// Engines without a speech vendor, without a model, or without both. Without speech recognition transcription is 503 with the name of the
// missing setting, and /readyz names it before any request; without a model the built-in rules write notes.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '../../src/domain/language.ts';
import {
  AUDIO_PATHS,
  type Clinic,
  CONVERSATION_PATH,
  conversationOf,
  expectError,
  NOTE_PATH,
  noteOf,
  openClinic,
  sendRecording,
} from '../support/journey-upload.ts';

type Readiness = {
  readonly status: string;
  readonly components: readonly { readonly name: string; readonly status: string; readonly detail: string }[];
};

async function readinessOf({ engine }: Clinic): Promise<Readiness> {
  const response = await fetch(`${engine.url}/readyz`);
  expect(response.status).toBe(200);
  return (await response.json()) as Readiness;
}

function componentOf({ components }: Readiness, name: string): Readiness['components'][number] | undefined {
  return components.find((component) => component.name === name);
}

describe('an engine without vendors', () => {
  let clinic: Clinic;
  beforeAll(async () => {
    clinic = await openClinic({ vendors: [] });
  });
  afterAll(() => clinic?.close());

  it.each(AUDIO_PATHS)('%s is 503 without speech recognition and names the setting', async (path) => {
    const message = expectError(await sendRecording(clinic, path, { language: 'en' }), 503);
    expect(message).toContain('DEEPGRAM_API_KEY');
    expect(message).toContain('DEEPGRAM_BASE_URL');
  });

  it('an invalid request is 400 also without speech recognition', async () => {
    expectError(await sendRecording(clinic, NOTE_PATH, { template: 'none' }), 400);
  });

  it('/readyz is 200 and degraded only by missing speech recognition, and names the reasoner', async () => {
    const readiness = await readinessOf(clinic);
    expect(readiness.status).toBe('degraded');
    expect(componentOf(readiness, 'reasoner')).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^builtin:rules@\d+: .*no language model.*OPENAI_API_KEY/),
    });
    expect(componentOf(readiness, 'speech')).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining('DEEPGRAM_API_KEY'),
    });
  });

  it('the startup message names the missing speech recognition and the rules', () => {
    expect(clinic.engine.output().stdout).toMatch(/Reasoner\s+builtin:rules@\d+\b.*\s+.*OPENAI_API_KEY/);
    expect(clinic.engine.output().stdout).toMatch(
      /Speech\s+builtin:recordings@1: .*\n\s+for others set DEEPGRAM_API_KEY/,
    );
  });

  it('no file is left in the spool without speech recognition', async () => {
    expect(await clinic.spooledFiles()).toEqual([]);
  });
});

describe('an engine with speech recognition alone', () => {
  let clinic: Clinic;
  beforeAll(async () => {
    clinic = await openClinic({ vendors: ['speech'] });
  });
  afterAll(() => clinic?.close());

  it('/transcribe/conversation works without a model', async () => {
    expect(conversationOf(await sendRecording(clinic, CONVERSATION_PATH)).messages.length).toBeGreaterThan(0);
  });

  it.each(LANGUAGES)('/transcribe returns a note that the rules wrote, without a model: %s', async (language) => {
    const { title, sections } = noteOf(await sendRecording(clinic, NOTE_PATH, { language })).note;
    expect(title).not.toBe('');
    expect(sections.map(({ key }) => key)).toEqual(['SUBJECTIVE', 'OBJECTIVE', 'ASSESSMENT', 'PLAN']);
    expect(clinic.model.requests).toEqual([]);
  });

  it('a recording that is not medical is 400, also without a model', async () => {
    clinic.speech.behave({ kind: 'not-medical' });
    expect(expectError(await sendRecording(clinic, NOTE_PATH), 400)).toContain('no relevant medical content');
    clinic.calmDown();
  });

  it('/readyz is ok without a model', async () => {
    expect((await readinessOf(clinic)).status).toBe('ok');
  });
});

describe('an engine with a model alone', () => {
  let clinic: Clinic;
  beforeAll(async () => {
    clinic = await openClinic({ vendors: ['model'] });
  });
  afterAll(() => clinic?.close());

  it.each(AUDIO_PATHS)('%s is 503 with a model alone and names the setting of speech recognition', async (path) => {
    const message = expectError(await sendRecording(clinic, path), 503);
    expect(message).toContain('DEEPGRAM_API_KEY');
    expect(message).not.toContain('OPENAI');
    expect(clinic.model.requests).toEqual([]);
  });

  it('/readyz with a model alone is degraded only by missing speech recognition', async () => {
    const readiness = await readinessOf(clinic);
    expect(readiness.status).toBe('degraded');
    expect(componentOf(readiness, 'reasoner')?.status).toBe('ok');
    expect(componentOf(readiness, 'speech')?.status).toBe('degraded');
  });
});
