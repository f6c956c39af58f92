// Malformed multipart forms, sent to a whole engine. The content of their files is tested in hostile-files.test.ts and hostile-audio.test.ts.
import { describe, expect, it } from '@jest/globals';
import {
  BOUNDARY,
  FORM_TYPE,
  field,
  file,
  formBytes,
  openPart,
  type PartBytes,
  part,
} from '../inbound/http/body/form-bytes.ts';
import { makeAudio } from '../support/audio-samples.ts';
import { makePng } from '../support/file-samples.ts';
import {
  AUDIO_PATHS,
  expectErrorBody,
  FILES_PATHS,
  formPieces,
  goodParts,
  HISTORY,
  openTarget,
} from '../support/journey-hostile.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { RawClient } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const target = openedForFile(openTarget);

const MEBIBYTE = 1_048_576;
const PNG = makePng();
const SOUND = makeAudio('wav', 300_000);

describe.each([...FILES_PATHS, ...AUDIO_PATHS])('hostile forms at %s', (path) => {
  const isAudio = path.startsWith('/transcribe');
  const goodFile = () => (isAudio ? file('file', 'visit.wav', SOUND) : file('files', 'x-ray.png', PNG));
  const to = (type?: string) => ({ path, key: target.key, ...(type !== undefined && { type }) });
  const refuse = (status: number, body: Uint8Array, type?: string) =>
    target.expectRefusal(status, ...formPieces(to(type), body));
  const refuseParts = (...parts: readonly PartBytes[]) => refuse(400, formBytes(parts));

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary=${'b'.repeat(71)}`,
  ])('a form without a usable boundary is 400: %s', async (type) => {
    await refuse(400, formBytes(goodParts(path)), type);
  });

  it('a form that is cut in the middle of its file leaves nothing behind', async () => {
    const before = target.model.requests.length;
    const client = await RawClient.connect(target.port);
    const large = isAudio ? file('file', 'visit.wav', SOUND) : file('files', 'x-ray.png', makePng({ padTo: 300_000 }));
    const [head, body] = formPieces(to(), openPart(large));
    client.write(head.replace(/Content-Length: \d+/, 'Content-Length: 900000'));
    client.write(body);
    await until(async () => (await target.spooledFiles()).length === 1);
    client.reset();
    await until(async () => (await target.spooledFiles()).length === 0);
    expect(target.model.requests).toHaveLength(before);
    expect(await target.preparedStreams()).toBe(0);
  });

  it('a form of the right length without its closing boundary is 400', async () => {
    await refuse(400, Buffer.concat([openPart(goodFile()), openPart(field('language', 'en'))]));
    await refuse(400, openPart(goodFile()));
  });

  it.each([
    ['that ends within its headers', `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file`],
    [
      'that ends behind its headers',
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n`,
    ],
    [
      'whose part has no end of headers',
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n--${BOUNDARY}--\r\n`,
    ],
    ['of nothing but a boundary', `--${BOUNDARY}`],
    ['that is no form', 'clinical_history=a'],
    ['of no bytes', ''],
  ])('a malformed form (CVE-2025-7338) is 400: one %s', async (_name, body) => {
    await refuse(400, Buffer.from(body));
  });

  it.each([
    ['an empty name', [field('', 'text')]],
    ['no name', [part('Content-Disposition: form-data')]],
    ['no Content-Disposition', [part('Content-Type: text/plain')]],
    ['another disposition', [part('Content-Disposition: attachment; name="language"')]],
    ['a control character in its name', [field('lang\tuage', 'en')]],
  ])('a part with %s is 400', async (_name, parts) => {
    await refuseParts(...parts, goodFile());
  });

  it.each(['attachment', 'files[]', 'file ', '__proto__', isAudio ? 'files' : 'file'])(
    'a file in the field "%s" is 400',
    async (name) => {
      await refuseParts(field('language', 'en'), file(name, 'a', isAudio ? SOUND : PNG));
    },
  );

  it('a file field without a file name is 400', async () => {
    await refuseParts(field(isAudio ? 'file' : 'files', 'text'));
  });

  it('fields with brackets in their names are 400', async () => {
    await refuseParts(field(`a${'[b]'.repeat(60)}`, 'text'), goodFile());
    await refuseParts(field('a[b]', 'text'), goodFile());
  });

  it('a field name of 1,000 nested brackets is 400', async () => {
    await refuseParts(field(`a${'[b]'.repeat(1_000)}`, 'text'), goodFile());
  });

  it('a part with 3,000 headers is 400', async () => {
    const headers = Array.from({ length: 3_000 }, (_, index) => `X-${index}: a`);
    await refuseParts({ headers: ['Content-Disposition: form-data; name="language"', ...headers], body: 'en' });
  });

  it('a text field of more than 1 MB is 400, and one of 100 KB is accepted', async () => {
    await refuseParts(field('clinical_history', 'a'.repeat(MEBIBYTE + 1)), goodFile());
    const { messages } = await refuse(
      400,
      formBytes([field('x', 'a'.repeat(100_000)), field('language', 'xx'), goodFile()]),
    );
    expect(messages).toBe('language must be one of en, es, pt');
  });

  it('a form with more than 50 text fields, or with the same field twice, is 400', async () => {
    await refuseParts(...Array.from({ length: 51 }, (_, index) => field(`x${index}`, 'a')), goodFile());
    await refuseParts(field('language', 'en'), field('language', 'es'), goodFile());
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/mixed; boundary=b', 'image/png', ''])(
    'an upload sent as "%s" is refused by its type',
    async (type) => {
      await refuse(isAudio ? 415 : 400, Buffer.from(`clinical_history=${HISTORY}`), type);
    },
  );

  it('a form without a file is 400', async () => {
    const { messages } = await refuseParts(field('language', 'en'));
    expect(messages).toContain('required');
    await refuseParts();
  });

  it('an empty text in place of the file, as some clients send it if no file was chosen, counts as no file', async () => {
    const { messages } = await refuseParts(field('language', 'en'), field(isAudio ? 'file' : 'files', ''));
    expect(messages).toContain('required');
  });

  it('a form with a Content-Encoding, or with a part that has one, is refused', async () => {
    const [head, body] = formPieces(to(), formBytes(goodParts(path)));
    await target.expectRefusal(isAudio ? 415 : 400, head.replace('Host:', 'Content-Encoding: gzip\r\nHost:'), body);
    const base64 = { ...goodFile(), headers: [...goodFile().headers, 'Content-Transfer-Encoding: base64'] };
    await refuseParts(base64);
  });

  it.each([
    ['../../x', 'x'],
    ['C:\\x', 'x'],
    ['/etc/passwd', 'passwd'],
    ['.htaccess', '.htaccess'],
    ['..', 'file 1'],
    [`${'n'.repeat(4_000)}.png`, 'n'.repeat(100)],
    ['a\u202egnp.exe', 'agnp.exe'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ])('the file name %j is only a label in a message', async (name, label) => {
    const status = isAudio ? 415 : 400;
    const answer = await target.send(
      ...formPieces(to(), formBytes([file(isAudio ? 'file' : 'files', name, 'no such')])),
    );
    expect(answer.status).toBe(status);
    const { message } = JSON.parse(answer.body) as { readonly message: string | string[] };
    expect([message].flat()[0]?.split(': ')[0]).toBe(label);
    expect(target.engine.output().stderr).not.toContain(label.slice(0, 40));
  });

  it.each([
    ['of RFC 5987', `filename*=UTF-8''..%2F..%2Fx%00.png`],
    ['of RFC 5987 that is malformed', `filename*=UTF-8''%E0%A4%A`],
    ['with NUL', 'filename="a\0.png"'],
    ['that is no UTF-8', 'filename="a\xff.png"'],
  ])(
    'a file name %s does no harm: its file is accepted, and the name is passed on nowhere',
    async (_name, parameter) => {
      const name = isAudio ? 'file' : 'files';
      const headers = [`Content-Disposition: form-data; name="${name}"; ${parameter}`];
      const parts = [...goodParts(path).slice(0, 1), { headers, body: isAudio ? SOUND : PNG }];
      const answer = await target.send(...formPieces(to(), Buffer.from(formBytes(parts))));
      expect(answer.status).toBe(path === '/diagnose/stream/files' ? 201 : 200);
      for (const spooled of await target.spooledFiles()) expect(spooled).toMatch(/^[0-9a-f]{32}\.spool$/);
      const asked = JSON.stringify(target.model.requests.at(-1)?.body ?? {});
      expect(asked).not.toMatch(/\.\.\/|%2F/);
      if (answer.status === 201) await useSession(answer.body);
    },
  );
});

async function useSession(body: string): Promise<void> {
  const { streamUrl } = JSON.parse(body) as { readonly streamUrl: string };
  const answer = await fetch(target.engine.url + streamUrl, { headers: { 'x-api-key': target.key } });
  expect(answer.status).toBe(200);
  await answer.text();
}

describe('a streamed recording without a closing boundary', () => {
  it.each(AUDIO_PATHS)(
    'a streamed recording without a closing boundary is 400 at %s, and the vendor never gets it whole',
    async (path) => {
      const cut = Buffer.concat([openPart(field('language', 'en')), openPart(file('file', 'visit.wav', SOUND))]);
      const asked = target.model.requests.length;
      expectErrorBody(await target.send(...formPieces({ path, key: target.key }, cut)), 400);
      // The refusal may be faster than the vendor call that was begun, which must not arrive while the next test counts calls.
      await target.untilIdle();
      await target.speech.requests.at(-1)?.closed;
      expect(target.speech.requests.at(-1)?.sha256).toBeUndefined();
      expect(target.model.requests).toHaveLength(asked);
    },
  );
});

describe('too many files', () => {
  it.each([
    ['/diagnose', 10],
    ['/diagnose/stream/files', 5],
  ] as const)('a form at %s with one file more than %i is 400, and no more of it is read', async (path, limit) => {
    const files = Array.from({ length: limit + 1 }, (_, index) => file('files', `${index}.png`, PNG));
    const { messages } = await target.expectRefusal(
      400,
      ...formPieces({ path, key: target.key }, formBytes([field('clinical_history', HISTORY), ...files])),
    );
    expect(messages).toContain(String(limit));
  });

  it.each(AUDIO_PATHS)('a form at %s with a second recording is 400', async (path) => {
    const recording = file('file', 'visit.wav', SOUND);
    const form = formBytes([recording, recording]);
    await target.expectRefusal(400, ...formPieces({ path, key: target.key, type: FORM_TYPE }, form));
  });
});

describe('an engine after hostile forms', () => {
  it('an engine is unharmed after all hostile forms', () => target.expectUnharmed());
});
