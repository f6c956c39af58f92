import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../../../../src/domain/errors.ts';
import type { CheckAttachment } from '../../../../src/inbound/http/body/form-files.ts';
import { RawClient, rawRequest } from '../../../support/raw-http.ts';
import { until } from '../../../support/until.ts';
import { BOUNDARY, FORM_TYPE, field, file, formBytes, openPart, type PartBytes, part, postHead } from './form-bytes.ts';
import { type Door, type DoorOptions, digestOf, openDoor, PDF_HEAD } from './upload-door.ts';

const FORM = '/diagnose/form';

function pdf(sizeBytes: number): Buffer {
  return Buffer.concat([PDF_HEAD, Buffer.alloc(sizeBytes - PDF_HEAD.length, 'x')]);
}

describe('a form with files', () => {
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
    const response = await fetch(door.url(FORM), {
      method: 'POST',
      headers: { 'content-type': FORM_TYPE },
      body: formBytes(parts),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  it('is received with its fields and the exact bytes of its files', async () => {
    await open();
    const [one, two] = [pdf(90_000), pdf(10)];
    const answer = await post([
      field('clinical_history', 'Größe 1,70 m\r\n--x 😀'),
      file('files', 'one.pdf', one),
      field('language', 'es'),
      file('files', 'two.pdf', two),
      field('unknown', 'ignored'),
    ]);
    expect(answer).toEqual({
      status: 200,
      body: {
        fields: { clinical_history: 'Größe 1,70 m\r\n--x 😀', language: 'es', unknown: 'ignored' },
        files: [
          { type: 'application/pdf', sizeBytes: 90_000, digest: await digestOf(one) },
          { type: 'application/pdf', sizeBytes: 10, digest: await digestOf(two) },
        ],
      },
    });
  });

  it('is received from fetch', async () => {
    await open();
    const form = new FormData();
    form.set('clinical_history', 'Made up: a cough');
    form.append('files', new Blob([pdf(50)], { type: 'image/png' }), 'a"b\nc.pdf');
    const response = await fetch(door.url(FORM), { method: 'POST', body: form });
    expect(await response.json()).toMatchObject({
      fields: { clinical_history: 'Made up: a cough' },
      files: [{ type: 'application/pdf', sizeBytes: 50 }],
    });
  });

  it('may have an empty file input', async () => {
    await open();
    expect(await post([field('clinical_history', 'text'), file('files', '', '')])).toMatchObject({
      status: 200,
      body: { files: [] },
    });
  });

  it('may have a file without a name', async () => {
    await open();
    expect(await post([file('files', '', pdf(70_000))])).toMatchObject({ body: { files: [{ sizeBytes: 70_000 }] } });
  });

  it('may have the maximum number of files of the maximum size', async () => {
    await open();
    const answer = await post([1, 2, 3].map((number) => file('files', `${number}.pdf`, pdf(100_000))));
    expect(answer).toMatchObject({ status: 200, body: { files: [{}, {}, {}] } });
  });

  it('is refused with one entry per unusable file, in their order', async () => {
    await open({ maxFiles: 5 });
    const answer = await post([
      file('files', 'fine.pdf', pdf(100)),
      file('files', '../big.pdf', pdf(100_001)),
      file('files', 'page.html', '<html>'),
      file('files', 'empty.pdf', ''),
      file('files', 'fine too.pdf', pdf(100_000)),
    ]);
    expect(answer).toEqual({
      status: 400,
      body: {
        statusCode: 400,
        error: 'Bad Request',
        message: [
          'big.pdf: the file is larger than 100000 bytes',
          'page.html: unsupported file type',
          'empty.pdf: the file is empty',
        ],
      },
    });
  });

  it('is refused with the limit in MB', async () => {
    await open({ maxFileBytes: 1_048_576 });
    const { body } = await post([file('files', 'a.pdf', pdf(1_048_577))]);
    expect(body['message']).toEqual(['a.pdf: the file is larger than 1 MB']);
  });

  it('is refused at the first file too many, before its bytes have arrived', async () => {
    await open();
    const client = await RawClient.connect(door.port);
    client.write(postHead(FORM, 300_000));
    for (const number of [1, 2, 3]) client.write(openPart(file('files', `${number}.pdf`, pdf(1_000))));
    client.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="4.pdf"\r\n\r\n%PDF`);
    const answer = await client.answer();
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).message).toBe('At most 3 files are allowed');
    client.destroy();
  });

  it('is refused without being read if its Content-Length is larger than all files may be together', async () => {
    await open();
    const answer = await rawRequest(door.port, postHead(FORM, 3 * 100_000 + 4 * 1_048_576 + 1));
    expect(answer.status).toBe(400);
    expect(door.failures.at(-1)?.code).toBe('payloadTooLarge');
  });

  it('is refused when it becomes too large without a Content-Length', async () => {
    await open();
    const client = await RawClient.connect(door.port);
    client.write(
      `POST ${FORM} HTTP/1.1\r\nHost: a\r\nContent-Type: ${FORM_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    client.write(
      `100\r\n${openPart(file('files', 'a.pdf', pdf(50)))
        .toString('latin1')
        .slice(0, -2)
        .padEnd(256, 'x')}\r\n`,
    );
    await client.pour(Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`), () => client.received !== '');
    expect((await client.answer()).status).toBe(400);
    expect(door.failures.at(-1)?.code).toBe('payloadTooLarge');
    client.destroy();
  });

  it.each<[string, readonly PartBytes[] | Buffer, string]>([
    ['another field for the file', [file('attachment', 'a.pdf', pdf(50))], 'Files belong in the form field "files"'],
    ['the array field of PHP', [file('files[]', 'a.pdf', pdf(50))], 'Files belong in the form field "files"'],
    ['text in the field for files', [field('files', 'text')], 'must be a file'],
    ['an empty field name', [field('', 'text')], 'has no name'],
    ['a part without a name', [part('Content-Disposition: form-data')], 'has no name'],
    ['a part without a disposition', [part('Content-Type: text/plain')], 'no Content-Disposition'],
    ['a part without headers', [part()], 'no Content-Disposition'],
    ['a field given twice', [field('language', 'en'), field('language', 'es')], 'given twice'],
    ['a nested name', [field('a[b]', 'text')], 'brackets'],
    ['a name nested a thousand times', [field(`a${'[b]'.repeat(1_000)}`, 'text')], 'name of over 200'],
    ['a name of 100 KB', [field('n'.repeat(100_000), 'text')], 'too many or too long headers'],
    [
      '3,000 headers in a part',
      [
        part(
          'Content-Disposition: form-data; name="a"',
          ...Array.from({ length: 3_000 }, (_, index) => `x-${index}: y`),
        ),
      ],
      'too many or too long headers',
    ],
    ['51 text fields', Array.from({ length: 51 }, (_, index) => field(`f${index}`, '')), 'more than 50 text fields'],
    ['a text field over 1 MiB', [field('clinical_history', 'x'.repeat(1_048_577))], 'larger than 1 MB'],
    [
      'text fields over 2 MiB',
      [1, 2, 3].map((number) => field(`f${number}`, 'x'.repeat(900_000))),
      'larger than 2 MB together',
    ],
    ['NUL in a text', [field('clinical_history', 'a\0b')], 'U+0000'],
    ['a text that is not UTF-8', [field('clinical_history', Buffer.from([0x61, 0xff]))], 'not valid UTF-8'],
    [
      'half a surrogate pair in a text',
      [field('clinical_history', Buffer.from([0xed, 0xa0, 0x80]))],
      'not valid UTF-8',
    ],
    [
      'another charset',
      [part('Content-Disposition: form-data; name="a"', 'Content-Type: text/plain; charset=latin1')],
      'charset utf-8',
    ],
    ['no closing boundary', openPart(field('clinical_history', 'text')), 'malformed'],
    [
      'a header followed by half a boundary',
      Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--${BOUNDARY.slice(0, -1)}`,
      ),
      'malformed',
    ],
    [
      'a header followed by its boundary',
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n--${BOUNDARY}--\r\n`),
      'malformed',
    ],
    ['no bytes at all', Buffer.alloc(0), 'malformed'],
  ])('is 400 with a reason for %s', async (_title, given, reason) => {
    await open();
    const body = given instanceof Buffer ? given : formBytes(given as readonly PartBytes[]);
    const answer = await rawRequest(door.port, postHead(FORM, body.length), body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ statusCode: 400, error: 'Bad Request' });
    expect(JSON.parse(answer.body).message).toContain(reason);
    expect(door.failures.at(-1)?.code).toBe('invalidRequest');
  });

  it.each([
    ['no boundary', 'multipart/form-data', 'invalidRequest'],
    ['an empty boundary', 'multipart/form-data; boundary=""', 'invalidRequest'],
    ['a boundary of 71 characters', `multipart/form-data; boundary=${'b'.repeat(71)}`, 'invalidRequest'],
    ['two boundaries', 'multipart/form-data; boundary=a; boundary=b', 'unsupportedMedia'],
    ['another multipart type', 'multipart/mixed; boundary=a', 'unsupportedMedia'],
    ['urlencoded fields', 'application/x-www-form-urlencoded', 'unsupportedMedia'],
  ])('is 400 with %s', async (_title, type, code) => {
    await open();
    const answer = await rawRequest(door.port, postHead(FORM, 3, type), 'a=b');
    expect(answer.status).toBe(400);
    expect(door.failures.at(-1)?.code).toBe(code);
  });

  it('leaves no files behind if the client disconnects in the middle of a file', async () => {
    await open();
    const clients = await Promise.all(Array.from({ length: 8 }, () => RawClient.connect(door.port)));
    for (const client of clients) {
      client.write(postHead(FORM, 90_000));
      client.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n`);
      client.write(pdf(50_000));
    }
    await until(async () => (await door.filesLeft()).length === 8);
    for (const [index, client] of clients.entries()) {
      if (index % 2 === 0) client.reset();
      else client.destroy();
    }
    await until(() => door.failures.length === 8);
    expect(new Set(door.failures.map(({ code }) => code))).toEqual(new Set(['cancelled']));
  });

  it('leaves no files behind if the check fails', async () => {
    const checkAttachment = async () => {
      throw new AppError('internal', 'no child process');
    };
    await open({ checkAttachment });
    expect((await post([file('files', 'a.pdf', pdf(50)), file('files', 'b.pdf', pdf(50))])).status).toBe(500);
  });

  it('has its files checked for its organization, within a processor time of its own for all of them', async () => {
    const seen: Parameters<CheckAttachment>[1][] = [];
    await open({
      checkAttachment: async (_file, request) => {
        seen.push(request);
        return { ok: true, type: 'application/pdf' };
      },
    });
    await post([file('files', 'a.pdf', pdf(50)), file('files', 'b.pdf', pdf(50))]);
    await post([file('files', 'c.pdf', pdf(50))]);
    expect(seen.map(({ owner }) => owner)).toEqual(['clinic', 'clinic', 'clinic']);
    const [first, second, third] = seen.map(({ processorTime }) => processorTime);
    expect(first).toBe(second);
    expect(first).not.toBe(third);
  });

  it('has at most two files checked at once', async () => {
    let running = 0;
    let most = 0;
    await open({
      maxFiles: 10,
      checkAttachment: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return { ok: true, type: 'image/png' };
      },
    });
    await post(Array.from({ length: 10 }, (_, index) => file('files', `${index}.png`, 'png')));
    expect(most).toBe(2);
  });

  it('is refused if its bytes arrive too slowly', async () => {
    await open({
      pace: { deadlineMs: 60_000, minimumRate: { bytesPerSecond: 1_000_000, windowMs: 1_000, graceMs: 100 } },
    });
    const client = await RawClient.connect(door.port);
    client.write(postHead(FORM, 90_000));
    client.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\n`);
    const dripping = setInterval(() => client.write('x'), 5);
    const answer = await client.answer();
    clearInterval(dripping);
    expect(answer.status).toBe(400);
    expect(door.failures.at(-1)?.code).toBe('slowRequest');
    client.destroy();
  });

  it('is refused if it stops arriving', async () => {
    await open({ pace: { deadlineMs: 60_000, minimumRate: { bytesPerSecond: 1_000, windowMs: 50, graceMs: 50 } } });
    const answer = await rawRequest(door.port, postHead(FORM, 90_000));
    expect(JSON.parse(answer.body).message).toBe('The request body came too slowly');
  });

  it('is refused after its deadline, however fast it arrives', async () => {
    await open({ pace: { deadlineMs: 50, minimumRate: { bytesPerSecond: 0, windowMs: 1_000, graceMs: 1_000 } } });
    const answer = await rawRequest(door.port, postHead(FORM, 90_000));
    expect(answer.status).toBe(400);
    expect(door.failures.at(-1)?.code).toBe('slowRequest');
  });
});
