// Malformed HTTP, sent to a whole engine.
import http from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { formBytes } from '../inbound/http/body/form-bytes.ts';
import {
  AUDIO_PATHS,
  ENDPOINTS,
  expectErrorBody,
  formPieces,
  goodParts,
  HISTORY,
  head,
  JSON_TYPE,
  jsonPieces,
  openTarget,
} from '../support/journey-hostile.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { RawClient } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const target = openedForFile(openTarget);

const GOOD_JSON = JSON.stringify({ clinical_history: HISTORY });
/** One endpoint of each kind. */
const FAMILIES = ['/diagnose', '/transcribe'] as const;

describe.each(FAMILIES)('malformed HTTP at %s', (path) => {
  const keyed = (...headers: readonly string[]) => head(`POST ${path}`, `x-api-key: ${target.key}`, ...headers);

  it('a request with Content-Length and Transfer-Encoding is 400', async () => {
    const request = keyed(`Content-Type: ${JSON_TYPE}`, 'Content-Length: 5', 'Transfer-Encoding: chunked');
    await target.expectRefusal(400, request, '0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  });

  it('a request with two different Content-Lengths is 400', async () => {
    await target.expectRefusal(400, keyed('Content-Length: 5', 'Content-Length: 6'), 'abcdef');
  });

  it('a body with a bad chunk size is 400', async () => {
    const type = path === '/diagnose' ? JSON_TYPE : 'multipart/form-data; boundary=b';
    const request = keyed(`Content-Type: ${type}`, 'Transfer-Encoding: chunked');
    await target.expectRefusal(400, request, '5\r\n--b\r\n\r\nzz\r\nabc\r\n0\r\n\r\n');
  });

  it('a header of 20 KB is 431', async () => {
    await target.expectRefusal(431, keyed(`x-long: ${'a'.repeat(20_000)}`));
  });

  it('an address of 20 KB is 431', async () => {
    await target.expectRefusal(431, head(`POST ${path}?${'a'.repeat(20_000)}`, `x-api-key: ${target.key}`));
  });

  it.each([
    ['NUL', 'x-a: b\0c'],
    ['a bare CR', 'x-a: b\rc: d'],
    ['a line without a colon', 'x-a: b\nc'],
  ])('a header with %s in it is 400', async (_name, header) => {
    await target.expectRefusal(400, keyed(header));
  });

  it('a request without Host is 400', async () => {
    await target.expectRefusal(400, `POST ${path} HTTP/1.1\r\nx-api-key: ${target.key}\r\n\r\n`);
  });

  it('a request in the form of HTTP/0.9 is 400', async () => {
    await target.expectRefusal(400, `GET ${path}\r\n\r\n`);
  });

  it('HTTP/9.9 is 400', async () => {
    await target.expectRefusal(400, keyed().replace('HTTP/1.1', 'HTTP/9.9'));
  });

  it('an unknown method, BREW, is 400', async () => {
    await target.expectRefusal(400, keyed().replace('POST', 'BREW'));
  });

  it.each(['TRACE', 'PUT', 'PATCH', 'DELETE', 'GET'])('the known method %s is 405', async (method) => {
    const { headers } = await target.expectRefusal(405, keyed('Content-Length: 0').replace('POST', method));
    expect(headers.get('allow')).toContain('POST');
  });

  it('the method HEAD is 405 without a body', async () => {
    const answer = await fetch(target.engine.url + path, { method: 'HEAD', headers: { 'x-api-key': target.key } });
    expect([answer.status, answer.headers.get('allow'), await answer.text()]).toEqual([405, 'POST', '']);
  });

  it('a body that ends before its Content-Length closes the connection, and nothing of it is stored', async () => {
    const before = target.vendorCalls();
    const client = await RawClient.connect(target.port);
    const [request, body] = formPieces({ path, key: target.key }, formBytes(goodParts(path)));
    client.write(request);
    client.write(body.subarray(0, 150));
    client.end();
    await client.closed;
    expect(client.received).not.toMatch(/^HTTP\/1\.1 2/);
    await until(async () => (await target.spooledFiles()).length === 0);
    expect(target.vendorCalls()).toBe(before);
  });

  it('10,000 query parameters are 400', async () => {
    await target.expectRefusal(400, head(`POST ${path}?${'a&'.repeat(5_000)}`, `x-api-key: ${target.key}`));
    await target.expectRefusal(431, head(`POST ${path}?${'a&'.repeat(10_000)}`, `x-api-key: ${target.key}`));
  });

  it('Expect: 200-maybe is 417', async () => {
    await target.expectRefusal(417, keyed('Expect: 200-maybe', 'Content-Length: 3'), 'abc');
  });
});

describe('malformed addresses', () => {
  const get = (address: string) => head(`GET ${address}`, `x-api-key: ${target.key}`);

  it('another method than GET on a stream session is 405, and the session remains usable', async () => {
    const prepared = await target.send(
      ...formPieces({ path: '/diagnose/stream/files', key: target.key }, formBytes(goodParts('/diagnose'))),
    );
    const { streamUrl } = JSON.parse(prepared.body) as { readonly streamUrl: string };
    for (const method of ['POST', 'DELETE', 'PUT', 'HEAD']) {
      const answer = await fetch(target.engine.url + streamUrl, { method, headers: { 'x-api-key': target.key } });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET']);
      await answer.text();
    }
    expect((await target.send(get(streamUrl))).status).toBe(200);
  });

  it.each(['/diagnose/stream/%E0%A4%A', '/%E0%A4%A', '/transcribe/%ff'])(
    'a malformed encoding in the path is 400: %s',
    async (address) => {
      await target.expectRefusal(400, get(address));
    },
  );

  it.each(['/diagnose/stream/a%00b', '/transcribe%00', '/diagnose/stream/a%0d%0ab'])(
    '%%00 and line breaks in the path are 400: %s',
    async (address) => {
      await target.expectRefusal(400, get(address));
    },
  );

  it.each(['/diagnose/stream/..%2f..%2fetc%2fpasswd', '/diagnose/stream/..%5c..%5cboot.ini', '/diagnose/../readyz'])(
    'a path that leaves its folder is 404: %s',
    async (address) => {
      const { messages } = await target.expectRefusal(404, get(address));
      expect(messages).not.toContain('passwd');
    },
  );

  it.each([
    ['a word', 'not-an-id'],
    ['a piece of SQL', "a'%20or%201=1"],
    ['a name of prototypes', '__proto__'],
    ['4,000 characters', 'a'.repeat(4_000)],
    ['a UUID with a slip', '00000000-0000-4000-8000-00000000000g'],
  ])('a session id that is invalid is 404: %s', async (_name, id) => {
    await target.expectRefusal(404, get(`/diagnose/stream/${id}`));
  });

  it('an unknown address is 404, and 400 below /transcribe', async () => {
    await target.expectRefusal(404, get('/diagnose/nothing/here'));
    await target.expectRefusal(404, get('/nothing'));
    // Transcription has no 404.
    await target.expectRefusal(400, get('/transcribe/nothing'));
  });
});

describe('many requests on one connection', () => {
  it('a connection is closed in good order after 1,000 requests', async () => {
    const client = await RawClient.connect(target.port);
    for (let sent = 0; sent < 1_000; sent += 100) {
      client.write(head('GET /healthz').repeat(100));
      await until(() => client.received.split('HTTP/1.1 200').length > sent + 100);
    }
    client.write(head('GET /healthz'));
    client.end();
    await client.closed;
    expect(client.received.match(/HTTP\/1\.1 200/g)).toHaveLength(1_000);
    expect(client.received.match(/^connection: close/gim)?.length).toBeGreaterThan(0);
  });

  it('500 pipelined GET requests are all answered, in order', async () => {
    const client = await RawClient.connect(target.port);
    const ids = Array.from({ length: 500 }, (_, index) => `pipelined-${index}`);
    for (const id of ids) {
      client.write(head('GET /diagnose/stream/00000000-0000-4000-8000-000000000000', `x-request-id: ${id}`));
    }
    await client.until(`x-request-id: ${ids.at(-1)}`);
    expect([...client.received.matchAll(/^x-request-id: (\S+)/gim)].map(([, id]) => id)).toEqual(ids);
    expect(client.received.match(/HTTP\/1\.1 401/g)).toHaveLength(500);
    client.destroy();
  });

  it('pipelined POST requests are answered one by one, each with its own answer', async () => {
    const client = await RawClient.connect(target.port);
    const bodies = ['{"clinical_history":""}', '[]', '{'];
    for (const body of bodies) {
      for (const piece of jsonPieces({ path: '/diagnose', key: target.key }, body)) client.write(piece);
    }
    await until(() => client.received.split('"statusCode":400').length === bodies.length + 1);
    client.destroy();
  });
});

describe('the identity of a client', () => {
  it('a forged X-User-Id or X-Organization changes nothing: usage counts for the key', async () => {
    const organization = 'spoofed-clinic';
    const key = await target.engine.makeKey({ organization });
    const pretence = ['X-User-Id: 1', 'X-Organization: test-clinic', 'X-Forwarded-User: admin'];
    const answer = await target.send(...jsonPieces({ path: '/diagnose', key }, GOOD_JSON, ...pretence));
    expect(answer.status).toBe(200);
    expect(await target.engine.ops('GET', `/usage?organization=${organization}`)).toMatchObject({
      usage: [{ organization, operation: 'diagnose', requests: 1 }],
    });
  });

  it('the twenty-first wrong key in a minute is 429 with Retry-After, whatever X-Forwarded-For says', async () => {
    const ask = (index: number) =>
      target.send(
        head(`POST ${AUDIO_PATHS[index % 2]}`, `x-api-key: wrong-${index}`, `X-Forwarded-For: 10.0.0.${index}`),
      );
    for (let index = 1; index <= 20; index += 1) expect((await ask(index)).status).toBe(401);
    const answer = await ask(21);
    expectErrorBody(answer, 429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('a valid key is not stopped by wrong ones from the same address', async () => {
    expect((await target.send(head('POST /diagnose', 'x-api-key: wrong', 'Content-Length: 0'))).status).toBe(429);
    expect((await target.send(...jsonPieces({ path: '/diagnose', key: target.key }, GOOD_JSON))).status).toBe(200);
  });

  it('wrong keys from another address still get 401', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const options = { port: target.port, localAddress: '127.0.0.9', method: 'POST', path: '/diagnose' };
      const request = http.request({ ...options, headers: { 'x-api-key': 'wrong' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.once('error', reject).end();
    });
    expect(status).toBe(401);
  });
});

describe('an engine after malformed HTTP', () => {
  it('an engine is unharmed after all malformed HTTP, and the six endpoints are there', async () => {
    for (const endpoint of ENDPOINTS) {
      expectErrorBody(await target.send(head(endpoint, 'Content-Length: 0')), 401);
    }
    await target.expectUnharmed();
  });
});
