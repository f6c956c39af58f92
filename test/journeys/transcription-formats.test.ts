// The accepted recordings by docs/service-interface.md. The content of a file decides its format; its name and its declared type do not count.
import { afterEach, describe, expect, it } from '@jest/globals';
import { AUDIO_KINDS, type AudioKind, makeAudio } from '../support/audio-samples.ts';
import { makeGif, makeJpeg, makePdf, makePng, makeWebp, makeZip } from '../support/file-samples.ts';
import { postForm } from '../support/journey-client.ts';
import {
  AUDIO_PATHS,
  CONVERSATION_PATH,
  conversationOf,
  expectError,
  LiveForm,
  NOTE_PATH,
  openClinic,
  recordingPart,
  sendRecording,
} from '../support/journey-upload.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { RawClient } from '../support/raw-http.ts';

const MEDIA_TYPES: readonly (readonly [string, AudioKind])[] = [
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'm4a'],
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/vnd.wave', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/x-pn-wav', 'wav'],
  ['audio/webm', 'webm'],
  ['audio/ogg', 'ogg'],
  ['audio/flac', 'flac'],
  ['audio/x-flac', 'flac'],
  ['audio/aac', 'aac'],
  ['audio/x-aac', 'aac'],
];

/** The content types that the vendor gets: one for each container. */
const CONTENT_TYPES: Readonly<Record<AudioKind, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  'mp3-id3': 'audio/mpeg',
  m4a: 'audio/mp4',
  mp4: 'audio/mp4',
  webm: 'audio/webm',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
};

const WRONG_CLAIMS = [
  '',
  'application/octet-stream',
  'image/png',
  'application/pdf',
  'audio/amr',
  'video/webm;codecs=opus',
];

function ascii(...pieces: readonly string[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(pieces.join('').padEnd(20_000, '\0'), 'latin1'));
}

const NOT_TAKEN: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] = [
  ['a PDF', makePdf()],
  ['a PNG', makePng()],
  ['a JPEG', makeJpeg()],
  ['a GIF', makeGif()],
  ['a WebP, which is a RIFF file as WAV is', makeWebp()],
  ['a ZIP', makeZip()],
  ['plain text', ascii('Good morning, what brings you in today?\n')],
  ['JSON', ascii('{"file": "visit.wav"}')],
  ['a web page', ascii('<!doctype html><script>alert(1)</script>')],
  ['a program', ascii('\x7fELF\x02\x01\x01')],
  ['an AVI film', ascii('RIFF\x00\x10\x00\x00AVI LIST')],
  ['an AIFF recording', ascii('FORM\x00\x00\x10\x00AIFFCOMM')],
  ['a MIDI file', ascii('MThd\x00\x00\x00\x06\x00\x01\x00\x02\x01\xe0')],
  ['an AMR recording', ascii('#!AMR\n\x04\x04')],
  ['an ASF (WMA) recording', ascii('\x30\x26\xb2\x75\x8e\x66\xcf\x11')],
  ['a Matroska film', ascii('\x1a\x45\xdf\xa3\x8b\x42\x82\x88matroska')],
  ['zeros', ascii('')],
  ['a WAV header without a format', ascii('RIFF\x00\x10\x00\x00WAVEdata\x00\x10\x00\x00')],
  ['one byte', Uint8Array.of(0xff)],
  ['the first four bytes of a WAV', makeAudio('wav', 44).slice(0, 4)],
];

const clinic = openedForFile(openClinic);

afterEach(() => clinic.calmDown());

describe('accepted formats of recordings', () => {
  it.each(MEDIA_TYPES)('%s is an accepted media type of a recording', async (mediaType, kind) => {
    for (const path of AUDIO_PATHS) {
      const recording = recordingPart(makeAudio(kind, 20_000), `visit.${kind}`, mediaType);
      expect((await sendRecording(clinic, path, { language: 'en' }, recording)).status).toBe(200);
      expect(clinic.speech.requests.at(-1)?.headers['content-type']).toBe(CONTENT_TYPES[kind]);
    }
  });

  it.each(AUDIO_KINDS.flatMap((kind) => WRONG_CLAIMS.map((claim) => [kind, claim] as const)))(
    'a recording of the format %s is accepted although its declared type is "%s"',
    async (kind, claim) => {
      const recording = recordingPart(makeAudio(kind, 20_000), 'visit.bin', claim);
      conversationOf(await sendRecording(clinic, CONVERSATION_PATH, { language: 'en' }, recording));
      expect(clinic.speech.requests.at(-1)?.headers['content-type']).toBe(CONTENT_TYPES[kind]);
    },
  );

  it('the content of a recording decides its format, also if the file is the first part', async () => {
    const recording = recordingPart(makeAudio('ogg', 20_000), 'visit.wav', 'audio/wav');
    conversationOf(await postForm(clinic.engine, CONVERSATION_PATH, clinic.key, [recording]));
    expect(clinic.speech.requests.at(-1)?.headers['content-type']).toBe('audio/ogg');
  });
});

describe('refused formats of recordings', () => {
  it.each(NOT_TAKEN)('a recording that is %s is 415, whatever its name', async (_, bytes) => {
    const callsBefore = clinic.speech.requests.length;
    for (const path of AUDIO_PATHS) {
      const recording = recordingPart(bytes, 'visit.mp3', 'audio/mpeg');
      const message = expectError(await sendRecording(clinic, path, { language: 'en' }, recording), 415);
      expect(message).toMatch(/^visit\.mp3: unsupported audio format/);
      expectError(await postForm(clinic.engine, path, clinic.key, [recording]), 415);
    }
    expect(clinic.speech.requests).toHaveLength(callsBefore);
  });

  it('the error names a file by its last part alone, without invisible characters', async () => {
    const recording = recordingPart(ascii('text'), 'C:\\home\\visit\u202e.wav', 'audio/wav');
    expect(expectError(await sendRecording(clinic, NOTE_PATH, {}, recording), 415)).toMatch(/^visit\.wav: /);
  });

  it.each([
    ['the fields first', { language: 'en' }],
    ['the file first', {}],
  ])('the head of a long upload is enough for 415 before the rest is sent, with %s', async (_, fields) => {
    const form = new LiveForm({ url: clinic.engine.url, path: NOTE_PATH, key: clinic.key });
    for (const [name, value] of Object.entries(fields)) form.field(name, value);
    await form.beginFile().send([makePng({ padTo: 65_536 })]);
    expectError(await form.answer, 415);
  });

  it('the head of an upload that announces 100 MB is enough for 415, and the connection ends', async () => {
    const client = await RawClient.connect(Number(new URL(clinic.engine.url).port));
    const headers = ['Host: localhost', `x-api-key: ${clinic.key}`, 'Content-Type: multipart/form-data; boundary=b'];
    client.write([`POST ${NOTE_PATH} HTTP/1.1`, ...headers, 'Content-Length: 104857000', '', ''].join('\r\n'));
    client.write('--b\r\nContent-Disposition: form-data; name="file"; filename="visit.wav"\r\n\r\n');
    client.write(makePdf({ padTo: 65_536 }));
    expect((await client.answer()).status).toBe(415);
    await client.closed;
  });

  it('a recording that begins well but that the vendor cannot decode is 415', async () => {
    const body = {
      err_code: 'Bad Request',
      err_msg: 'Bad Request: failed to process audio: corrupt or unsupported data',
    };
    clinic.speech.behave({ kind: 'status', status: 400, body });
    for (const path of AUDIO_PATHS) {
      const message = expectError(await sendRecording(clinic, path), 415);
      expect(message).not.toContain('err_msg');
      expect(message).toContain('cannot read the recording');
    }
  });

  it('no file is left in the spool after all refused recordings', async () => {
    expect(await clinic.spooledFiles()).toEqual([]);
  });
});
