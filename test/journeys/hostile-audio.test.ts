// Hostile recordings, sent to a whole engine: bytes that are no recording, and recordings that are too large.
import { describe, expect, it } from '@jest/globals';
import { FORM_TYPE, field, file, formBytes, openPart, type PartBytes } from '../inbound/http/body/form-bytes.ts';
import { makeAudio } from '../support/audio-samples.ts';
import { makePdf, makePng, makeZip } from '../support/file-samples.ts';
import { AUDIO_PATHS, expectErrorBody, formPieces, head, openTarget } from '../support/journey-hostile.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { RawClient } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const target = openedForFile(openTarget);

const MEBIBYTE = 1_048_576;
const LIMIT_BYTES = 100 * MEBIBYTE;
const text = (length: number) => Buffer.alloc(length, 'The patient says that it hurts. ');

/** Returns a valid WAV with changed bytes in its header. */
function wav(change: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.from(makeAudio('wav', 4_000));
  change(bytes);
  return bytes;
}

const LIES: readonly (readonly [string, Uint8Array])[] = [
  ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
  ['a program', Buffer.concat([Buffer.from('MZ\x90\0', 'latin1'), Buffer.alloc(600)])],
  ['an image', makePng()],
  ['a PDF', makePdf()],
  ['an archive', makeZip()],
  ['a WAV header with text behind it', wav((bytes) => text(bytes.length).copy(bytes, 44))],
  ['a WAV header of no length with text behind it', Buffer.concat([makeAudio('wav', 44), text(5_000)])],
  ['an MP3 frame with text behind it', Buffer.concat([makeAudio('mp3', 417).subarray(0, 100), text(5_000)])],
  ['text', text(2_000)],
  ['a WAV of 192 channels', wav((bytes) => bytes.writeUInt16LE(192, 22))],
  ['a WAV of 1 Hz', wav((bytes) => bytes.writeUInt32LE(1, 24))],
  ['a WAV of no channels', wav((bytes) => bytes.writeUInt16LE(0, 22))],
];

describe.each(AUDIO_PATHS)('hostile recordings at %s', (path) => {
  const to = () => ({ path, key: target.key });
  const send = (status: number, ...parts: readonly PartBytes[]) =>
    target.expectRefusal(status, ...formPieces(to(), formBytes(parts)));

  it.each(LIES)(
    'a recording that is %s is 415, whatever its declared type and its place in the form',
    async (_title, bytes) => {
      const recording = file('file', 'visit.wav', bytes);
      const claimed = { ...recording, headers: [recording.headers[0] ?? '', 'Content-Type: audio/wav'] };
      expect((await send(415, claimed)).messages).toContain('visit.wav: unsupported audio format');
      await send(415, field('language', 'en'), claimed);
    },
  );

  it('a recording of 0 bytes is 400', async () => {
    expect((await send(400, file('file', 'visit.wav', ''))).messages).toBe('visit.wav: the file is empty');
    await send(400, field('language', 'en'), file('file', 'visit.wav', ''));
  });

  it('a WAV that claims 4 GB is accepted as far as its bytes go, because recorders that do not know their end write that', async () => {
    const bytes = wav((header) => {
      header.writeUInt32LE(0xffffffff, 4);
      header.writeUInt32LE(0xffffffff, 40);
    });
    const answer = await target.send(...formPieces(to(), formBytes([file('file', 'visit.wav', bytes)])));
    expect(answer.status).toBe(200);
    expect(target.speech.requests.at(-1)?.receivedBytes).toBe(bytes.length);
  });

  it('a form whose Content-Length is too large is 413 before a byte of its body has arrived', async () => {
    const length = `Content-Length: ${LIMIT_BYTES + 5 * MEBIBYTE}`;
    const [request] = formPieces(to(), Buffer.alloc(0));
    await target.expectRefusal(413, request.replace('Content-Length: 0', length));
  });

  it('a spooled recording is 413 as soon as it has more than 100 MB, and the spool is empty again', async () => {
    const before = target.vendorCalls();
    const { answer, sentBytes } = await pour(openPart(file('file', 'visit.wav', makeAudio('wav', MEBIBYTE))));
    expect(expectErrorBody(answer, 413)).toContain('100 MB');
    expect(sentBytes).toBeLessThan(2 * LIMIT_BYTES);
    await until(async () => (await target.spooledFiles()).length === 0);
    expect(target.vendorCalls()).toBe(before);
  });

  it('a streamed recording is 413 as soon as it has more than 100 MB, and the vendor never gets it whole', async () => {
    const asked = target.model.requests.length;
    const begin = [field('language', 'en'), file('file', 'visit.wav', makeAudio('wav', MEBIBYTE))].map((each) =>
      openPart(each),
    );
    const { answer, sentBytes } = await pour(Buffer.concat(begin));
    expect(expectErrorBody(answer, 413)).toContain('100 MB');
    expect(sentBytes).toBeLessThan(2 * LIMIT_BYTES);
    const call = target.speech.requests.at(-1);
    await call?.closed;
    expect(call?.sha256).toBeUndefined();
    expect(call?.receivedBytes).toBeGreaterThan(90 * MEBIBYTE);
    expect(target.model.requests).toHaveLength(asked);
  });

  it('a recording that is cut while it is streamed to the vendor also ends the vendor call', async () => {
    const calls = target.speech.requests.length;
    const client = await RawClient.connect(target.port);
    const begin = [field('language', 'en'), file('file', 'visit.wav', makeAudio('wav', MEBIBYTE))];
    const [request, body] = formPieces(to(), Buffer.concat(begin.map((each) => openPart(each))));
    client.write(request.replace(/Content-Length: \d+/, `Content-Length: ${body.length + 1_000}`));
    client.write(body);
    await until(() => (target.speech.requests[calls]?.receivedBytes ?? 0) > 500_000);
    client.reset();
    await target.speech.requests[calls]?.closed;
    expect(target.speech.requests[calls]?.sha256).toBeUndefined();
  });

  /** Sends the beginning and then more and more chunks until there is an answer. */
  async function pour(begin: Uint8Array) {
    const client = await RawClient.connect(target.port);
    const headers = [`x-api-key: ${target.key}`, `Content-Type: ${FORM_TYPE}`, 'Transfer-Encoding: chunked'];
    client.write(head(`POST ${path}`, ...headers));
    client.write(chunk(begin));
    const more = chunk(Buffer.alloc(MEBIBYTE));
    let pieces = 0;
    await client.pour(more, () => {
      pieces += 1;
      return client.received.includes('\r\n\r\n') || pieces * MEBIBYTE > 3 * LIMIT_BYTES;
    });
    const answer = await client.answer();
    await client.closed;
    return { answer, sentBytes: pieces * MEBIBYTE };
  }
});

function chunk(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

describe('an engine after hostile recordings', () => {
  it('an engine is unharmed after all hostile recordings', () => target.expectUnharmed());
});
