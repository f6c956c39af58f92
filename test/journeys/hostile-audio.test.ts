// The bad-input list, part F, against a whole engine: recordings that are none or too large (80, 84, 85).
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FORM_TYPE, field, file, formBytes, openPart, type PartBytes } from '../inbound/http/body/form-bytes.ts';
import { makeAudio } from '../support/audio-samples.ts';
import { makePdf, makePng, makeZip } from '../support/file-samples.ts';
import { AUDIO_PATHS, expectErrorBody, formPieces, head, openTarget, type Target } from '../support/journey-hostile.ts';
import { RawClient } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

let target: Target;

beforeAll(async () => {
  target = await openTarget();
});
afterAll(() => target?.close());

const MEBIBYTE = 1_048_576;
const LIMIT_BYTES = 100 * MEBIBYTE;
const text = (length: number) => Buffer.alloc(length, 'The patient says that it hurts. ');

/** A good WAV with bytes of its header changed. */
function wav(change: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.from(makeAudio('wav', 4_000));
  change(bytes);
  return bytes;
}

const LIES: readonly (readonly [string, Uint8Array])[] = [
  ['F84 HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
  ['F84 a program', Buffer.concat([Buffer.from('MZ\x90\0', 'latin1'), Buffer.alloc(600)])],
  ['F84 an image', makePng()],
  ['F84 a PDF', makePdf()],
  ['F84 an archive', makeZip()],
  ['F84 a WAV header with text behind it', wav((bytes) => text(bytes.length).copy(bytes, 44))],
  ['F84 a WAV header of no length with text behind it', Buffer.concat([makeAudio('wav', 44), text(5_000)])],
  ['F84 an MP3 frame with text behind it', Buffer.concat([makeAudio('mp3', 417).subarray(0, 100), text(5_000)])],
  ['F84 text', text(2_000)],
  ['F85 a WAV of 192 channels', wav((bytes) => bytes.writeUInt16LE(192, 22))],
  ['F85 a WAV of 1 Hz', wav((bytes) => bytes.writeUInt32LE(1, 24))],
  ['F85 a WAV of no channels', wav((bytes) => bytes.writeUInt16LE(0, 22))],
];

describe.each(AUDIO_PATHS)('F. recordings at %s', (path) => {
  const to = () => ({ path, key: target.key });
  const send = (status: number, ...parts: readonly PartBytes[]) =>
    target.expectRefusal(status, ...formPieces(to(), formBytes(parts)));

  it.each(LIES)('%s is 415, whatever is said of it and wherever it stands', async (_title, bytes) => {
    const recording = file('file', 'visit.wav', bytes);
    const claimed = { ...recording, headers: [recording.headers[0] ?? '', 'Content-Type: audio/wav'] };
    expect((await send(415, claimed)).messages).toContain('visit.wav: unsupported audio format');
    await send(415, field('language', 'en'), claimed);
  });

  it('F85 a recording of 0 bytes is 400', async () => {
    expect((await send(400, file('file', 'visit.wav', ''))).messages).toBe('visit.wav: the file is empty');
    await send(400, field('language', 'en'), file('file', 'visit.wav', ''));
  });

  it('F85 a WAV that claims 4 GB is taken as far as it goes: recorders that do not know their end write that', async () => {
    const bytes = wav((header) => {
      header.writeUInt32LE(0xffffffff, 4);
      header.writeUInt32LE(0xffffffff, 40);
    });
    const answer = await target.send(...formPieces(to(), formBytes([file('file', 'visit.wav', bytes)])));
    expect(answer.status).toBe(200);
    expect(target.speech.requests.at(-1)?.receivedBytes).toBe(bytes.length);
  });

  it('F80 a form that says beforehand that it is too large is 413 before a byte of it has come', async () => {
    const length = `Content-Length: ${LIMIT_BYTES + 5 * MEBIBYTE}`;
    const [request] = formPieces(to(), Buffer.alloc(0));
    await target.expectRefusal(413, request.replace('Content-Length: 0', length));
  });

  it('F80 a recording that is spooled is 413 as soon as it has crossed 100 MB, and the spool is empty again', async () => {
    const before = target.vendorCalls();
    const { answer, sentBytes } = await pour(openPart(file('file', 'visit.wav', makeAudio('wav', MEBIBYTE))));
    expect(expectErrorBody(answer, 413)).toContain('100 MB');
    expect(sentBytes).toBeLessThan(2 * LIMIT_BYTES);
    await until(async () => (await target.spooledFiles()).length === 0);
    expect(target.vendorCalls()).toBe(before);
  });

  it('F80 a recording that is passed on is 413 as soon as it has crossed 100 MB, and the vendor never gets it whole', async () => {
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

  it('F74 a recording that is cut while it is passed on ends the call to the vendor too', async () => {
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

  /** Sends the beginning and then more and more, in chunks, until there is an answer. */
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

describe('after all of it', () => {
  it('the engine is as it was', () => target.expectUnharmed());
});
