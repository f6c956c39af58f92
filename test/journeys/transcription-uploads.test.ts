// How a recording goes through the engine: on to the vendor while it arrives, spooled where the file comes first, side by
// side with others; and what is left when a client leaves or stops: no vendor call, no file, no open upload.
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { audioSha256, audioStream, makeAudio } from '../support/audio-samples.ts';
import type { DeepgramRequest } from '../support/deepgram-server.ts';
import {
  AUDIO_PATHS,
  type Clinic,
  CONVERSATION_PATH,
  conversationOf,
  expectError,
  LiveForm,
  NOTE_PATH,
  openClinic,
  sendRecording,
} from '../support/journey-upload.ts';
import { until, untilFound } from '../support/until.ts';

const MEBIBYTE = 1_048_576;

let clinic: Clinic;

beforeAll(async () => {
  clinic = await openClinic({ env: { MAX_UPLOADS: '4' } });
});
afterEach(() => clinic.calmDown());
afterAll(() => clinic?.close());

function begin(to: string): LiveForm {
  return new LiveForm({ url: clinic.engine.url, path: to, key: clinic.key });
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${clinic.engine.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}

async function expectNothingLeft(): Promise<void> {
  await until(async () => (await clinic.spooledFiles()).length === 0);
  await until(async () => (await metric('chartwright_uploads_in_flight')) === 0);
}

/** The next call to the vendor, once it has got so many bytes. */
async function nextCall(callsBefore: number, sizeBytes: number): Promise<DeepgramRequest> {
  await until(() => (clinic.speech.requests[callsBefore]?.receivedBytes ?? 0) >= sizeBytes);
  const [call] = clinic.speech.requests.slice(callsBefore);
  if (call === undefined) throw new Error('the vendor was not called');
  return call;
}

describe('fields first', () => {
  it.each(AUDIO_PATHS)('%s: the vendor hears the recording while it still arrives', async (to) => {
    const callsBefore = clinic.speech.requests.length;
    const form = begin(to).field('language', 'en').beginFile();
    const chunks = audioStream('wav', 2 * MEBIBYTE);
    await form.send(take(chunks, MEBIBYTE));
    const call = await nextCall(callsBefore, MEBIBYTE / 2);
    expect(call.sha256).toBeUndefined();
    await form.send(chunks);
    expect((await form.endFile().end()).status).toBe(200);
    expect(call.sha256).toBe(audioSha256('wav', 2 * MEBIBYTE));
    expect(clinic.speech.requests).toHaveLength(callsBefore + 1);
  });

  it('with the language among them nothing lies on the disk', async () => {
    const callsBefore = clinic.speech.requests.length;
    const form = begin(NOTE_PATH).field('language', 'es').beginFile();
    await form.send([makeAudio('mp3', MEBIBYTE)]);
    await nextCall(callsBefore, MEBIBYTE / 2);
    expect(await clinic.spooledFiles()).toEqual([]);
    form.leave();
    await expectNothingLeft();
  });

  it('without the language a copy is kept, should it come behind: the vendor hears it anew, in that language', async () => {
    const callsBefore = clinic.speech.requests.length;
    const form = begin(CONVERSATION_PATH).field('include_timestamps', 'false').beginFile();
    await form.send(audioStream('flac', MEBIBYTE));
    expect((await nextCall(callsBefore, MEBIBYTE / 2)).query['language']).toBe('en');
    const answer = await form.endFile().field('language', 'pt').end();
    expect(conversationOf(answer).metadata.language).toBe('pt');
    const last = clinic.speech.requests.at(-1);
    expect(last?.query['language']).toBe('pt');
    expect(last?.sha256).toBe(audioSha256('flac', MEBIBYTE));
    await expectNothingLeft();
  });

  it('a vendor that refuses at once is not waited for until the upload is through', async () => {
    clinic.speech.behave({ kind: 'status', status: 401, isEarly: true });
    const form = begin(NOTE_PATH).field('language', 'en').beginFile();
    await form.send([makeAudio('wav', MEBIBYTE)]);
    expectError(await form.answer, 503);
    form.leave();
    await expectNothingLeft();
  });
});

describe('the file first', () => {
  it.each(AUDIO_PATHS)('%s: it waits in the spool, encrypted, until the fields are known', async (to) => {
    const callsBefore = clinic.speech.requests.length;
    const form = begin(to).beginFile();
    const chunks = audioStream('wav', 2 * MEBIBYTE);
    await form.send(take(chunks, MEBIBYTE));
    const folder = path.join(clinic.engine.dataDir, 'spool');
    const [name = ''] = await untilFound(async () => {
      const names = await readdir(folder);
      const [first] = names;
      return first !== undefined && (await stat(path.join(folder, first))).size >= MEBIBYTE / 2 ? names : undefined;
    });
    const kept = await readFile(path.join(folder, name));
    expect(kept.includes(Buffer.from(makeAudio('wav', 4_000).subarray(44, 144)))).toBe(false);
    expect((await stat(path.join(folder, name))).mode & 0o077).toBe(0);
    expect(clinic.speech.requests).toHaveLength(callsBefore);

    await form.send(chunks);
    expect((await form.endFile().field('language', 'es').end()).status).toBe(200);
    const call = clinic.speech.requests.at(-1);
    expect(call?.query['language']).toBe('es');
    expect(call?.sha256).toBe(audioSha256('wav', 2 * MEBIBYTE));
    await expectNothingLeft();
  });
});

describe('a client that leaves', () => {
  it('while it uploads: the vendor call ends, and is no success', async () => {
    const callsBefore = clinic.speech.requests.length;
    const form = begin(CONVERSATION_PATH).field('language', 'en').beginFile();
    await form.send([makeAudio('wav', MEBIBYTE)]);
    const call = await nextCall(callsBefore, MEBIBYTE / 2);
    form.leave();
    await call.closed;
    expect(call.sha256).toBeUndefined();
    await expectNothingLeft();
  });

  it('while the file is spooled: the file is deleted, and no vendor is called', async () => {
    const callsBefore = clinic.speech.requests.length;
    const form = begin(NOTE_PATH).beginFile();
    await form.send([makeAudio('wav', MEBIBYTE)]);
    await until(async () => (await clinic.spooledFiles()).length === 1);
    form.leave();
    await expectNothingLeft();
    expect(clinic.speech.requests).toHaveLength(callsBefore);
  });

  it('while the vendor listens: the vendor call ends', async () => {
    const callsBefore = clinic.speech.requests.length;
    clinic.speech.behave({ kind: 'hang' });
    const form = begin(NOTE_PATH).beginFile();
    await form.send([makeAudio('wav', MEBIBYTE)]);
    form
      .endFile()
      .end()
      .catch(() => undefined);
    const call = await nextCall(callsBefore, MEBIBYTE);
    await call.done;
    form.leave();
    await call.closed;
    await expectNothingLeft();
  });

  it('while the note is written: the call of the model ends, and the request counts as cancelled', async () => {
    const key = await clinic.engine.makeKey({ organization: 'leavers' });
    const callsBefore = clinic.model.requests.length;
    clinic.model.behave({ kind: 'hang' });
    const form = new LiveForm({ url: clinic.engine.url, path: NOTE_PATH, key }).beginFile();
    await form.send([makeAudio('wav', 40_000)]);
    form
      .endFile()
      .end()
      .catch(() => undefined);
    await until(() => clinic.model.requests.length > callsBefore);
    form.leave();
    expect(await clinic.model.requests.at(-1)?.closed).toBe('gone');
    await expectNothingLeft();
    const [line] = await untilFound(async () => {
      const { usage } = (await clinic.engine.ops('GET', '/usage?organization=leavers')) as { usage: unknown[] };
      return usage.length > 0 ? usage : undefined;
    });
    expect(line).toMatchObject({ operation: 'transcribe', requests: 1, failures: 0, cancelled: 1 });
    expect((line as { readonly audioSeconds: number }).audioSeconds).toBeGreaterThan(0);
  });
});

describe('a client that stops', () => {
  it.each([
    ['fields first', CONVERSATION_PATH, true],
    ['file first', NOTE_PATH, false],
  ])('7 %s: an upload that stops to come is 400, and nothing of it is left', async (_, to, isFieldFirst) => {
    const callsBefore = clinic.speech.requests.length;
    const form = isFieldFirst ? begin(to).field('language', 'en').beginFile() : begin(to).beginFile();
    await form.send([makeAudio('wav', 65_536)]);
    expect(expectError(await form.answer, 400)).toMatch(/too slowly/);
    await Promise.all(clinic.speech.requests.slice(callsBefore).map((call) => call.closed));
    await expectNothingLeft();
  });

  it('an upload that ends before its form does is 400', async () => {
    const body = Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="visit.wav"\r\n\r\n'),
      makeAudio('wav', 65_536),
    ]);
    const headers = { 'x-api-key': clinic.key, 'content-type': 'multipart/form-data; boundary=b' };
    for (const to of AUDIO_PATHS) {
      const response = await fetch(`${clinic.engine.url}${to}`, { method: 'POST', headers, body });
      expect(await response.json()).toMatchObject({ statusCode: 400, message: expect.stringContaining('form') });
    }
    await expectNothingLeft();
  });
});

describe('uploads at once', () => {
  it('four are taken in side by side, and each gets the answer to its own recording', async () => {
    const callsBefore = clinic.speech.requests.length;
    const sizes = [1, 2, 3, 4].map((count) => count * MEBIBYTE);
    const forms = sizes.map(() => begin(CONVERSATION_PATH).field('language', 'en').beginFile());
    const streams = sizes.map((sizeBytes) => audioStream('wav', sizeBytes));
    await Promise.all(forms.map((form, index) => form.send(take(streams[index] ?? audioStream('wav', 44), 500_000))));
    await until(async () => (await metric('chartwright_uploads_in_flight')) === 4);
    await until(() => clinic.speech.requests.length === callsBefore + 4);
    const answers = await Promise.all(
      forms.map(async (form, index) => (await form.send(streams[index] ?? [])).endFile().end()),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const heard = clinic.speech.requests.slice(callsBefore).map(({ sha256 }) => sha256);
    expect(heard.toSorted()).toEqual(sizes.map((sizeBytes) => audioSha256('wav', sizeBytes)).toSorted());
    await expectNothingLeft();
  });

  it('one more than are taken in at once waits for its turn', async () => {
    const forms = [1, 2, 3, 4].map(() => begin(CONVERSATION_PATH).field('language', 'en').beginFile());
    await Promise.all(forms.map((form) => form.send([makeAudio('wav', 65_536)])));
    await until(async () => (await metric('chartwright_uploads_in_flight')) === 4);
    const waiting = sendRecording(clinic, CONVERSATION_PATH, { language: 'es' });
    forms.pop()?.leave();
    expect(conversationOf(await waiting).metadata.language).toBe('es');
    for (const form of forms) form.leave();
    await expectNothingLeft();
  });
});

/** The first chunks, and leaves the rest where it is. */
async function* take(chunks: AsyncGenerator<Uint8Array>, sizeBytes: number): AsyncGenerator<Uint8Array> {
  let takenBytes = 0;
  while (takenBytes < sizeBytes) {
    const { done, value } = await chunks.next();
    if (done === true) return;
    takenBytes += value.length;
    yield value;
  }
}
