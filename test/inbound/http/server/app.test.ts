import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Router } from 'express';
import { AppError } from '../../../../src/domain/errors.ts';
import { makeApp } from '../../../../src/inbound/http/server/app.ts';
import { makeLogger } from '../../../../src/platform/logger.ts';
import { makeMetrics } from '../../../../src/platform/metrics.ts';
import { makeTracing } from '../../../../src/platform/tracing/tracing.ts';
import { until } from '../../../support/until.ts';

const ORIGIN = 'https://portal.example.org';
const logged: string[] = [];
const metrics = makeMetrics();
const tracing = makeTracing();
let server: http.Server;
let url: string;

function aRouter(path: string, handle: (id: string) => unknown): Router {
  const router = Router();
  router.get(path, (req, res) => void res.json(handle(String(req.params['id']))));
  return router;
}

beforeAll(async () => {
  const app = makeApp({
    routers: {
      health: aRouter('/healthz', () => ({})),
      home: Router(),
      docs: Router(),
      signIn: Router(),
      ops: aRouter('/things/:id', (id) => {
        if (id === 'broken') throw new TypeError('canary of the inside');
        throw new AppError('conflict', 'There is one already');
      }),
      diagnose: Router(),
      transcribe: Router(),
      jobs: Router(),
      launch: Router(),
      review: Router(),
      cds: Router(),
      ehr: Router(),
      device: Router(),
    },
    corsOrigins: [ORIGIN],
    trustProxyHops: 0,
    metrics,
    logger: makeLogger({
      level: 'info',
      traceId: tracing.traceId,
      destination: { write: (line: string) => void logged.push(line) },
    }),
    tracing,
    monotonicMs: () => performance.now(),
  });
  server = http.createServer(app);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(`${url}${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

describe('a request without a route', () => {
  it('is 404 with the body of the service interface', async () => {
    const { status, body } = await ask('/nowhere');
    expect({ status, body }).toEqual({
      status: 404,
      body: { statusCode: 404, message: 'There is nothing here', error: 'Not Found' },
    });
  });

  it.each([
    ['/diagnose', 'GET', 'POST'],
    ['/diagnose/stream', 'PUT', 'POST'],
    ['/diagnose/stream/files', 'DELETE', 'POST'],
    ['/transcribe', 'GET', 'POST'],
    ['/transcribe/conversation', 'OPTIONS', 'POST'],
    ['/healthz', 'POST', 'GET, HEAD'],
    ['/ehr/mercy/jwks.json', 'POST', 'GET, HEAD'],
    ['/diagnose/stream/2f0c5f9e-0000-4000-8000-000000000000', 'HEAD', 'GET'],
  ])('to %s with %s is 405 with the allowed methods', async (path, method, allow) => {
    const { status, headers } = await ask(path, { method });
    expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow });
  });
});

describe('an error of a route', () => {
  it('is answered with its status and message', async () => {
    const { status, body } = await ask('/ops/things/1');
    expect({ status, body }).toEqual({
      status: 409,
      body: { statusCode: 409, message: 'There is one already', error: 'Conflict' },
    });
  });

  it('that is unexpected is 500 without internal details, and the log shows where it was thrown', async () => {
    const { status, body } = await ask('/ops/things/broken', { headers: { 'x-request-id': 'broken-one' } });
    expect({ status, body }).toEqual({
      status: 500,
      body: { statusCode: 500, message: 'Internal server error', error: 'Internal Server Error' },
    });
    const line = logged.find((entry) => entry.includes('broken-one') && entry.includes('"thrown"'));
    expect(line).toContain('"name":"TypeError"');
    expect(logged.join('')).not.toContain('canary');
  });
});

describe('the request metric', () => {
  it('is labelled with the route template, not with the path', async () => {
    await ask('/ops/things/secret-id');
    const { body } = await metrics.text();
    expect(body).toContain('route="/ops/things/:id",method="GET",status="409"');
    expect(body).not.toContain('secret-id');
    expect(logged.join('')).not.toContain('secret-id');
  });
});

describe('the trace of a request', () => {
  const TRACE = '0af7651916cd43dd8448eb211c80319c';
  const lineOf = (requestId: string) =>
    logged.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId);

  it('is that of its sender, and each log line names it', async () => {
    const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
    await ask('/ops/things/broken', { headers: { traceparent, 'x-request-id': 'traced' } });
    await until(() => lineOf('traced').length === 2);
    expect(lineOf('traced')).toMatchObject([
      { msg: 'a request failed', trace_id: TRACE },
      { msg: 'request', trace_id: TRACE },
    ]);
  });

  it('is that in which its CloudEvent arose, if the request names none', async () => {
    const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
    await ask('/healthz', { headers: { 'ce-traceparent': traceparent, 'x-request-id': 'of-event' } });
    await until(() => lineOf('of-event').length === 1);
    expect(lineOf('of-event')[0].trace_id).toBe(TRACE);
  });

  it.each(['', 'not-a-trace', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`])(
    'is a new one for the traceparent %j',
    async (traceparent) => {
      const requestId = `new-${traceparent.length}`;
      await ask('/healthz', { headers: { traceparent, 'x-request-id': requestId } });
      await until(() => lineOf(requestId).length === 1);
      expect(lineOf(requestId)[0].trace_id).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    },
  );
});

describe('a cross-origin request of a browser', () => {
  it('is allowed from a listed origin, with the headers that a client needs', async () => {
    const { headers } = await ask('/healthz', { headers: { origin: ORIGIN } });
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(headers.get('access-control-expose-headers')).toContain('retry-after');
    expect(headers.get('access-control-expose-headers')).toContain('x-chartwright-check, preference-applied');
    const preflight = await ask('/diagnose', {
      method: 'OPTIONS',
      headers: { origin: ORIGIN, 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ');
    expect(allowed).toEqual(expect.arrayContaining(['x-api-key', 'authorization', 'prefer', 'traceparent']));
  });

  it.each(['https://evil.example.org', `${ORIGIN}.evil.org`, 'null'])('is refused from %s', async (origin) => {
    const { headers } = await ask('/healthz', { headers: { origin } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});
