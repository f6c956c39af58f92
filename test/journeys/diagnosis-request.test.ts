// POST /diagnose by docs/service-interface.md: the accepted and the refused requests, in both content types.
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { makeGif, makeJpeg, makePdf, makePng, makeWebp, makeZip } from '../support/file-samples.ts';
import { postForm, postJson, readAll, sendJson } from '../support/journey-client.ts';
import {
  expectDiagnosis,
  expectError,
  filePart,
  HISTORIES,
  HISTORY,
  historyPart,
  openDiagnosisSetup,
} from '../support/journey-diagnosis.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { rawRequest } from '../support/raw-http.ts';

const MEBIBYTE = 1_048_576;

const setup = openedForFile(openDiagnosisSetup);
let engine: Engine;
let key: string;

beforeAll(async () => {
  engine = await setup.startEngine();
  key = await engine.makeKey();
});
afterEach(() => setup.model.behave({ kind: 'answer' }));

function lastQuestion(): string {
  return setup.model.requests.at(-1)?.rawBody ?? '';
}

function modelCalls(): number {
  return setup.model.requests.length;
}

async function sendAs(contentType: string, body: string | Uint8Array<ArrayBuffer>) {
  const headers = { 'x-api-key': key, 'content-type': contentType };
  return readAll(await fetch(`${engine.url}/diagnose`, { method: 'POST', headers, body }));
}

describe('POST /diagnose, the form', () => {
  it('POST /diagnose answers a form with a history alone with 200 and the diagnosis', async () => {
    const answer = await postForm(engine, '/diagnose', key, [historyPart]);
    expectDiagnosis(answer);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('POST /diagnose answers a form with a file alone', async () => {
    expectDiagnosis(await postForm(engine, '/diagnose', key, [filePart('scan.png', makePng())]));
    expect(lastQuestion()).not.toContain(HISTORY);
  });

  it('a form without a history and without a file is 400', async () => {
    const calls = modelCalls();
    const message = expectError(await postForm(engine, '/diagnose', key, [{ name: 'language', value: 'en' }]), 400);
    expect(message).toMatch(/clinical_history.*files/);
    expect(modelCalls()).toBe(calls);
  });

  it('a form without any part is 400', async () => {
    expectError(await sendAs('multipart/form-data; boundary=x', '--x--\r\n'), 400);
  });

  it.each(['', '  \n\t '])('a history that is blank (%j) counts as absent', async (value) => {
    expectError(await postForm(engine, '/diagnose', key, [{ name: 'clinical_history', value }]), 400);
  });

  it('a file input that was left empty in a browser counts as no file', async () => {
    const lines = [
      ...['--x', 'content-disposition: form-data; name="files"; filename=""', 'content-type: application/octet-stream'],
      ...['', '', '--x', 'content-disposition: form-data; name="clinical_history"', '', HISTORY, '--x--', ''],
    ];
    expectDiagnosis(await sendAs('multipart/form-data; boundary=x', lines.join('\r\n')));
  });

  it('the parts of a form may have any order', async () => {
    const parts = [filePart('a.png', makePng()), { name: 'language', value: 'pt' }, historyPart] as const;
    expectDiagnosis(await postForm(engine, '/diagnose', key, parts), 'pt');
    expect(lastQuestion()).toContain(HISTORY);
  });

  it.each(['en', 'es', 'pt'] as const)('language %s of a form is the language of the answer', async (language) => {
    const parts = [
      { name: 'clinical_history', value: HISTORIES[language] },
      { name: 'language', value: language },
    ];
    expectDiagnosis(await postForm(engine, '/diagnose', key, parts), language);
  });

  it.each([undefined, ''])('the answer is in English if the language of a form is %j', async (value) => {
    const parts = value === undefined ? [historyPart] : [historyPart, { name: 'language', value }];
    expectDiagnosis(await postForm(engine, '/diagnose', key, parts), 'en');
  });

  it.each(['de', 'EN', 'english', 'en-US', '1'])(
    'language %s of a form is 400, and the message names the allowed ones',
    async (value) => {
      const message = expectError(
        await postForm(engine, '/diagnose', key, [historyPart, { name: 'language', value }]),
        400,
      );
      expect(message).toMatch(/language.*en, es, pt/);
    },
  );

  it.each([
    ['JPG', 'photo.jpg', makeJpeg(), 'image/jpeg'],
    ['JPEG', 'photo.jpeg', makeJpeg(), 'image/jpeg'],
    ['PNG', 'scan.png', makePng(), 'image/png'],
    ['WEBP', 'scan.webp', makeWebp(), 'image/webp'],
    ['GIF', 'scan.gif', makeGif(), 'image/gif'],
    ['PDF', 'letter.pdf', makePdf(), 'application/pdf'],
  ])('a file of the type %s is accepted and reaches the model unchanged', async (_, name, bytes, type) => {
    expectDiagnosis(await postForm(engine, '/diagnose', key, [filePart(name, bytes, type)]));
    expect(lastQuestion()).toContain(`data:${type};base64,${bytes.toString('base64')}`);
  });

  it('the content of a file decides its type; its name and declared type do not count', async () => {
    expectDiagnosis(
      await postForm(engine, '/diagnose', key, [filePart('scan', makeGif(), 'application/octet-stream')]),
    );
    expect(lastQuestion()).toContain('data:image/gif;base64,');
  });

  it.each([
    ['a text', 'note.txt', Buffer.from('fever and cough')],
    ['an archive', 'scan.zip', makeZip()],
    ['HTML that says it is an image', 'scan.png', Buffer.from('<html><script>alert(1)</script></html>')],
    ['an SVG', 'scan.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a TIFF', 'scan.tiff', Buffer.from('II*\0\x08\0\0\0', 'latin1')],
    ['an empty file', 'scan.pdf', Buffer.alloc(0)],
    ['half an image', 'scan.jpg', makeJpeg().subarray(0, 40)],
    ['an encrypted PDF', 'letter.pdf', makePdf({ encrypted: true })],
    ['a PDF with a script', 'letter.pdf', makePdf({ javascript: true })],
  ])('a file that is %s is 400, and the message names the file', async (_, name, bytes) => {
    const calls = modelCalls();
    const answer = await postForm(engine, '/diagnose', key, [historyPart, filePart(name, bytes, 'image/png')]);
    expect(expectError(answer, 400)).toContain(name);
    expect(modelCalls()).toBe(calls);
  });

  it('an unknown field of a form is ignored', async () => {
    expectDiagnosis(await postForm(engine, '/diagnose', key, [historyPart, { name: 'ward', value: '7' }]));
    expect(lastQuestion()).not.toContain('ward');
  });

  it('a file in another field than files is 400', async () => {
    const part = { name: 'document', bytes: makePng(), fileName: 'a.png' };
    expect(expectError(await postForm(engine, '/diagnose', key, [historyPart, part]), 400)).toContain('files');
  });

  it('a history that is sent twice is 400', async () => {
    expectError(await postForm(engine, '/diagnose', key, [historyPart, historyPart]), 400);
  });

  it.each([
    ['no boundary', 'multipart/form-data', '--x\r\n'],
    [
      'no closing boundary',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb',
    ],
    [
      'a part without a name',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data\r\n\r\nb\r\n--x--\r\n',
    ],
  ])('a form with %s is 400', async (_, contentType, body) => {
    expectError(await sendAs(contentType, body), 400);
  });
});

describe('POST /diagnose, JSON', () => {
  it('POST /diagnose answers a history as JSON like a form', async () => {
    expectDiagnosis(await postJson(engine, '/diagnose', key, { clinical_history: HISTORY }));
  });

  it.each(['en', 'es', 'pt'] as const)('language %s is accepted as JSON, too', async (language) => {
    expectDiagnosis(
      await postJson(engine, '/diagnose', key, { clinical_history: HISTORIES[language], language }),
      language,
    );
  });

  it('an unknown field of JSON is ignored, and so is null for a field that is not filled in', async () => {
    const body = { clinical_history: HISTORY, language: null, ward: { bed: 7 } };
    expectDiagnosis(await postJson(engine, '/diagnose', key, body));
  });

  it('a compressed body is accepted', async () => {
    const body = gzipSync(JSON.stringify({ clinical_history: HISTORY }));
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expectDiagnosis(await readAll(await fetch(`${engine.url}/diagnose`, { method: 'POST', headers, body })));
  });

  it('accents, quotation marks and emoji of a history reach the model unchanged', async () => {
    const history = 'Dor «forte» no peito – 3 días, niño 🫁, 38,5 °C';
    expectDiagnosis(await postJson(engine, '/diagnose', key, { clinical_history: history }));
    expect(lastQuestion()).toContain(history);
  });

  it.each([
    ['no history', {}],
    ['a blank history', { clinical_history: ' ' }],
    ['a number as history', { clinical_history: 7 }],
    ['a list as history', { clinical_history: [HISTORY] }],
    ['half a character in the history', '{"clinical_history": "fever \\ud800"}'],
    ['a NUL in the history', '{"clinical_history": "fever \\u0000"}'],
    ['another language', { clinical_history: HISTORY, language: 'fr' }],
    ['a list at the top', [HISTORY]],
    ['a text at the top', '"fever"'],
    ['no JSON', '{"clinical_history": '],
    ['the same field twice', '{"clinical_history": "a", "clinical_history": "b"}'],
    ['an empty body', ''],
    ['nesting without end', `{"clinical_history": "a", "b": ${'['.repeat(100_000)}`],
  ])('JSON with %s is 400', async (_, body) => {
    const calls = modelCalls();
    expectError(await postJson(engine, '/diagnose', key, body), 400);
    expect(modelCalls()).toBe(calls);
  });

  it('JSON of exactly 1 MB is accepted, and one byte more is 400', async () => {
    const empty = JSON.stringify({ clinical_history: '' });
    const bodyOf = (sizeBytes: number) => JSON.stringify({ clinical_history: 'x'.repeat(sizeBytes - empty.length) });
    expectDiagnosis(await postJson(engine, '/diagnose', key, bodyOf(MEBIBYTE)));
    expect(expectError(await postJson(engine, '/diagnose', key, bodyOf(MEBIBYTE + 1)), 400)).toContain('1 MB');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'multipart/mixed; boundary=x',
  ])('the content type %s is 400', async (contentType) => {
    expectError(await sendAs(contentType, JSON.stringify({ clinical_history: HISTORY })), 400);
  });

  it('a request without a content type is 400', async () => {
    const { port } = new URL(engine.url);
    const head = ['POST /diagnose HTTP/1.1', 'host: localhost', `x-api-key: ${key}`, 'content-length: 2', '', '{}'];
    const { status, body } = await rawRequest(Number(port), head.join('\r\n'));
    expect([status, JSON.parse(body)]).toEqual([
      400,
      expect.objectContaining({ statusCode: 400, error: 'Bad Request' }),
    ]);
  });

  it('no error repeats a text of the request', async () => {
    const secret = 'Jane Q. Example, born 1970';
    for (const body of [{ clinical_history: HISTORY, language: secret }, `{"clinical_history": "${secret}`]) {
      expect((await postJson(engine, '/diagnose', key, body)).text).not.toContain('Example');
    }
  });

  it('the answer of POST /diagnose is JSON and never events, also for a client that accepts a stream', async () => {
    const headers = { accept: 'text/event-stream' };
    const response = await sendJson(engine, '/diagnose', key, { clinical_history: HISTORY }, { headers });
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expectDiagnosis(await readAll(response));
  });

  it('nothing of a history is in the log of the engine', async () => {
    const { stdout, stderr } = engine.output();
    expect(stderr).toContain('"route":"/diagnose"');
    for (const text of [HISTORY, ...Object.values(HISTORIES), 'pneumonia', key])
      expect(stdout + stderr).not.toContain(text);
  });
});
