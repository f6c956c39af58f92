import { createHash } from 'node:crypto';
import type http from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { makeHttpFetch } from '../../src/platform/http-fetch.ts';
import { type FinishedSpan, makeTracing } from '../../src/platform/tracing/tracing.ts';
import { audioSha256, audioStream } from '../support/audio-samples.ts';
import { makeLocalServers, pieces } from '../support/local-servers.ts';
import { until } from '../support/until.ts';

// nock takes over all of HTTP as soon as it is imported, and knows no back-pressure: here it is on for one test only.
nock.restore();

describe('Outgoing HTTP', () => {
  const fetch = makeHttpFetch();
  const servers = makeLocalServers();
  const { serve } = servers;
  afterEach(() => servers.close());

  const echo: http.RequestListener = async (request, response) => {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of request) {
      hash.update(chunk);
      sizeBytes += chunk.length;
    }
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, sizeBytes, sha256: hash.digest('hex') }));
  };
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

  it('status, headers and body come back as they were sent', async () => {
    const url = await serve((_, response) => {
      response.writeHead(418, 'Teapot', [
        ['x-one', '1'],
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ] as unknown as http.OutgoingHttpHeaders);
      response.end('short and stout');
    });
    const response = await fetch(url);
    expect([response.status, response.statusText, response.ok, response.url]).toEqual([
      418,
      'Teapot',
      false,
      `${url}/`,
    ]);
    expect(response.headers.get('x-one')).toBe('1');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await response.text()).toBe('short and stout');
  });

  it.each([
    ['a text', () => 'héllo'],
    ['bytes', () => new TextEncoder().encode('héllo')],
    ['a generator', () => pieces(['hé', Buffer.from('llo')])],
    ['a node stream', () => Readable.from([Buffer.from('héllo')])],
    ['a web stream', () => ReadableStream.from(pieces([Buffer.from('hé'), Buffer.from('llo')]))],
    ['a blob', () => new Blob(['héllo'])],
  ])('%s can be the body of a request', async (_, makeBody) => {
    const url = await serve(echo);
    const response = await fetch(url, { method: 'POST', body: makeBody() as never });
    expect(await response.json()).toMatchObject({ method: 'POST', sizeBytes: 6, sha256: sha256('héllo') });
  });

  it('a Request is taken with its method, headers and body', async () => {
    const url = await serve(echo);
    const request = new Request(`${url}/path?q=1`, { method: 'PUT', headers: { 'x-test': 'yes' }, body: 'abc' });
    const answer = await (await fetch(request)).json();
    expect(answer).toMatchObject({ method: 'PUT', url: '/path?q=1', sizeBytes: 3, headers: { 'x-test': 'yes' } });
  });

  it('a stream goes out in chunks, or with the length that the caller announces', async () => {
    const url = await serve(echo);
    const chunked = await fetch(url, { method: 'POST', body: pieces(['abc', '', 'def']) as never });
    expect(await chunked.json()).toMatchObject({ sizeBytes: 6, headers: { 'transfer-encoding': 'chunked' } });
    const headers = { 'content-length': '6' };
    const counted = await fetch(url, { method: 'POST', headers, body: pieces(['abc', 'def', '']) as never });
    expect(await counted.json()).toMatchObject({ sizeBytes: 6, headers });
  });

  it.each(['5', '7'])('a stream of 6 bytes that was announced with %s is an error', async (announced) => {
    const url = await serve(echo);
    const headers = { 'content-length': announced };
    const asked = fetch(url, { method: 'POST', headers, body: pieces(['abc', 'def']) as never });
    await expect(asked).rejects.toBeInstanceOf(TypeError);
  });

  it('no compression is requested', async () => {
    const url = await serve(echo);
    const { headers } = (await (await fetch(url)).json()) as { headers: object };
    expect(headers).not.toHaveProperty('accept-encoding');
  });

  it('a redirect is returned and not followed', async () => {
    const paths: unknown[] = [];
    const url = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect((await fetch(url)).status).toBe(302);
    expect(paths).toEqual(['/']);
  });

  it.each([
    [204, 'POST'],
    [304, 'GET'],
    [200, 'HEAD'],
  ])('an answer %i to %s has no body', async (status, method) => {
    const url = await serve((_, response) => response.writeHead(status).end());
    const response = await fetch(url, { method });
    expect([response.status, response.body]).toEqual([status, null]);
  });

  it('ten megabytes arrive as they were sent', async () => {
    const url = await serve(echo);
    const sizeBytes = 10 * 1_048_576;
    const response = await fetch(url, { method: 'POST', body: audioStream('flac', sizeBytes) as never });
    expect(await response.json()).toMatchObject({ sizeBytes, sha256: audioSha256('flac', sizeBytes) });
  });

  it.each(['ftp://127.0.0.1/', 'file:///etc/hosts', 'not an address'])('%s is not fetched', async (url) => {
    await expect(fetch(url)).rejects.toMatchObject({ name: 'TypeError' });
  });

  it('a request carries the trace of its caller, and its span has no path and no query', async () => {
    const spans: FinishedSpan[] = [];
    const tracing = makeTracing({ exporter: { add: (span) => void spans.push(span) } });
    const traced = makeHttpFetch({ tracing });
    const url = await serve(echo);
    const parent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    const { headers } = await tracing.inSpan({ name: 'caller', parent: { traceparent: parent } }, async () => {
      const response = await traced(`${url}/Patient/canary?name=canary`, { method: 'POST', body: 'canary' });
      return (await response.json()) as { readonly headers: Record<string, string> };
    });
    await until(() => spans.length === 2);
    const span = spans.find(({ kind }) => kind === 'client');
    expect(headers['traceparent']).toBe(`00-${'ab'.repeat(16)}-${span?.spanId}-01`);
    expect(span).toMatchObject({ name: 'POST', isError: false });
    expect(span?.attributes).toEqual({
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(url).port),
      'http.response.status_code': 200,
    });
    expect(JSON.stringify(spans)).not.toContain('canary');
  });

  it('the span of a request that fails names the status, or the code of the network', async () => {
    const spans: FinishedSpan[] = [];
    const traced = makeHttpFetch({ tracing: makeTracing({ exporter: { add: (span) => void spans.push(span) } }) });
    const url = await serve((_, response) => response.writeHead(503).end());
    await (await traced(url)).text();
    await traced('http://127.0.0.1:1').catch(() => undefined);
    await until(() => spans.length === 2);
    expect(spans.map(({ isError, attributes }) => [isError, attributes['error.type']])).toEqual([
      [true, '503'],
      [true, 'ECONNREFUSED'],
    ]);
  });

  it('connections are kept and used again', async () => {
    const ports = new Set<unknown>();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('ok');
    });
    for (let turn = 0; turn < 5; turn += 1) await (await fetch(url, { method: 'POST', body: 'x' })).text();
    expect(ports.size).toBe(1);
  });

  it('an upload of announced length is complete when its last byte is sent, also if its source has not ended', async () => {
    const ports = new Set<unknown>();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      request.resume().once('end', () => response.end('ok'));
    });
    for (let turn = 0; turn < 3; turn += 1) {
      const answered = Promise.withResolvers<void>();
      const body = (async function* () {
        yield 'abc';
        await answered.promise;
      })();
      const headers = { 'content-length': '3' };
      const response = await fetch(url, { method: 'POST', headers, body: body as never });
      expect(await response.text()).toBe('ok');
      answered.resolve();
    }
    expect(ports.size).toBe(1);
  });

  it('nock can stand in for a vendor', async () => {
    nock.activate();
    try {
      const scope = nock('https://vendor.example')
        .post('/v1/say', 'hello', { reqheaders: { 'x-key': 'k' } })
        .reply(201, { said: true }, { 'x-id': '7' });
      const headers = { 'x-key': 'k' };
      const body = pieces(['hel', 'lo']) as never;
      const response = await fetch('https://vendor.example/v1/say', { method: 'POST', headers, body });
      expect([response.status, response.headers.get('x-id'), await response.json()]).toEqual([
        201,
        '7',
        { said: true },
      ]);
      scope.done();
      nock('https://vendor.example').get('/').replyWithError('down');
      await expect(fetch('https://vendor.example/')).rejects.toBeInstanceOf(TypeError);
    } finally {
      nock.cleanAll();
      nock.restore();
    }
  });
});
