// A whole engine with simulated vendors, for requests that no honest client sends: the expected form of each refusal, and the expected state
// of the engine after all of them.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@jest/globals';
import pg from 'pg';
import { errorResponse } from '../../src/inbound/http/api/response-schemas.ts';
import { field, file, formBytes, type PartBytes, postHead } from '../inbound/http/body/form-bytes.ts';
import { makeAudio } from './audio-samples.ts';
import { type DeepgramServer, startDeepgramServer } from './deepgram-server.ts';
import { type Engine, startEngine } from './engine.ts';
import { makePdf, makePng } from './file-samples.ts';
import { type OpenAiServer, startOpenAiServer } from './openai-server.ts';
import { makeMigratedDatabase } from './postgres.ts';
import { type RawAnswer, rawRequest } from './raw-http.ts';
import { until } from './until.ts';

export type Target = {
  readonly engine: Engine;
  readonly port: number;
  readonly key: string;
  readonly model: OpenAiServer;
  readonly speech: DeepgramServer;
  readonly send: (...pieces: readonly (string | Uint8Array)[]) => Promise<RawAnswer>;
  /** Expects this status in JSON, without internal details, and no call to a vendor. Returns the messages. */
  readonly expectRefusal: (status: number, ...pieces: readonly (string | Uint8Array)[]) => Promise<RefusedAnswer>;
  readonly vendorCalls: () => number;
  readonly spooledFiles: () => Promise<readonly string[]>;
  readonly preparedStreams: () => Promise<number>;
  /** Resolves when no upload is in progress any more, and no vendor call either. */
  readonly untilIdle: () => Promise<void>;
  /** Expects the same process, idle, without remains of refused requests, and good requests work. */
  readonly expectUnharmed: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type RefusedAnswer = RawAnswer & { readonly messages: string };

export const JSON_TYPE = 'application/json';
export const HISTORY = 'Man of 61 years, crushing chest pain for an hour, sweating, pain in the left arm.';
export const JSON_PATHS = ['/diagnose', '/diagnose/stream'] as const;
export const FILES_PATHS = ['/diagnose', '/diagnose/stream/files'] as const;
export const AUDIO_PATHS = ['/transcribe', '/transcribe/conversation'] as const;
export const ENDPOINTS = [
  'POST /diagnose',
  'POST /diagnose/stream',
  'POST /diagnose/stream/files',
  'GET /diagnose/stream/00000000-0000-4000-8000-000000000000',
  'POST /transcribe',
  'POST /transcribe/conversation',
] as const;

/** `env` has further settings of the engine. */
export async function openTarget(env: Readonly<Record<string, string>> = {}): Promise<Target> {
  const { connectionString, drop } = await makeMigratedDatabase();
  const [model, speech] = await Promise.all([startOpenAiServer(), startDeepgramServer()]);
  const vendors = { OPENAI_BASE_URL: model.baseUrl, DEEPGRAM_BASE_URL: speech.baseUrl };
  const closeVendors = async () => {
    await Promise.all([model.close(), speech.close()]);
    await drop();
  };
  const engine = await startEngine({ env: { DATABASE_URL: connectionString, ...vendors, ...env } }).catch(
    async (thrown) => {
      await closeVendors();
      throw thrown;
    },
  );
  const key = await engine.makeKey();
  const port = Number(new URL(engine.url).port);
  const send: Target['send'] = (...pieces) => rawRequest(port, ...pieces);
  const vendorCalls = () => model.requests.length + speech.requests.length;
  const spooledFiles = () => readdir(path.join(engine.dataDir, 'spool'));
  const preparedStreams = () =>
    countRows(connectionString, 'select count(*)::int as count from prepared_streams where used_at is null');
  const isDiskLow = env['MIN_FREE_DISK_MIB'] !== undefined;
  await sendGoodRequests({ send, key, isDiskLow });
  const started = await startOf(engine.pid);
  const descriptorsBefore = await countDescriptors(engine.pid);

  return {
    engine,
    port,
    key,
    model,
    speech,
    send,
    vendorCalls,
    spooledFiles,
    preparedStreams,
    async expectRefusal(status, ...pieces) {
      const before = vendorCalls();
      const answer = await send(...pieces);
      const messages = expectErrorBody(answer, status);
      expect(vendorCalls()).toBe(before);
      return { ...answer, messages };
    },
    async untilIdle() {
      const metrics = async () => (await fetch(`${engine.url}/metrics`)).text();
      await until(async () => /^chartwright_uploads_in_flight 0$/m.test(await metrics()));
    },
    async expectUnharmed() {
      await sendGoodRequests({ send, key, isDiskLow });
      expect(await startOf(engine.pid)).toBe(started);
      await until(async () => (await spooledFiles()).length === 0);
      await until(async () => (await childrenOf(engine.pid)).length === 0);
      await until(async () => (await countDescriptors(engine.pid)) <= descriptorsBefore);
      expect(await preparedStreams()).toBe(0);
      const metrics = await (await fetch(`${engine.url}/metrics`)).text();
      expect(metrics).toMatch(/^chartwright_streams_open 0$/m);
      expect(metrics).toMatch(/^chartwright_uploads_in_flight 0$/m);
      expectNoErrorLogged(engine);
    },
    async close() {
      // A vendor that hangs would hold the engine's last requests, so it is closed first.
      await closeVendorsFirst();
    },
  };

  async function closeVendorsFirst(): Promise<void> {
    await Promise.all([model.close(), speech.close()]);
    await engine.stop();
    await drop();
  }
}

/** Expects the error body of the service interface and nothing else: no stack, no page, no internal details. */
export function expectErrorBody(answer: RawAnswer, status: number): string {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.has('x-powered-by')).toBe(false);
  const body = errorResponse.strict().parse(JSON.parse(answer.body));
  expect(body.statusCode).toBe(status);
  const messages = [body.message].flat().join('\n');
  expect(messages).not.toMatch(/<\/?[a-z]+>|\bat .*:\d+|node_modules|\.[jt]s\b|Error:|SELECT|chartwright-engine/);
  expect(messages.length).toBeLessThan(5_000);
  return messages;
}

/** Expects log lines only, and none about an unexpected failure. */
function expectNoErrorLogged(engine: Pick<Engine, 'output'>): void {
  const lines = engine.output().stderr.split('\n').filter(Boolean);
  const bad = lines.filter((line) => !line.startsWith('{') || Number(/"level":(\d+)/.exec(line)?.[1] ?? 60) >= 50);
  expect(bad).toEqual([]);
}

// Requests:

export function head(requestLine: string, ...headers: readonly string[]): string {
  return [`${requestLine} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');
}

export type Sending = { readonly path: string; readonly key: string; readonly type?: string };

/** Further headers are before the body. */
export function jsonPieces(
  { path: to, key, type = JSON_TYPE }: Sending,
  body: string | Uint8Array,
  ...headers: readonly string[]
): [string, Uint8Array] {
  const bytes = Buffer.from(body);
  const all = [`x-api-key: ${key}`, `Content-Type: ${type}`, `Content-Length: ${bytes.length}`, ...headers];
  return [head(`POST ${to}`, ...all), bytes];
}

export function formPieces({ path: to, key, type }: Sending, body: Uint8Array): [string, Uint8Array] {
  return [postHead(to, body.length, type).replace('Host:', `x-api-key: ${key}\r\nHost:`), body];
}

/** Returns the parts of a valid form for this endpoint. */
export function goodParts(to: string): PartBytes[] {
  if (to.startsWith('/diagnose')) {
    return [field('clinical_history', HISTORY), file('files', 'x-ray.png', makePng())];
  }
  return [field('language', 'en'), file('file', 'visit.wav', makeAudio('wav', 40_000))];
}

async function sendGoodRequests({
  send,
  key,
  isDiskLow,
}: Pick<Target, 'send' | 'key'> & { readonly isDiskLow: boolean }): Promise<void> {
  const say = JSON.stringify({ clinical_history: HISTORY });
  expect((await send(...jsonPieces({ path: '/diagnose', key }, say))).status).toBe(200);
  const opened = await send(...jsonPieces({ path: '/diagnose/stream', key }, say));
  expect(opened.status).toBe(201);
  if (isDiskLow) return;
  const withFiles = [...goodParts('/diagnose'), file('files', 'letter.pdf', makePdf())];
  expect((await send(...formPieces({ path: '/diagnose', key }, formBytes(withFiles)))).status).toBe(200);
  const prepared = await send(...formPieces({ path: '/diagnose/stream/files', key }, formBytes(withFiles)));
  expect(prepared.status).toBe(201);
  const { streamUrl } = JSON.parse(prepared.body) as { readonly streamUrl: string };
  expect((await send(head(`GET ${streamUrl}`, `x-api-key: ${key}`))).status).toBe(200);
  for (const to of AUDIO_PATHS) {
    expect((await send(...formPieces({ path: to, key }, formBytes(goodParts(to))))).status).toBe(200);
  }
}

// The process from outside:

/** Returns the same value as long as the process is the same. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

async function countDescriptors(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length;
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(async (each) => [each, await parentOf(each)] as const));
  return parents.filter(([, parent]) => parent === pid).map(([each]) => each);
}

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat === '' ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

async function countRows(connectionString: string, query: string): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<{ readonly count: number }>(query)).rows[0]?.count ?? -1;
  } finally {
    await client.end();
  }
}
