import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../../../../src/domain/errors.ts';
import type { ReceivedRecording } from '../../../../src/inbound/http/body/audio-upload.ts';
import { RawClient, rawRequest } from '../../../support/raw-http.ts';
import { until } from '../../../support/until.ts';
import { BOUNDARY, FORM_TYPE, field, file, formBytes, openPart, type PartBytes, postHead } from './form-bytes.ts';
import { type Door, type DoorOptions, digestOf, listenToAll, openDoor, WAV_HEAD } from './upload-door.ts';

const PATH = '/transcribe';
const MEBIBYTE = 1_048_576;

function wav(sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes, 'sound ');
  WAV_HEAD.copy(bytes);
  return bytes;
}

function openFile(bytes: Uint8Array): Buffer {
  return openPart(file('file', 'visit.wav', bytes)).subarray(0, -2);
}

/** The bytes that the server has read from its sockets. */
function countReceived({ server }: Door): () => number {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  return () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
}

async function untilSteady(count: () => number): Promise<void> {
  let last = count();
  let lastChangeMs = performance.now();
  await until(() => {
    if (count() !== last) lastChangeMs = performance.now();
    last = count();
    return performance.now() - lastChangeMs > 200;
  });
}

describe('a form with a recording', () => {
  let door: Door;
  const open = async (options?: DoorOptions) => {
    door = await openDoor(options);
    return door;
  };
  afterEach(async () => {
    await until(async () => (await door.filesLeft()).length === 0 && door.uploadsInFlight() === 0);
    await door.close();
  });

  async function post(parts: readonly PartBytes[]) {
    const headers = { 'content-type': FORM_TYPE };
    const response = await fetch(door.url(PATH), { method: 'POST', headers, body: formBytes(parts) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  it('is forwarded while it arrives if a field comes first', async () => {
    const arrived: number[] = [];
    await open({
      listen: async ({ recording, fieldsSoFar, whole, copy }) => {
        for await (const piece of recording.open()) arrived.push(piece.length);
        return {
          isReopenable: recording.isReopenable,
          fieldsSoFar: Object.fromEntries(fieldsSoFar),
          fields: Object.fromEntries(await whole),
          hasCopy: copy() !== undefined,
          sizeBytes: recording.sizeBytes,
        };
      },
    });
    const client = await RawClient.connect(door.port);
    const rest = Buffer.concat([openPart(field('note_type', 'ED_NOTE')), Buffer.from(`--${BOUNDARY}--\r\n`)]);
    const start = Buffer.concat([openPart(field('language', 'es')), openFile(wav(50_000))]);
    client.write(postHead(PATH, start.length + 50_000 + 2 + rest.length));
    client.write(start);
    await until(() => arrived.reduce((sum, length) => sum + length, 0) >= 49_000);
    expect(await door.filesLeft()).toEqual([]);
    client.write(Buffer.alloc(50_000, 'more'));
    client.write('\r\n');
    client.write(rest);
    expect(JSON.parse((await client.answer()).body)).toEqual({
      isReopenable: false,
      fieldsSoFar: { language: 'es' },
      fields: { language: 'es', note_type: 'ED_NOTE' },
      hasCopy: false,
      sizeBytes: 100_000,
    });
    client.destroy();
  });

  it('is stored, encrypted, until the form is complete if the file comes first', async () => {
    await open();
    const recording = wav(300_000);
    const answer = await post([file('file', 'visit.wav', recording), field('language', 'pt')]);
    expect(answer).toEqual({
      status: 200,
      body: {
        type: 'audio/wav',
        isReopenable: true,
        sizeBytes: 300_000,
        digest: await digestOf(recording),
        fields: { language: 'pt' },
      },
    });
  });

  it('is forwarded and stored if the first field is not the language', async () => {
    await open();
    const recording = wav(300_000);
    const answer = await post([
      field('template', 'SOAP'),
      file('file', 'visit.wav', recording),
      field('language', 'pt'),
    ]);
    const digest = await digestOf(recording);
    expect(answer.body).toMatchObject({
      isReopenable: false,
      digest,
      copyDigest: digest,
      fields: { template: 'SOAP', language: 'pt' },
    });
  });

  it('is accepted if it has only the bytes that show its type', async () => {
    await open();
    expect(await post([field('language', 'en'), file('file', 'a.wav', wav(12))])).toMatchObject({
      status: 200,
      body: { sizeBytes: 12 },
    });
  });

  it.each([
    ['fields first', [field('language', 'en')]],
    ['the file first', []],
  ])('is accepted with exactly 100 MiB and 413 with one byte more: %s', async (_title, before) => {
    await open();
    const recording = wav(100 * MEBIBYTE);
    const digest = await digestOf(recording);
    expect((await post([...before, file('file', 'a.wav', recording)])).body).toMatchObject({ digest });
    const larger = Buffer.concat([recording, Buffer.from('x')]);
    expect(await post([...before, file('file', 'a.wav', larger)])).toEqual({
      status: 413,
      body: { statusCode: 413, message: 'The audio file is larger than 100 MB', error: 'Payload Too Large' },
    });
  });

  it('is 413 as soon as it is too large, before the rest has arrived', async () => {
    const rejections: unknown[] = [];
    await open({
      maxRecordingBytes: 200_000,
      listen: async (upload) => {
        upload.whole.catch((thrown) => rejections.push(thrown));
        return listenToAll(upload);
      },
    });
    const client = await RawClient.connect(door.port);
    client.write(postHead(PATH, 3_000_000));
    client.write(Buffer.concat([openPart(field('language', 'en')), openFile(wav(300_000))]));
    expect((await client.answer()).status).toBe(413);
    expect(rejections).toEqual([door.failures.at(-1)]);
    client.destroy();
  });

  it('is 413 without being read if its Content-Length is too large', async () => {
    await open();
    expect((await rawRequest(door.port, postHead(PATH, 105 * MEBIBYTE))).status).toBe(413);
  });

  it('of another type is 415 before the rest has arrived', async () => {
    await open();
    const client = await RawClient.connect(door.port);
    client.write(postHead(PATH, 3_000_000));
    client.write(Buffer.concat([openPart(field('language', 'en')), openFile(Buffer.alloc(10_000, 'text'))]));
    const answer = await client.answer();
    expect(answer.status).toBe(415);
    expect(JSON.parse(answer.body).message).toBe('visit.wav: unsupported audio format');
    client.destroy();
  });

  it.each<[string, number, readonly PartBytes[] | Buffer]>([
    ['no file', 400, [field('language', 'en')]],
    ['an empty file', 400, [field('language', 'en'), file('file', 'a.wav', '')]],
    ['an empty file, first', 400, [file('file', 'a.wav', '')]],
    ['an empty file input', 400, [file('file', '', '')]],
    ['a second file', 400, [field('language', 'en'), file('file', 'a.wav', wav(50)), file('file', 'b.wav', wav(50))]],
    ['a second file, the file first', 400, [file('file', 'a.wav', wav(50)), file('file', 'b.wav', wav(50))]],
    ['the file in another field', 400, [field('language', 'en'), file('audio', 'a.wav', wav(50))]],
    [
      'a field given again after the file',
      400,
      [field('language', 'en'), file('file', 'a.wav', wav(50)), field('language', 'es')],
    ],
    ['a broken field after the file', 400, [field('a', 'b'), file('file', 'a.wav', wav(50)), field('language', 'e\0')]],
    ['no closing boundary', 400, Buffer.concat([openPart(field('language', 'en')), openFile(wav(9_000))])],
    ['no closing boundary, the file first', 400, openFile(wav(9_000))],
  ])('with %s is %d', async (_title, status, given) => {
    await open();
    const body = given instanceof Buffer ? given : formBytes(given as readonly PartBytes[]);
    const answer = await rawRequest(door.port, postHead(PATH, body.length), body);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ statusCode: status, error: 'Bad Request' });
  });

  it('is 415 if it is not a form', async () => {
    await open();
    expect((await rawRequest(door.port, postHead(PATH, 3, 'audio/wav'), 'abc')).status).toBe(415);
  });

  it.each([
    ['forwarded', [field('language', 'en')]],
    ['forwarded and stored', [field('template', 'SOAP')]],
    ['stored', []],
  ])('is cancelled and deleted if the client disconnects in the middle: %s', async (_title, before) => {
    await open();
    const client = await RawClient.connect(door.port);
    client.write(postHead(PATH, 3_000_000));
    client.write(Buffer.concat([...before.map((each) => openPart(each)), openFile(wav(500_000))]));
    await until(() => door.uploadsInFlight() === 1);
    client.reset();
    await until(() => door.failures.length === 1);
    expect(door.failures.at(-1)?.code).toBe('cancelled');
  });

  it('throws its failure again when it is opened or read later', async () => {
    const seen: unknown[] = [];
    await open({
      maxRecordingBytes: 10_000,
      listen: async ({ recording, whole }) => {
        for (const _try of [1, 2]) {
          await digestOf(recording.open()).catch((thrown: AppError) => seen.push(thrown.code));
        }
        return whole;
      },
    });
    expect((await post([field('language', 'en'), file('file', 'a.wav', wav(20_000))])).status).toBe(413);
    expect(seen).toEqual(['payloadTooLarge', 'payloadTooLarge']);
  });

  it('that is forwarded can be opened once', async () => {
    await open({
      listen: async (upload) => {
        await listenToAll(upload);
        return upload.recording.open();
      },
    });
    expect((await post([field('language', 'en'), file('file', 'a.wav', wav(200))])).status).toBe(500);
  });

  it('is not buffered after the vendor has failed and stopped reading', async () => {
    let isStopped = false;
    await open({
      listen: async ({ recording }) => {
        for await (const _piece of recording.open()) break;
        isStopped = true;
        throw new AppError('vendorUnavailable', 'The speech vendor cannot be reached');
      },
    });
    const client = await RawClient.connect(door.port);
    client.write(postHead(PATH, 90 * MEBIBYTE));
    client.write(Buffer.concat([openPart(field('language', 'en')), openFile(wav(100_000))]));
    let sentBytes = 0;
    const pouring = client.pour(Buffer.alloc(65_536), () => {
      sentBytes += 65_536;
      return sentBytes > 80 * MEBIBYTE;
    });
    expect((await client.answer()).status).toBe(503);
    expect(isStopped).toBe(true);
    client.destroy();
    await pouring;
    expect(sentBytes).toBeLessThan(40 * MEBIBYTE);
  });

  it('makes the client wait while the vendor does not read', async () => {
    const go = Promise.withResolvers<void>();
    let readBytes = 0;
    await open({
      listen: async ({ recording, whole }) => {
        for await (const piece of recording.open()) {
          readBytes += piece.length;
          await go.promise;
        }
        return Object.fromEntries(await whole);
      },
    });
    const receivedBytes = countReceived(door);
    const recording = wav(60 * MEBIBYTE);
    const body = formBytes([field('language', 'en'), file('file', 'a.wav', recording)]);
    const client = await RawClient.connect(door.port);
    client.write(postHead(PATH, body.length));
    expect(client.write(body)).toBe(false);
    await until(() => readBytes > 0);
    await untilSteady(receivedBytes);
    expect(receivedBytes()).toBeLessThan(10 * MEBIBYTE);
    go.resolve();
    expect((await client.answer()).status).toBe(200);
    expect(readBytes).toBe(recording.length);
    client.destroy();
  });

  it.each([
    ['never opens it', async ({ finish }: ReceivedRecording) => Object.fromEntries(await finish())],
    [
      'stops in the middle',
      async ({ recording, whole }: ReceivedRecording) => {
        for await (const _piece of recording.open()) break;
        return Object.fromEntries(await whole);
      },
    ],
  ])('provides all fields even to a reader who %s', async (_title, listen) => {
    await open({ listen });
    const answer = await post([
      field('language', 'en'),
      file('file', 'a.wav', wav(MEBIBYTE)),
      field('template', 'DAP'),
    ]);
    expect(answer).toEqual({ status: 200, body: { language: 'en', template: 'DAP' } });
  });

  it('that is not read is still refused if it is too large', async () => {
    await open({ maxRecordingBytes: 100_000, listen: ({ finish }) => finish() });
    expect((await post([field('language', 'en'), file('file', 'a.wav', wav(100_001))])).status).toBe(413);
  });

  it('that arrives steadily is not refused as slow because the vendor is slow', async () => {
    const pace = { deadlineMs: 60_000, minimumRate: { bytesPerSecond: 200_000, windowMs: 500, graceMs: 500 } };
    await open({
      pace,
      listen: async ({ recording, whole }) => {
        let pieces = 0;
        for await (const _piece of recording.open()) {
          pieces += 1;
          const resumeAtMs = performance.now() + 600;
          // Longer than the window, in which far too few bytes arrive.
          if (pieces <= 2) await until(() => performance.now() > resumeAtMs);
        }
        return Object.fromEntries(await whole);
      },
    });
    expect((await post([field('language', 'en'), file('file', 'a.wav', wav(MEBIBYTE))])).status).toBe(200);
  });
});
