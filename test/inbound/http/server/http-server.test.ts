import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { RawClient, rawRequest } from '../../../support/raw-http.ts';
import { until } from '../../../support/until.ts';
import { postHead } from '../body/form-bytes.ts';
import { type Door, type DoorOptions, openDoor } from '../body/upload-door.ts';

const GET = 'GET /items/a HTTP/1.1\r\nHost: a\r\n\r\n';

describe('the HTTP server', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor();
  });
  afterAll(() => door.close());

  it.each([
    [
      'Content-Length and Transfer-Encoding',
      'POST /items/a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'two Content-Lengths',
      'POST /items/a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde',
      400,
    ],
    ['a Content-Length that is not a number', 'POST /items/a HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', 400],
    ['a header of 20 KB', `GET /items/a HTTP/1.1\r\nHost: a\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['an address of 20 KB', `GET /items/${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ['NUL in a header', 'GET /items/a HTTP/1.1\r\nHost: a\r\nx-a: b\0c\r\n\r\n', 400],
    ['a bare CR in a header', 'GET /items/a HTTP/1.1\r\nHost: a\r\nx-a: b\rc: d\r\n\r\n', 400],
    ['HTTP/9.9', 'GET /items/a HTTP/9.9\r\nHost: a\r\n\r\n', 400],
    ['an unknown method', 'BREW /items/a HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['CONNECT', 'CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: a\r\n\r\n', 405],
    [
      'an unknown Expect value',
      'POST /items/a HTTP/1.1\r\nHost: a\r\nExpect: 200-maybe\r\nContent-Length: 3\r\n\r\nabc',
      417,
    ],
    ['bytes that are not HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello', 400],
  ])('answers in JSON and closes the connection after a request with %s', async (_title, request, status) => {
    const client = await RawClient.connect(door.port);
    client.write(request);
    const answer = await client.answer();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(JSON.parse(answer.body)).toMatchObject({
      statusCode: status,
      message: expect.any(String),
      error: expect.any(String),
    });
    client.end();
    await client.closed;
  });

  it('answers 400 to a bad chunk size in a body that is being read', async () => {
    const head =
      'POST /diagnose/json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answer = await rawRequest(door.port, `${head}5\r\n{"a":\r\n`, 'zz\r\n1}\r\n0\r\n\r\n');
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).message).toBe('The request is not valid HTTP');
  });

  it('answers 100 Continue only when the body is read', async () => {
    const expecting = (path: string) =>
      postHead(path, 7, 'application/json').replace('Host:', 'Expect: 100-continue\r\nHost:');
    const refused = await RawClient.connect(door.port);
    refused.write(expecting('/refused'));
    expect((await refused.answer()).status).toBe(401);
    expect(refused.received).not.toContain('100 Continue');
    refused.destroy();

    const read = await RawClient.connect(door.port);
    read.write(expecting('/diagnose/json'));
    await read.until('HTTP/1.1 100 Continue\r\n\r\n');
    read.write('{"a":1}');
    expect((await read.answer()).body).toBe('{"a":1}');
    read.destroy();
  });

  it('answers an upgrade as an ordinary request', async () => {
    const answer = await rawRequest(
      door.port,
      GET.replace('\r\n\r\n', '\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    );
    expect(answer.status).toBe(200);
  });

  it('ignores X-Forwarded headers of a client', async () => {
    const answer = await rawRequest(
      door.port,
      GET.replace('\r\n\r\n', '\r\nX-Forwarded-For: 10.0.0.1\r\nX-User-Id: admin\r\n\r\n'),
    );
    expect(answer.status).toBe(200);
  });

  it('answers 500 pipelined requests in order', async () => {
    const client = await RawClient.connect(door.port);
    for (let index = 0; index < 500; index += 1) client.write(GET.replace('/items/a', `/items/n${index}`));
    await client.until('"n499"');
    const ids = [...client.received.matchAll(/"id":"n(\d+)"/g)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: 500 }, (_, index) => index));
    client.destroy();
  });
});

describe('the limits of the HTTP server', () => {
  let door: Door | undefined;
  const open = async (options: DoorOptions): Promise<Door> => {
    door = await openDoor(options);
    return door;
  };
  afterEach(() => door?.close());

  it('answer 408 if the headers do not arrive', async () => {
    const { port } = await open({ limits: { headersTimeoutMs: 50, requestTimeoutMs: 1_000, checkIntervalMs: 20 } });
    const answer = await rawRequest(port, 'GET /items/a HTTP/1.1\r\nHost: a\r\nx-slow: ');
    expect(answer.status).toBe(408);
    expect(JSON.parse(answer.body)).toMatchObject({ statusCode: 408, error: 'Request Timeout' });
  });

  it('answer 408 if the body does not arrive within the time of the request', async () => {
    const { port, failures } = await open({
      // Long enough for the headers to arrive on a slow machine: if they do not, no request fails.
      limits: { headersTimeoutMs: 1_000, requestTimeoutMs: 1_000, checkIntervalMs: 20 },
    });
    const answer = await rawRequest(port, postHead('/diagnose/json', 100, 'application/json'), '{');
    expect(answer.status).toBe(408);
    await until(() => failures.at(-1)?.code === 'cancelled');
  });

  it('close a connection after its last allowed request', async () => {
    const { port } = await open({ limits: { maxRequestsPerSocket: 3 } });
    const client = await RawClient.connect(port);
    for (let index = 0; index < 3; index += 1) {
      client.write(GET.replace('/items/a', `/items/n${index}`));
      await client.until(`"n${index}"`);
    }
    client.end();
    await client.closed;
    expect(client.received.match(/connection: close/gi)).toHaveLength(1);
  });

  it('close a connection that exceeds the maximum number', async () => {
    const { port } = await open({ limits: { maxConnections: 1 } });
    const first = await RawClient.connect(port);
    first.write(GET);
    await first.answer();
    const second = await RawClient.connect(port);
    await second.closed;
    expect(second.received).toBe('');
    first.destroy();
  });

  it('write no error into an answer that has started', async () => {
    const { port } = await open({
      addRoutes: (app) => {
        app.post('/begun', (req, res) => {
          req.resume();
          res.write('half');
        });
      },
    });
    const client = await RawClient.connect(port);
    client.write('POST /begun HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    await client.until('half');
    client.write('not a chunk\r\n');
    await client.closed;
    expect(client.received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});
