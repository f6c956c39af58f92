// Recordings with `Prefer: respond-async`: stored, encrypted, and transcribed after the client has gone.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, getAnswer, postForm } from '../support/journey-client.ts';
import { usageOf } from '../support/journey-diagnosis.ts';
import {
  AUDIO_PATHS,
  type Clinic,
  fieldParts,
  NOTE_PATH,
  openClinic,
  RECORDING,
  recordingPart,
} from '../support/journey-upload.ts';
import { until, untilFound } from '../support/until.ts';

let clinic: Clinic;

beforeAll(async () => {
  clinic = await openClinic();
});
afterAll(() => clinic?.close());
afterEach(() => clinic.calmDown());

type Result = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: unknown };

function resultOf(accepted: Answer, key = clinic.key): Promise<Result> {
  expect(accepted.status).toBe(202);
  const place = accepted.headers.get('location') ?? '';
  return untilFound(async () => {
    const { body } = await getAnswer(clinic.engine, place, key);
    return (body as { readonly result?: Result }).result;
  });
}

/** The ids of messages are made anew for each answer. */
const withoutIds = (value: unknown) =>
  JSON.stringify(value).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id');

describe('a recording with Prefer: respond-async', () => {
  it.each(AUDIO_PATHS)(
    'POST %s gives the answer of a client that waits, whatever came first in the form',
    async (path) => {
      const { engine, key } = clinic;
      for (const parts of [
        [...fieldParts({ language: 'en' }), recordingPart()],
        [recordingPart(), ...fieldParts({ language: 'en' })],
      ]) {
        const waited = await postForm(engine, path, key, parts);
        const result = await resultOf(await postForm(engine, path, key, parts, { prefer: 'respond-async' }));
        expect([result.status, withoutIds(result.body)]).toEqual([200, withoutIds(waited.body)]);
      }
    },
  );

  it('both preferences are kept: the check is in the result, with its headers', async () => {
    const parts = [...fieldParts({ language: 'en' }), recordingPart()];
    const headers = { prefer: 'respond-async, include=check' };
    const result = await resultOf(await postForm(clinic.engine, NOTE_PATH, clinic.key, parts, headers));
    expect(result.headers).toMatchObject({ 'preference-applied': 'include=check' });
    expect(result.headers?.['x-chartwright-check']).toMatch(/^supported=/);
    expect(result.body).toHaveProperty('check');
  });

  it('its seconds of audio count for the organization of the key', async () => {
    const organization = 'audio-clinic';
    const key = await clinic.engine.makeKey({ organization });
    const parts = [...fieldParts({ language: 'en' }), recordingPart()];
    await resultOf(await postForm(clinic.engine, NOTE_PATH, key, parts, { prefer: 'respond-async' }), key);
    await until(async () => (await usageOf(clinic.engine, organization)).length > 0);
    const [line] = await usageOf(clinic.engine, organization);
    expect(line).toMatchObject({ operation: 'transcribe', requests: 1 });
    expect(line?.audioSeconds).toBeGreaterThan(0);
  });

  it('a file that is no audio fails as it does for a client that waits, and another type of body is refused at once', async () => {
    const parts = [...fieldParts({ language: 'en' }), recordingPart(new Uint8Array(RECORDING.length).fill(1))];
    const headers = { prefer: 'respond-async' };
    const result = await resultOf(await postForm(clinic.engine, NOTE_PATH, clinic.key, parts, headers));
    const waited = await postForm(clinic.engine, NOTE_PATH, clinic.key, parts);
    expect(result).toEqual({ status: 415, body: waited.body });
    const refused = await fetch(`${clinic.engine.url}${NOTE_PATH}`, {
      method: 'POST',
      headers: { ...headers, 'x-api-key': clinic.key, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(refused.status).toBe(415);
  });
});
