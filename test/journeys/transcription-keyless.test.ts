// Engines that have been told of no speech vendor, of no model, or of neither. Without speech recognition transcription says 503 and
// which setting is missing, and /readyz says the same before anybody asks; without a model the rules that come with it write notes.
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

  it.each(AUDIO_PATHS)('%s is 503 and names the setting', async (path) => {
    const message = expectError(await sendRecording(clinic, path, { language: 'en' }), 503);
    expect(message).toContain('DEEPGRAM_API_KEY');
    expect(message).toContain('DEEPGRAM_BASE_URL');
  });

  it('what is wrong with the request is said all the same', async () => {
    expectError(await sendRecording(clinic, NOTE_PATH, { template: 'none' }), 400);
  });

  it('/readyz is 200 and degraded by speech recognition alone, and says what reasons', async () => {
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

  it('the start says both on stdout', () => {
    expect(clinic.engine.output().stdout).toMatch(/Reasoner\s+builtin:rules@\d+\b.*\s+.*OPENAI_API_KEY/);
    expect(clinic.engine.output().stdout).toMatch(
      /Speech\s+builtin:recordings@1: .*\n\s+for others set DEEPGRAM_API_KEY/,
    );
  });

  it('nothing of it is left in the spool', async () => {
    expect(await clinic.spooledFiles()).toEqual([]);
  });
});

describe('an engine with speech recognition alone', () => {
  let clinic: Clinic;
  beforeAll(async () => {
    clinic = await openClinic({ vendors: ['speech'] });
  });
  afterAll(() => clinic?.close());

  it('/transcribe/conversation works', async () => {
    expect(conversationOf(await sendRecording(clinic, CONVERSATION_PATH)).messages.length).toBeGreaterThan(0);
  });

  it.each(LANGUAGES)('/transcribe is a note of what was said, by the rules: %s', async (language) => {
    const { title, sections } = noteOf(await sendRecording(clinic, NOTE_PATH, { language })).note;
    expect(title).not.toBe('');
    expect(sections.map(({ key }) => key)).toEqual(['SUBJECTIVE', 'OBJECTIVE', 'ASSESSMENT', 'PLAN']);
    expect(clinic.model.requests).toEqual([]);
  });

  it('what is not medical is 400, as with a model', async () => {
    clinic.speech.behave({ kind: 'not-medical' });
    expect(expectError(await sendRecording(clinic, NOTE_PATH), 400)).toContain('no relevant medical content');
    clinic.calmDown();
  });

  it('/readyz is ok', async () => {
    expect((await readinessOf(clinic)).status).toBe('ok');
  });
});

describe('an engine with a model alone', () => {
  let clinic: Clinic;
  beforeAll(async () => {
    clinic = await openClinic({ vendors: ['model'] });
  });
  afterAll(() => clinic?.close());

  it.each(AUDIO_PATHS)('%s is 503 and names the setting of speech recognition', async (path) => {
    const message = expectError(await sendRecording(clinic, path), 503);
    expect(message).toContain('DEEPGRAM_API_KEY');
    expect(message).not.toContain('OPENAI');
    expect(clinic.model.requests).toEqual([]);
  });

  it('/readyz is degraded by speech recognition alone', async () => {
    const readiness = await readinessOf(clinic);
    expect(readiness.status).toBe('degraded');
    expect(componentOf(readiness, 'reasoner')?.status).toBe('ok');
    expect(componentOf(readiness, 'speech')?.status).toBe('degraded');
  });
});
