// Engines that have been told of no speech vendor, of no model, or of neither: transcription says 503 and which setting
// is missing, and /readyz says the same before anybody asks. Nothing is ever made up instead.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AUDIO_PATHS,
  type Clinic,
  CONVERSATION_PATH,
  conversationOf,
  expectError,
  NOTE_PATH,
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

describe('7 an engine without vendors', () => {
  let clinic: Clinic;
  beforeAll(async () => {
    clinic = await openClinic({ vendors: [] });
  });
  afterAll(() => clinic?.close());

  it.each(AUDIO_PATHS)('7 %s is 503 and names the setting', async (path) => {
    const message = expectError(await sendRecording(clinic, path, { language: 'en' }), 503);
    expect(message).toContain('DEEPGRAM_API_KEY');
    expect(message).toContain('DEEPGRAM_BASE_URL');
  });

  it('7 what is wrong with the request is said all the same', async () => {
    expectError(await sendRecording(clinic, NOTE_PATH, { template: 'none' }), 400);
  });

  it('/readyz is 200 and degraded, with a line for each vendor that is missing', async () => {
    const readiness = await readinessOf(clinic);
    expect(readiness.status).toBe('degraded');
    expect(componentOf(readiness, 'reasoner')).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining('OPENAI_API_KEY'),
    });
    expect(componentOf(readiness, 'speech')).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining('DEEPGRAM_API_KEY'),
    });
  });

  it('the start says both on stdout', () => {
    expect(clinic.engine.output().stdout).toMatch(/Reasoner\s+nobody yet: set OPENAI_API_KEY/);
    expect(clinic.engine.output().stdout).toMatch(/Speech\s+nobody yet: set DEEPGRAM_API_KEY/);
  });

  it('7 nothing of it is left in the spool', async () => {
    expect(await clinic.spooledFiles()).toEqual([]);
  });
});

describe('7 an engine with speech recognition alone', () => {
  let clinic: Clinic;
  beforeAll(async () => {
    clinic = await openClinic({ vendors: ['speech'] });
  });
  afterAll(() => clinic?.close());

  it('7 /transcribe/conversation works', async () => {
    expect(conversationOf(await sendRecording(clinic, CONVERSATION_PATH)).messages.length).toBeGreaterThan(0);
  });

  it('7 /transcribe is 503 and names the setting of the model', async () => {
    const asked = clinic.speech.requests.length;
    const message = expectError(await sendRecording(clinic, NOTE_PATH), 503);
    expect(clinic.speech.requests).toHaveLength(asked);
    expect(message).toContain('OPENAI_API_KEY');
    expect(message).toContain('OPENAI_BASE_URL');
    expect(message).not.toContain('DEEPGRAM');
  });

  it('/readyz is degraded by the model alone', async () => {
    const readiness = await readinessOf(clinic);
    expect(readiness.status).toBe('degraded');
    expect(componentOf(readiness, 'reasoner')?.status).toBe('degraded');
    expect(componentOf(readiness, 'speech')?.status).toBe('ok');
  });
});

describe('7 an engine with a model alone', () => {
  let clinic: Clinic;
  beforeAll(async () => {
    clinic = await openClinic({ vendors: ['model'] });
  });
  afterAll(() => clinic?.close());

  it.each(AUDIO_PATHS)('7 %s is 503 and names the setting of speech recognition', async (path) => {
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
