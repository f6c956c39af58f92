// Recordings that are sent again with their Idempotency-Key: speech recognition and the model are asked once.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, postForm } from '../support/journey-client.ts';
import {
  AUDIO_PATHS,
  type Clinic,
  expectError,
  fieldParts,
  LiveForm,
  NOTE_PATH,
  openClinic,
  RECORDING,
  recordingPart,
} from '../support/journey-upload.ts';
import { until } from '../support/until.ts';

let clinic: Clinic;
let count = 0;

beforeAll(async () => {
  clinic = await openClinic();
});
afterAll(() => clinic?.close());
afterEach(() => clinic.calmDown());

function aKey() {
  count += 1;
  return { 'idempotency-key': `recording-${count}` };
}

const asked = () => [clinic.speech.requests.length, clinic.model.requests.length];
const isRepeated = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true';

describe('a recording that is sent again with its Idempotency-Key', () => {
  it.each(AUDIO_PATHS)('POST %s gives the first answer again, whatever came first in the form', async (path) => {
    const { engine, key } = clinic;
    for (const parts of [
      [...fieldParts({ language: 'en' }), recordingPart()],
      [recordingPart(), ...fieldParts({ language: 'en' })],
    ]) {
      const headers = aKey();
      const first = await postForm(engine, path, key, parts, headers);
      expect(first.status).toBe(200);
      const before = asked();
      const again = await postForm(engine, path, key, parts, headers);
      expect([again.status, again.text, isRepeated(again)]).toEqual([200, first.text, true]);
      expect(asked()).toEqual(before);
    }
  });

  it('the header with the check of the note is given again, and the preference that was applied', async () => {
    const headers = { ...aKey(), prefer: 'include=check' };
    const parts = [...fieldParts({ language: 'en' }), recordingPart()];
    const first = await postForm(clinic.engine, NOTE_PATH, clinic.key, parts, headers);
    const again = await postForm(clinic.engine, NOTE_PATH, clinic.key, parts, headers);
    for (const name of ['x-chartwright-check', 'preference-applied']) {
      expect(first.headers.get(name)).not.toBeNull();
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
  });

  it('another recording with the same key is 422', async () => {
    const headers = aKey();
    await postForm(clinic.engine, NOTE_PATH, clinic.key, [recordingPart()], headers);
    const before = asked();
    const other = recordingPart(RECORDING.slice(0, -2));
    expect((await postForm(clinic.engine, NOTE_PATH, clinic.key, [other], headers)).status).toBe(422);
    expect(asked()).toEqual(before);
  });

  it('an upload that broke off gives its key up', async () => {
    const { engine, key } = clinic;
    const headers = aKey();
    const form = new LiveForm({ url: engine.url, path: NOTE_PATH, key, headers }).field('language', 'en').beginFile();
    const before = clinic.speech.requests.length;
    await form.send([RECORDING.subarray(0, 20_000)]);
    await until(() => clinic.speech.requests.length > before);
    form.leave();
    const answer = await postForm(
      engine,
      NOTE_PATH,
      key,
      [...fieldParts({ language: 'en' }), recordingPart()],
      headers,
    );
    expect([answer.status, isRepeated(answer)]).toEqual([200, false]);
  });

  it('a recording of a speech vendor that is down is tried again with the same key', async () => {
    const headers = aKey();
    clinic.speech.behave({ kind: 'status', status: 503 });
    expectError(await postForm(clinic.engine, NOTE_PATH, clinic.key, [recordingPart()], headers), 503);
    clinic.calmDown();
    const answer = await postForm(clinic.engine, NOTE_PATH, clinic.key, [recordingPart()], headers);
    expect([answer.status, isRepeated(answer)]).toEqual([200, false]);
  });
});
