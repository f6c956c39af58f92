// The way of a recording through the engine: it is streamed to the vendor while it arrives, or spooled if the file is the first part, side by
// side with others. After a client disconnects or stops, no vendor call, no file and no open upload remains.
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { audioSha256, audioStream, makeAudio } from '../support/audio-samples.ts';
import type { DeepgramRequest } from '../support/deepgram-server.ts';
import { postForm } from '../support/journey-client.ts';
import {
  AUDIO_PATHS,
  CONVERSATION_PATH,
  conversationOf,
  expectError,
  LiveForm,
  NOTE_PATH,
  openClinic,
  sendRecording,
} from '../support/journey-upload.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { until, untilFound } from '../support/until.ts';

const MEBIBYTE = 1_048_576;

const clinic = openedForFile(() => openClinic({ env: { MAX_UPLOADS: '4' } }));

afterEach(() => clinic.calmDown());

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

/** Returns the next call to the vendor once it has received that many bytes. */
async function nextCall(callsBefore: number, sizeBytes: number): Promise<DeepgramRequest> {
  await until(() => (clinic.speech.requests[callsBefore]?.receivedBytes ?? 0) >= sizeBytes);
  const [call] = clinic.speech.requests.slice(callsBefore);
  if (call === undefined) throw new Error('the vendor was not called');
  return call;
}

describe('forms with the fields first', () => {
  it.each(AUDIO_PATHS)('%s streams the recording to the vendor while it still arrives', async (to) => {
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

  it('a form with the language before the file needs no disk', async () => {
    const callsBefore = clinic.speech.requests.length;
    const form = begin(NOTE_PATH).field('language', 'es').beginFile();
    await form.send([makeAudio('mp3', MEBIBYTE)]);
    await nextCall(callsBefore, MEBIBYTE / 2);
    expect(await clinic.spooledFiles()).toEqual([]);
    form.leave();
    await expectNothingLeft();
  });

  it('a form without a language before the file keeps a copy, and a later language makes the vendor transcribe it again in that language', async () => {
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

  it('a vendor that refuses at once is answered before the upload is complete', async () => {
    clinic.speech.behave({ kind: 'status', status: 401, isEarly: true });
    const form = begin(NOTE_PATH).field('language', 'en').beginFile();
    await form.send([makeAudio('wav', MEBIBYTE)]);
    expectError(await form.answer, 503);
    form.leave();
    await expectNothingLeft();
  });
});

describe('forms with the file first', () => {
  it.each(AUDIO_PATHS)('%s stores the recording encrypted in the spool until the fields are known', async (to) => {
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
  it('a client that disconnects while it uploads ends the vendor call, which is no success', async () => {
    const callsBefore = clinic.speech.requests.length;
    const form = begin(CONVERSATION_PATH).field('language', 'en').beginFile();
    await form.send([makeAudio('wav', MEBIBYTE)]);
    const call = await nextCall(callsBefore, MEBIBYTE / 2);
    form.leave();
    await call.closed;
    expect(call.sha256).toBeUndefined();
    await expectNothingLeft();
  });

  it('a client that disconnects while its file is spooled leaves no file, and no vendor is called', async () => {
    const callsBefore = clinic.speech.requests.length;
    const form = begin(NOTE_PATH).beginFile();
    await form.send([makeAudio('wav', MEBIBYTE)]);
    await until(async () => (await clinic.spooledFiles()).length === 1);
    form.leave();
    await expectNothingLeft();
    expect(clinic.speech.requests).toHaveLength(callsBefore);
  });

  it('a client that disconnects while the vendor transcribes ends the vendor call', async () => {
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

  it('a client that disconnects while the note is written ends the call to the model, and the request counts as cancelled', async () => {
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

describe('a client that stops sending', () => {
  it.each([
    ['fields first', CONVERSATION_PATH, true],
    ['file first', NOTE_PATH, false],
  ])('an upload that stalls is 400 and leaves nothing behind, with the %s', async (_, to, isFieldFirst) => {
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

describe('uploads at the same time', () => {
  it('four uploads are processed side by side, and each gets the answer to its own recording', async () => {
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

  it('an upload beyond the number of simultaneous uploads waits', async () => {
    const forms = [1, 2, 3, 4].map(() => begin(CONVERSATION_PATH).field('language', 'en').beginFile());
    await Promise.all(forms.map((form) => form.send([makeAudio('wav', 65_536)])));
    await until(async () => (await metric('chartwright_uploads_in_flight')) === 4);
    const waiting = sendRecording(clinic, CONVERSATION_PATH, { language: 'es' });
    forms.pop()?.leave();
    expect(conversationOf(await waiting).metadata.language).toBe('es');
    for (const form of forms) form.leave();
    await expectNothingLeft();
  });

  it('neither a recording nor another organization waits while the forms with files of one organization take all places', async () => {
    const other = await clinic.engine.makeKey({ organization: 'others' });
    const fields = [{ name: 'clinical_history', value: 'Cough for three days.' }];
    const forms = [1, 2, 3, 4, 5].map(() => begin('/diagnose').field('language', 'en'));
    await until(async () => (await metric('chartwright_uploads_in_flight')) === 4);
    expect((await sendRecording(clinic, CONVERSATION_PATH, { language: 'es' })).status).toBe(200);
    expect((await postForm(clinic.engine, '/diagnose', other, fields)).status).toBe(200);
    await until(async () => (await metric('chartwright_uploads_in_flight')) === 4);
    for (const form of forms) form.leave();
    await expectNothingLeft();
  });
});

/** Sends the first chunks and keeps the rest. */
async function* take(chunks: AsyncGenerator<Uint8Array>, sizeBytes: number): AsyncGenerator<Uint8Array> {
  let takenBytes = 0;
  while (takenBytes < sizeBytes) {
    const { done, value } = await chunks.next();
    if (done === true) return;
    takenBytes += value.length;
    yield value;
  }
}
