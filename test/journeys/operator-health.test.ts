// The health of the engine for supervisors, load balancers and Prometheus, and the id of each request. The database is reached through a
// socket that a test can close and open again.
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readinessResponse } from '../../src/wire/readiness.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { makePdf } from '../support/file-samples.ts';
import { postJson } from '../support/journey-client.ts';
import {
  type Clinic,
  CONVERSATION_PATH,
  expectError,
  NOTE_PATH,
  openClinic,
  recordingPart,
  sendRecording,
} from '../support/journey-upload.ts';
import { makeGate } from '../support/openai-server.ts';
import { makeMigratedDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

type Target = { readonly url: string };

async function readinessOf({ url }: Target) {
  const response = await fetch(`${url}/readyz`);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const { status, components } = readinessResponse.strict().parse(await response.json());
  return { code: response.status, status, components };
}

async function metricsOf({ url }: Target): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

/** The value of the sample with exactly these labels; undefined if there is none. */
function sampleIn(metrics: string, name: string): number | undefined {
  const line = metrics.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

const requestsOf = (route: string, method: string, status: number): string =>
  `chartwright_http_requests_total{route="${route}",method="${method}",status="${status}"}`;

describe('a healthy engine', () => {
  let clinic: Clinic;
  beforeAll(async () => {
    clinic = await openClinic();
  });
  afterAll(() => clinic?.close());

  it.each(['GET', 'HEAD'])('%s /healthz is 200 without a key', async (method) => {
    const response = await fetch(`${clinic.engine.url}/healthz`, { method });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(method === 'GET' ? '{"status":"ok"}' : '');
  });

  it('/readyz is 200 and ok, with a line for each component', async () => {
    const { code, status, components } = await readinessOf(clinic.engine);
    expect({ code, status }).toEqual({ code: 200, status: 'ok' });
    const names = components.map(({ name }) => name).toSorted();
    expect(names).toEqual([
      'charts',
      'database',
      'disk',
      'events',
      'keys',
      'mappings',
      'outcomes',
      'reasoner',
      'runs',
      'speech',
    ]);
    expect(new Set(components.map((component) => component.status))).toEqual(new Set(['ok']));
  });

  it('/readyz makes no call to a vendor', async () => {
    const calls = [clinic.model.requests.length, clinic.speech.requests.length];
    await readinessOf(clinic.engine);
    expect([clinic.model.requests.length, clinic.speech.requests.length]).toEqual(calls);
  });

  it.each(['/healthz', '/readyz', '/metrics'])('%s answers 405 to a POST', async (path) => {
    expect((await fetch(`${clinic.engine.url}${path}`, { method: 'POST' })).status).toBe(405);
  });

  it('/metrics counts requests by route template, method and status', async () => {
    await sendRecording(clinic, NOTE_PATH);
    await sendRecording(clinic, NOTE_PATH, {}, recordingPart(makePdf()));
    await fetch(`${clinic.engine.url}/diagnose/stream/made-up-session`, { headers: { 'x-api-key': clinic.key } });
    await fetch(`${clinic.engine.url}/made-up-address`);
    await until(async () => {
      const metrics = await metricsOf(clinic.engine);
      return sampleIn(metrics, requestsOf('none', 'GET', 404)) === 1;
    });
    const metrics = await metricsOf(clinic.engine);
    expect(sampleIn(metrics, requestsOf('/transcribe', 'POST', 200))).toBe(1);
    expect(sampleIn(metrics, requestsOf('/transcribe', 'POST', 415))).toBe(1);
    expect(sampleIn(metrics, requestsOf('/diagnose/stream/:sessionId', 'GET', 404))).toBe(1);
    expect(metrics).not.toMatch(/made-up-(session|address)/);
    const { headers } = await fetch(`${clinic.engine.url}/metrics`);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  });

  it('/metrics counts calls to vendors by their outcome', async () => {
    const callsOf = (vendor: string, operation: string, outcome: string, metrics: string): number =>
      sampleIn(
        metrics,
        `chartwright_vendor_call_duration_seconds_count{vendor="${vendor}",operation="${operation}",outcome="${outcome}"}`,
      ) ?? 0;
    const before = await metricsOf(clinic.engine);
    expect((await sendRecording(clinic, NOTE_PATH)).status).toBe(200);
    clinic.speech.behave({ kind: 'status', status: 401 });
    expectError(await sendRecording(clinic, CONVERSATION_PATH), 503);
    clinic.calmDown();
    const after = await metricsOf(clinic.engine);
    const grown = (vendor: string, operation: string, outcome: string) =>
      callsOf(vendor, operation, outcome, after) - callsOf(vendor, operation, outcome, before);
    expect(grown('deepgram', 'transcribe', 'success')).toBe(1);
    expect(grown('deepgram', 'transcribe', 'vendorRejected')).toBe(1);
    const model = [...after.matchAll(/_seconds_count\{vendor="openai",operation="([\w-]+)",outcome="success"\} \d+/g)];
    expect(model.length).toBeGreaterThan(0);
  });

  it('/metrics has the number of open streams', async () => {
    const gate = makeGate();
    clinic.model.next({ kind: 'answer', gate, chunkChars: 8 });
    const opening = postJson(clinic.engine, '/diagnose/stream', clinic.key, { clinical_history: 'Cough for a week.' });
    await until(async () => sampleIn(await metricsOf(clinic.engine), 'chartwright_streams_open') === 1);
    gate.openAll();
    expect((await opening).status).toBe(201);
    await until(async () => sampleIn(await metricsOf(clinic.engine), 'chartwright_streams_open') === 0);
  });

  it('/metrics has the lag of the event loop, memory and uploads in flight', async () => {
    const metrics = await metricsOf(clinic.engine);
    expect(sampleIn(metrics, 'nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
    expect(sampleIn(metrics, 'process_resident_memory_bytes')).toBeGreaterThan(0);
    expect(sampleIn(metrics, 'chartwright_uploads_in_flight')).toBe(0);
  });
});

describe('request ids', () => {
  let clinic: Clinic;
  beforeAll(async () => {
    clinic = await openClinic();
  });
  afterAll(() => clinic?.close());

  const idOf = async (given?: string): Promise<string> => {
    const headers: Record<string, string> = given === undefined ? {} : { 'x-request-id': given };
    const response = await fetch(`${clinic.engine.url}${NOTE_PATH}`, { method: 'POST', headers });
    return response.headers.get('x-request-id') ?? '';
  };

  it('each answer has a request id of its own, also an error', async () => {
    const ids = [await idOf(), await idOf()];
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(2);
  });

  it('a request id of the client is returned and is in the log', async () => {
    expect(await idOf('ward-3.visit_7')).toBe('ward-3.visit_7');
    await until(() => clinic.engine.output().stderr.includes('"requestId":"ward-3.visit_7"'));
  });

  it.each(['has blanks', 'a'.repeat(129), 'quote"', '{}', 'ä'])(
    'an invalid request id of the client (%s) is replaced',
    async (given) => {
      expect(await idOf(given)).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it('a log line is JSON with route, method, status and duration', async () => {
    await idOf('for-the-log');
    const find = () =>
      clinic.engine
        .output()
        .stderr.split('\n')
        .find((line) => line.includes('for-the-log'));
    await until(() => find() !== undefined);
    expect(JSON.parse(find() ?? '')).toMatchObject({
      route: '/transcribe',
      method: 'POST',
      status: 401,
      durationMs: expect.any(Number),
    });
  });
});

type Proxy = {
  readonly connectionString: string;
  readonly cut: () => void;
  readonly mend: () => void;
  readonly close: () => Promise<void>;
};

/** A proxy between the engine and its database. While it is cut, every connection ends at once. */
async function openProxy(connectionString: string): Promise<Proxy> {
  const target = new URL(connectionString);
  const sockets = new Set<net.Socket>();
  let isCut = false;
  const server = net.createServer((socket) => {
    if (isCut) return void socket.destroy();
    const onward = net.connect(Number(target.port), target.hostname);
    for (const end of [socket, onward]) {
      sockets.add(end);
      end
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(end);
          socket.destroy();
          onward.destroy();
        });
    }
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = new URL(connectionString);
  own.hostname = '127.0.0.1';
  own.port = String((server.address() as AddressInfo).port);
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    connectionString: own.href,
    cut: () => {
      isCut = true;
      endAll();
    },
    mend: () => {
      isCut = false;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      endAll();
      await closed;
    },
  };
}

describe('an engine without its database', () => {
  let engine: Engine | undefined;
  let proxy: Proxy | undefined;
  let drop: (() => Promise<void>) | undefined;
  let url = '';
  let key = '';

  beforeAll(async () => {
    const database = await makeMigratedDatabase();
    drop = database.drop;
    proxy = await openProxy(database.connectionString);
    engine = await startEngine({ env: { DATABASE_URL: proxy.connectionString } });
    ({ url } = engine);
    key = await engine.makeKey();
    proxy.cut();
  });
  afterAll(async () => {
    proxy?.mend();
    await engine?.stop();
    await proxy?.close();
    await drop?.();
  });

  it('/readyz is 503 and down without the database, and says where to look', async () => {
    const { code, status, components } = await readinessOf({ url });
    expect({ code, status }).toEqual({ code: 503, status: 'down' });
    expect(components).toContainEqual({
      name: 'database',
      status: 'down',
      detail: expect.stringContaining('DATABASE_URL'),
    });
  });

  it('/healthz is 200 without the database, because the process lives and a restart would not help', async () => {
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('a transcription is 503 without the database, with the body of the service interface and no internal details', async () => {
    const answer = await sendRecording({ engine: { url } as Engine, key }, NOTE_PATH);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(expectError(answer, 503)).not.toMatch(/127\.0\.0\.1|postgres|ECONN|test_/i);
  });

  it('/readyz is 200 again after the database is back, and keys are known without a restart', async () => {
    proxy?.mend();
    await until(async () => (await readinessOf({ url })).code === 200);
    // This engine has no speech vendor: a 503 that names its setting shows that the key was accepted.
    const message = expectError(await sendRecording({ engine: { url } as Engine, key }, NOTE_PATH), 503);
    expect(message).toContain('DEEPGRAM_API_KEY');
  });
});
