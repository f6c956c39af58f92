// Stops of the engine: open requests finish, new ones are refused, and the database ends last. The `error` event of a stream that is longer than
// the grace period of 15 s is tested with shorter times (test/platform/shutdown.test.ts,
// test/inbound/http/server/open-streams.test.ts).
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { field, file, formBytes } from '../inbound/http/body/form-bytes.ts';
import { makeAudio } from '../support/audio-samples.ts';
import { type DeepgramServer, startDeepgramServer } from '../support/deepgram-server.ts';
import { sendJson } from '../support/journey-client.ts';
import { type FollowedStream, untilFirstEvent } from '../support/journey-diagnosis.ts';
import { makeSite, type RunningEngine, type Site } from '../support/journey-engine.ts';
import { formPieces, HISTORY, head, jsonPieces } from '../support/journey-hostile.ts';
import { makeGate, type OpenAiServer, startOpenAiServer } from '../support/openai-server.ts';
import { RawClient } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

let site: Site;
let model: OpenAiServer;
let speech: DeepgramServer;
let engine: RunningEngine;
let url: string;
let port: number;

beforeAll(async () => {
  [site, model, speech] = await Promise.all([makeSite(), startOpenAiServer(), startDeepgramServer()]);
});
afterAll(async () => {
  await Promise.all([model?.close(), speech?.close()]);
  await site?.remove();
});

const start = async () => {
  engine = site.start({ OPENAI_BASE_URL: model.baseUrl, DEEPGRAM_BASE_URL: speech.baseUrl });
  ({ url, port } = await engine.ready());
};

const makeKey = async (organization: string) =>
  ((await site.ops(url, 'POST', '/keys', { organization, plan: 'unlimited' })) as { readonly key: string }).key;

type Work = {
  readonly stream: FollowedStream;
  readonly openGate: () => void;
  readonly upload: RawClient;
  readonly finishUpload: () => void;
};

/** Opens a stream whose model has begun to answer, and an upload that is half sent. */
async function beginWork(key: string): Promise<Work> {
  const gate = makeGate();
  model.next({ kind: 'answer', gate });
  const stream = await untilFirstEvent(sendJson({ url }, '/diagnose/stream', key, { clinical_history: HISTORY }), gate);
  const form = formBytes([field('language', 'en'), file('file', 'visit.wav', makeAudio('wav', 400_000))]);
  const [request, body] = formPieces({ path: '/transcribe', key }, form);
  const calls = speech.requests.length;
  const upload = await RawClient.connect(port);
  upload.write(request);
  upload.write(body.subarray(0, 200_000));
  await until(() => (speech.requests[calls]?.receivedBytes ?? 0) > 0);
  return { stream, openGate: gate.openAll, upload, finishUpload: () => upload.write(body.subarray(200_000)) };
}

async function expectWorkDone({ stream, upload }: Work): Promise<void> {
  expect((await stream.ended).at(-1)?.event).toBe('final');
  const answer = await upload.answer();
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body)).toHaveProperty('note.sections');
  upload.end();
}

const isStopping = () => until(() => engine.output().stderr.includes('shutting down: open requests may finish'));

function connectionFails(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => socket.destroy());
    socket.once('error', () => undefined);
    socket.once('close', (hadError) => resolve(hadError));
  });
}

describe.each(['SIGTERM', 'SIGINT'] as const)('an engine that is stopped by %s', (signal) => {
  it('an engine that is stopped finishes open streams and uploads, refuses new requests, and stops its database', async () => {
    await start();
    const organization = `closed-by-${signal}`;
    const key = await makeKey(organization);
    const work = await beginWork(key);
    const busy = await RawClient.connect(port);
    const gate = makeGate();
    model.next({ kind: 'answer', gate });
    for (const piece of jsonPieces({ path: '/diagnose', key }, JSON.stringify({ clinical_history: HISTORY }))) {
      busy.write(piece);
    }
    await until(() => model.openCalls() === 2);
    // Browsers and load balancers open such connections in advance.
    const silent = await RawClient.connect(port);

    engine.signal(signal);
    await isStopping();
    await until(connectionFails);
    await silent.closed;
    expect(work.stream.events.at(-1)?.event).toBe('partial');
    // A second request on a connection whose first request is still running.
    busy.write(head('GET /readyz'));
    for (const path of ['/diagnose', '/transcribe']) {
      busy.write(head(`POST ${path}`, `x-api-key: ${key}`, 'Content-Length: 0'));
    }
    expect(engine.hasExited()).toBe(false);
    gate.openAll();
    work.openGate();
    work.finishUpload();
    await expectWorkDone(work);
    await busy.closed;
    const answers = busy.received
      .split(/(?=HTTP\/1\.1 )/)
      .map((answer) => [
        Number(answer.slice(9, 12)),
        JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Record<string, unknown>,
      ]);
    expect(answers).toMatchObject([
      [200, { triage: {} }],
      [503, { status: 'down' }],
      [429, { statusCode: 429, message: expect.stringContaining('restarting') }],
      [503, { statusCode: 503, message: expect.stringContaining('restarting') }],
    ]);

    expect(await engine.exited).toBe(0);
    expect(await site.databaseProcesses()).toEqual([]);
    expect(engine.output().stderr).not.toMatch(/"level":(40|50|60)/);
  });

  it('an engine that was stopped starts again at once and has recorded what finished during the stop', async () => {
    await start();
    const { usage } = (await site.ops(url, 'GET', `/usage?organization=closed-by-${signal}`)) as {
      readonly usage: readonly { readonly operation: string; readonly requests: number; readonly failures: number }[];
    };
    const counts = usage.map(({ operation, requests, failures }) => [operation, requests, failures]).sort();
    expect(counts).toEqual([
      ['diagnose', 1, 0],
      ['diagnose-stream', 1, 0],
      ['transcribe', 1, 0],
    ]);
    engine.signal('SIGTERM');
    expect(await engine.exited).toBe(0);
  });
});

describe('Ctrl-C at a terminal, which reaches the whole process group', () => {
  it('Ctrl-C at a terminal ends the engine in order: the database stays as long as a request needs it', async () => {
    await start();
    const key = await makeKey('terminal-clinic');
    const postmaster = await site.postmaster();
    const work = await beginWork(key);
    engine.signalGroup('SIGINT');
    await isStopping();
    expect(await site.databaseProcesses()).toContain(postmaster);
    engine.signalGroup('SIGINT');
    work.openGate();
    work.finishUpload();
    await expectWorkDone(work);
    expect(await engine.exited).toBe(0);
    expect(await site.databaseProcesses()).toEqual([]);
    expect(engine.output().stderr).not.toMatch(/"level":(40|50|60)/);
    await start();
    expect(await site.ops(url, 'GET', '/usage?organization=terminal-clinic')).toMatchObject({
      usage: expect.arrayContaining([expect.objectContaining({ operation: 'transcribe', requests: 1, failures: 0 })]),
    });
  });
});

describe('an engine that is stopped while it is starting', () => {
  /** The signs of progress in the order of a first start. */
  const signs = ['lock', 'master.key', 'postgres/PG_VERSION', 'postgres.log', 'postgres/postmaster.pid'];
  it.each(signs.flatMap((sign) => [['SIGTERM', sign] as const, ['Ctrl-C', sign] as const]))(
    'an engine that is stopped while it is starting leaves no database behind, exits with 0, and opens again (%s as soon as there is %s)',
    async (way, sign) => {
      const fresh = await makeSite();
      try {
        const first = fresh.start();
        await until(() => existsSync(path.join(fresh.dataDir, sign)) || first.output().stdout !== '');
        if (way === 'SIGTERM') first.signal('SIGTERM');
        else first.signalGroup('SIGINT');
        expect(await first.exited).toBe(0);
        expect(await fresh.databaseProcesses()).toEqual([]);
        const second = fresh.start();
        await second.ready();
        second.signal('SIGTERM');
        expect(await second.exited).toBe(0);
      } finally {
        await fresh.remove();
      }
    },
  );
});
