import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { RawClient, rawRequest } from '../../../support/raw-http.ts';
import { until } from '../../../support/until.ts';
import { postHead } from './form-bytes.ts';
import { type Door, openDoor } from './upload-door.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
let door: Door;

beforeAll(async () => {
  door = await openDoor();
});
afterAll(() => door.close());

async function post(body: RequestInit['body'], headers: Record<string, string> = JSON_TYPE) {
  const init: RequestInit = { method: 'POST', headers };
  if (body !== undefined && body !== null) init.body = body;
  const response = await fetch(door.url('/diagnose/json'), init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

function lastCode(): string | undefined {
  return door.failures.at(-1)?.code;
}

describe('a JSON body', () => {
  const history = { clinical_history: 'Made up: headache since Monday. Größe 1,70 m 😀', language: 'es' };
  const text = JSON.stringify(history);

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json;',
  ])('is read with the Content-Type %s', async (type) => {
    expect(await post(text, { 'content-type': type })).toEqual({ status: 200, body: history });
  });

  it.each([
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('is read with the Content-Encoding %s', async (encoding, bytes) => {
    expect(await post(bytes, { ...JSON_TYPE, 'content-encoding': encoding })).toEqual({ status: 200, body: history });
  });

  it('is read with exactly 1 MiB', async () => {
    const filler = 'x'.repeat(1_048_576 - '{"a":""}'.length);
    expect((await post(`{"a":"${filler}"}`)).status).toBe(200);
  });

  it('is refused with one byte more before it is sent', async () => {
    const answer = await rawRequest(door.port, postHead('/diagnose/json', 1_048_577, 'application/json'));
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({
      statusCode: 400,
      message: 'The request body is larger than 1 MB',
      error: 'Bad Request',
    });
    expect(lastCode()).toBe('payloadTooLarge');
  });

  it('without a Content-Length is refused at the first byte too many', async () => {
    const client = await RawClient.connect(door.port);
    client.write(
      'POST /diagnose/json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    for (let sent = 0; sent < 17; sent += 1) client.write(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    expect((await client.answer()).status).toBe(400);
    expect(lastCode()).toBe('payloadTooLarge');
    client.destroy();
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(50_000_000))],
    ['br', brotliCompressSync(Buffer.alloc(50_000_000))],
  ])('that is a %s compression bomb is refused after one megabyte is decompressed', async (encoding, bomb) => {
    expect(bomb.length).toBeLessThan(60_000);
    expect((await post(bomb, { ...JSON_TYPE, 'content-encoding': encoding })).status).toBe(400);
    expect(lastCode()).toBe('payloadTooLarge');
  });

  it.each([
    ['an unknown encoding', text, { ...JSON_TYPE, 'content-encoding': 'evil' }],
    ['an encoding named like a member of every object', text, { ...JSON_TYPE, 'content-encoding': 'constructor' }],
    ['two encodings', text, { ...JSON_TYPE, 'content-encoding': 'gzip, gzip' }],
    ['charset utf-7', text, { 'content-type': 'application/json; charset=utf-7' }],
    ['charset utf-16', text, { 'content-type': 'application/json; charset=utf-16' }],
    ['charset latin1', text, { 'content-type': 'application/json; charset=latin1' }],
    ['the type text/plain', text, { 'content-type': 'text/plain' }],
    ['the type of a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a type with the same beginning', text, { 'content-type': 'application/jsonp' }],
    ['a malformed type', text, { 'content-type': 'application/json; charset="utf-8' }],
    ['two charsets', text, { 'content-type': 'application/json; charset=utf-8; charset=utf-7' }],
  ])('with %s is refused as an unsupported media type', async (_title, body, headers) => {
    expect((await post(body, headers)).status).toBe(400);
    expect(lastCode()).toBe('unsupportedMedia');
  });

  it.each([
    ['nothing in it', ''],
    ['malformed JSON', '{"a":'],
    ['an array', '[1]'],
    ['a string', '"text"'],
    ['a number', '7'],
    ['null', 'null'],
    ['100,000 levels', '['.repeat(100_000)],
    ['__proto__', '{"__proto__":{}}'],
    ['the same key twice', '{"a":1,"a":2}'],
    ['half a surrogate pair', '{"a":"\\ud800"}'],
    ['U+0000', '{"a":"\\u0000"}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('with %s is 400 with a reason', async (_title, body) => {
    const answer = await post(body);
    expect(answer).toMatchObject({ status: 400, body: { statusCode: 400, error: 'Bad Request' } });
    expect(lastCode()).toBe('invalidRequest');
  });

  it.each([
    ['not gzip', Buffer.from(text)],
    ['incomplete gzip', gzipSync(text).subarray(0, -9)],
  ])('with Content-Encoding gzip that is %s is 400', async (_title, bytes) => {
    expect((await post(bytes, { ...JSON_TYPE, 'content-encoding': 'gzip' })).status).toBe(400);
    expect(lastCode()).toBe('invalidRequest');
  });

  it('is never quoted in an error', async () => {
    const answer = await post('{"clinical_history":"Jane Roe has a cough",,}');
    expect(JSON.stringify(answer.body)).not.toContain('Jane');
  });

  it('that is incomplete does not reach a handler', async () => {
    const before = door.failures.length;
    const client = await RawClient.connect(door.port);
    client.write(`${postHead('/diagnose/json', 100, 'application/json')}{"a":`);
    client.end();
    await client.closed;
    await until(() => door.failures.length > before);
    expect(client.received).toMatch(/^HTTP\/1\.1 400 /);
    expect(lastCode()).toBe('cancelled');
  });
});

describe('a JSON body that does not arrive', () => {
  let slowDoor: Door | undefined;
  afterEach(() => slowDoor?.close());

  it('is refused after its deadline', async () => {
    slowDoor = await openDoor({ jsonTimeoutMs: 50 });
    const answer = await rawRequest(slowDoor.port, postHead('/diagnose/json', 100, 'application/json'), '{');
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).message).toBe('The request body came too slowly');
    expect(slowDoor.failures.at(-1)?.code).toBe('slowRequest');
  });
});
