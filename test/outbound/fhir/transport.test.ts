import type http from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it, jest } from '@jest/globals';
import { TransportFailure } from '../../../src/outbound/fhir/transport-failure.ts';
import { holdTimers } from '../../support/held-timers.ts';
import { makeLocalServers, runningTimers } from '../../support/local-servers.ts';
import { until } from '../../support/until.ts';
import { aTransport, failureOf, get } from './transport-stage.ts';

const servers = makeLocalServers();
afterAll(() => servers.close());
afterEach(() => {
  jest.useRealTimers();
});

/** Starts an EHR that records the calls it receives. */
async function anEhrServer(answer: http.RequestListener = (_, response) => response.end('{}')) {
  const calls: { readonly line: string; readonly headers: http.IncomingHttpHeaders; readonly body: string }[] = [];
  const baseUrl = await servers.serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    calls.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    answer(request, response);
  });
  return { baseUrl: `${baseUrl}/fhir/R4`, calls };
}

function post(transport: ReturnType<typeof aTransport>, url = '', signal = new AbortController().signal) {
  return transport.send({ method: 'POST', url, body: '{"a":"ü"}' }, signal);
}

describe('A call of the FHIR transport', () => {
  it('a call goes to the EHR with its credentials, its headers and its bytes', async () => {
    const { baseUrl, calls } = await anEhrServer();
    const auth = { type: 'basic', username: 'chartwright', password: 'p' } as const;
    const headers = {
      'X-Gateway-Key': 'g',
      accept: 'text/plain',
      Host: 'evil.example',
      'Accept-Encoding': 'gzip',
      'Content-Length': '1',
      'Transfer-Encoding': 'chunked',
      Authorization: 'of the settings',
    };
    const transport = aTransport({ baseUrl: `${baseUrl}/`, auth, headers });
    await transport.send(
      {
        method: 'PUT',
        url: 'Condition/1',
        body: '{"a":"ü"}',
        headers: { accept: 'application/fhir+json', 'content-type': 'application/fhir+json', 'if-match': 'W/"2"' },
      },
      new AbortController().signal,
    );
    await post(transport);
    expect(calls.map(({ line, body }) => [line, body])).toEqual([
      ['PUT /fhir/R4/Condition/1', '{"a":"ü"}'],
      ['POST /fhir/R4', '{"a":"ü"}'],
    ]);
    expect(calls[0]?.headers).toEqual({
      'x-gateway-key': 'g',
      accept: 'application/fhir+json',
      'content-type': 'application/fhir+json',
      'if-match': 'W/"2"',
      'accept-encoding': 'identity',
      'content-length': '10',
      authorization: `Basic ${Buffer.from('chartwright:p').toString('base64')}`,
      host: new URL(baseUrl).host,
      connection: 'keep-alive',
    });
  });

  it('a call reuses the connection of the call before', async () => {
    const ports = new Set<number | undefined>();
    const { baseUrl } = await anEhrServer((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    const transport = aTransport({ baseUrl });
    for (let turn = 0; turn < 5; turn += 1) await (await get(transport, 'Patient/1')).text();
    expect(ports.size).toBe(1);
  });

  it('a closed transport leaves no connection open', async () => {
    const sockets = new Set<http.IncomingMessage['socket']>();
    const { baseUrl } = await anEhrServer((request, response) => {
      sockets.add(request.socket);
      response.end('{}');
    });
    const transport = aTransport({ baseUrl });
    await (await get(transport, 'Patient/1')).text();
    transport.close();
    await until(() => [...sockets].every(({ destroyed }) => destroyed));
  });

  it('a call in progress is still answered after the transport is closed', async () => {
    const gate = Promise.withResolvers<void>();
    const { baseUrl, calls } = await anEhrServer(
      (_, response) => void gate.promise.then(() => response.end('{"a":1}')),
    );
    const transport = aTransport({ baseUrl });
    const asked = post(transport);
    await until(() => calls.length === 1);
    transport.close();
    gate.resolve();
    expect(await (await asked).text()).toBe('{"a":1}');
  });

  it('the caller gets every status unchanged', async () => {
    for (const status of [200, 201, 204, 304, 400, 403, 404, 409, 412, 422, 429, 500, 503]) {
      const { baseUrl } = await anEhrServer((_, response) => response.writeHead(status).end());
      expect((await get(aTransport({ baseUrl }), 'Patient/1')).status).toBe(status);
    }
  });

  it('a call with settings that no header can hold is not sent, and the error names the setting', async () => {
    const { baseUrl, calls } = await anEhrServer();
    const badToken = aTransport({ baseUrl, auth: { type: 'bearer', token: 'a\nb' } });
    expect(await failureOf(get(badToken, ''))).toMatchObject({ kind: 'credentials', wasSent: false, isPassing: false });
    const badHeader = aTransport({ baseUrl, headers: { 'x-key': 'a\nb' } });
    const failure = await failureOf(get(badHeader, ''));
    expect(failure).toMatchObject({ kind: 'credentials', wasSent: false, isPassing: false });
    expect(failure.message).toContain('ehr.headers');
    expect(calls).toEqual([]);
  });
});

describe('The link of a recording', () => {
  it('a link leads to another server only if the site lists it, and is called there without credentials of the site', async () => {
    const media = await anEhrServer((_, response) => response.writeHead(401).end());
    const ehr = await anEhrServer();
    const settings = { baseUrl: ehr.baseUrl, auth: { type: 'bearer', token: 't' }, headers: { 'x-key': 'g' } } as const;
    const link = new URL(media.baseUrl);

    const unlisted = aTransport(settings);
    expect(await failureOf(get(unlisted, link.href, { isAttachment: true }))).toMatchObject({
      kind: 'address',
      wasSent: false,
    });
    const listed = aTransport(settings, { attachmentOrigins: [link.origin] });
    expect(await failureOf(get(listed, link.href))).toMatchObject({ kind: 'address', wasSent: false });
    expect(media.calls).toEqual([]);

    expect((await get(listed, link.href, { isAttachment: true, headers: { accept: 'audio/*' } })).status).toBe(401);
    expect(media.calls.map(({ headers }) => headers)).toEqual([
      { accept: 'audio/*', 'accept-encoding': 'identity', host: link.host, connection: 'keep-alive' },
    ]);
    await get(listed, `${ehr.baseUrl}/Binary/1`, { isAttachment: true });
    expect(ehr.calls[0]?.headers).toMatchObject({ authorization: 'Bearer t', 'x-key': 'g' });
  });
});

describe('A call without a complete answer', () => {
  it.each<[string, (socket: import('node:net').Socket) => void]>([
    ['a reset', (socket) => socket.resetAndDestroy()],
    ['a connection that is closed', (socket) => socket.end()],
    ['something that is no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n')],
    ['half a header', (socket) => socket.end('HTTP/1.1 201 Created\r\nloca')],
    ['headers without end', (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(100_000)}\r\n`)],
    ['a status that is none', (socket) => socket.end('HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n')],
  ])('%s is a network failure of a call that the EHR may have processed', async (_, misbehave) => {
    const baseUrl = await servers.serveRaw((socket) => void socket.once('data', () => misbehave(socket)));
    const failure = await failureOf(post(aTransport({ baseUrl })));
    expect(failure).toMatchObject({ wasSent: true, isPassing: true });
    expect(failure.message).toMatch(/^The EHR (cannot be reached, or broke off|gave an answer that is no HTTP)/);
  });

  it('a write on a kept connection that is reset is never repeated by the transport, but a read is', async () => {
    const requests: string[] = [];
    const baseUrl = await servers.serveRaw((socket) => {
      let count = 0;
      socket.on('data', (data) => {
        requests.push(String(data).slice(0, 4).trim());
        count += 1;
        if (count > 1) socket.resetAndDestroy();
        else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      });
    });
    const transport = aTransport({ baseUrl });
    await (await get(transport, 'Patient/1')).text();
    expect(await failureOf(post(transport))).toMatchObject({ kind: 'network', wasSent: true });
    expect(requests).toEqual(['GET', 'POST']);
    await (await get(transport, 'Patient/1')).text();
    expect(await (await get(transport, 'Patient/1')).text()).toBe('{}');
    expect(requests).toEqual(['GET', 'POST', 'GET', 'GET', 'GET']);
  });

  it('a call to an EHR that cannot be reached was not sent', async () => {
    const gone = makeLocalServers();
    const baseUrl = await gone.serve(() => undefined);
    await gone.close();
    expect(await failureOf(post(aTransport({ baseUrl })))).toMatchObject({
      kind: 'network',
      wasSent: false,
      isPassing: true,
      message: 'The EHR cannot be reached',
    });
  });

  it.each(['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH'])('a call that fails with %s was not sent', async (code) => {
    const fetch = () =>
      Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) }));
    const failure = await failureOf(post(aTransport({ baseUrl: 'https://ehr.example.org' }, { fetch })));
    expect(failure).toMatchObject({ kind: 'network', wasSent: false });
    expect(failure.message).not.toContain('example');
  });

  it('a call that fails for an unknown reason may have been processed', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed'));
    expect(await failureOf(post(aTransport({ baseUrl: 'https://ehr.example.org' }, { fetch })))).toMatchObject({
      wasSent: true,
    });
  });

  it('an EHR that takes the request and does not answer is given up after the time of the call', async () => {
    const { baseUrl, calls } = await anEhrServer(() => undefined);
    const timers = runningTimers();
    holdTimers();
    for (const [transport, more] of [
      [aTransport({ baseUrl }, { limits: { answerMs: 5_000 } }), {}],
      [aTransport({ baseUrl }), { timeoutMs: 5_000 }],
    ] as const) {
      const earlier = calls.length;
      const failure = failureOf(get(transport, 'Patient/1', more));
      await until(() => calls.length > earlier);
      jest.advanceTimersByTime(5_000);
      expect(await failure).toMatchObject({
        kind: 'timeout',
        wasSent: true,
        isPassing: true,
        message: 'The EHR did not answer in time',
      });
    }
    expect(calls).toHaveLength(2);
    expect(jest.getTimerCount()).toBe(0);
    await until(() => runningTimers() <= timers);
  });

  it('a stopped call fails as aborted, with the reason of the caller', async () => {
    const reason = new Error('the lease is lost');
    const { baseUrl, calls } = await anEhrServer(() => undefined);
    const transport = aTransport({ baseUrl });
    expect(await failureOf(post(transport, '', AbortSignal.abort(reason)))).toMatchObject({
      kind: 'aborted',
      wasSent: false,
      cause: reason,
    });
    expect(calls).toHaveLength(0);
    const stop = new AbortController();
    const asked = failureOf(post(transport, '', stop.signal));
    await until(() => calls.length === 1);
    stop.abort(reason);
    expect(await asked).toMatchObject({ kind: 'aborted', wasSent: true, cause: reason });
  });
});

describe('The body of an answer', () => {
  const limits = { idleMs: 200, totalMs: 400, minBytesPerMs: 10 };

  it('a body that stops coming is given up', async () => {
    const { baseUrl } = await anEhrServer((_, response) => void response.write('half'));
    const answer = await get(aTransport({ baseUrl }, { limits }), 'Patient/1');
    expect(await failureOf(answer.text())).toMatchObject({ kind: 'timeout', wasSent: true, isPassing: true });
  });

  it('a body that comes byte by byte is given up', async () => {
    let dripping: http.ServerResponse | undefined;
    const { baseUrl } = await anEhrServer((_, response) => {
      dripping = response;
      response.flushHeaders();
    });
    const answer = await get(aTransport({ baseUrl }, { limits }), 'Patient/1');
    const reader = answer.body?.getReader();
    holdTimers();
    // Each pause is shorter than the limit of one, and the first two are shorter than that of all.
    for (let byte = 0; byte < 2; byte += 1) {
      const reading = reader?.read();
      await until(() => jest.getTimerCount() === 1);
      jest.advanceTimersByTime(190);
      dripping?.write('x');
      expect((await reading)?.value).toHaveLength(1);
    }
    const last = failureOf(reader?.read() ?? Promise.resolve());
    await until(() => jest.getTimerCount() === 1);
    jest.advanceTimersByTime(30);
    expect(await last).toMatchObject({ kind: 'timeout', wasSent: true });
  });

  it('a body that its reader reads slowly is not given up', async () => {
    const { baseUrl } = await anEhrServer((_, response) => response.end(Buffer.alloc(1_000_000)));
    holdTimers();
    const quick = { idleMs: 100, totalMs: 100, minBytesPerMs: 1_000_000 };
    const answer = await get(aTransport({ baseUrl }, { limits: quick }), 'Binary/1');
    let sizeBytes = 0;
    for await (const chunk of answer.body ?? []) {
      sizeBytes += chunk.length;
      jest.advanceTimersByTime(250);
    }
    expect(sizeBytes).toBe(1_000_000);
  });

  it('a body that is cut is an error and not a shorter answer', async () => {
    const { baseUrl } = await anEhrServer((_, response) => {
      response.writeHead(201, { 'content-length': 100, location: 'Condition/1' });
      response.write('half', () => response.destroy());
    });
    const answer = await get(aTransport({ baseUrl }), 'Patient/1');
    expect([answer.status, answer.headers.get('location')]).toEqual([201, 'Condition/1']);
    expect(await failureOf(answer.text())).toMatchObject({ kind: 'network', wasSent: true });
  });

  it('reading a body fails with the reason of the caller that stopped the call', async () => {
    const reason = new Error('enough');
    const { baseUrl } = await anEhrServer((_, response) => void response.write('half'));
    const stop = new AbortController();
    const answer = await aTransport({ baseUrl }).send({ method: 'GET', url: 'Patient/1' }, stop.signal);
    const read = failureOf(answer.text());
    stop.abort(reason);
    expect(await read).toMatchObject({ kind: 'aborted', cause: reason });
  });

  it('a compressed body is not read, and the status is still returned', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const { baseUrl } = await anEhrServer((_, response) => {
      response.writeHead(201, { 'content-encoding': 'gzip', location: 'Condition/1' }).end(bomb);
    });
    const answer = await post(aTransport({ baseUrl }));
    expect([answer.status, answer.headers.get('location')]).toEqual([201, 'Condition/1']);
    expect(await failureOf(answer.text())).toMatchObject({ kind: 'answer', wasSent: true });
  });

  it('a reader that leaves a body half read closes the connection', async () => {
    const gone = Promise.withResolvers<void>();
    const { baseUrl } = await anEhrServer((request, response) => {
      request.socket.once('close', () => gone.resolve());
      response.write('first');
    });
    for await (const _ of (await get(aTransport({ baseUrl }), 'Binary/1')).body ?? []) break;
    await gone.promise;
  });
});

it('a failure of the transport contains nothing of the patient, of the credentials or of the answer', async () => {
  const { baseUrl } = await anEhrServer((request) => request.socket.destroy());
  const auth = { type: 'bearer', token: 'very-secret' } as const;
  const failures = [
    await failureOf(get(aTransport({ baseUrl, auth }), 'Patient/smith-77?name=Smith')),
    await failureOf(get(aTransport({ baseUrl, auth }), 'https://evil.example/Patient/smith-77')),
  ];
  for (const failure of failures) {
    expect(failure).toBeInstanceOf(TransportFailure);
    expect(`${failure.message} ${failure.stack}`).not.toMatch(/smith|secret|evil|127\.0\.0\.1/i);
  }
});
