// Transcription while an engine stops, dies or has no room: what was begun is finished or is told, and nothing of a
// recording stays behind on the disk.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { audioStream, makeAudio } from '../support/audio-samples.ts';
import { type DeepgramServer, startDeepgramServer } from '../support/deepgram-server.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { postForm } from '../support/journey-client.ts';
import {
  AUDIO_PATHS,
  CONVERSATION_PATH,
  conversationOf,
  expectError,
  LiveForm,
  NOTE_PATH,
  recordingPart,
  sendRecording,
} from '../support/journey-upload.ts';
import { makeMigratedDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const RECORDING_BYTES = 2 * 1_048_576;

const masterKey = randomBytes(32).toString('base64');
let speech: DeepgramServer | undefined;
let database: Awaited<ReturnType<typeof makeMigratedDatabase>> | undefined;
let dataDir = '';
const engines: Engine[] = [];

beforeAll(async () => {
  database = await makeMigratedDatabase();
  speech = await startDeepgramServer();
  dataDir = await mkdtemp(path.join(tmpdir(), 'chartwright-journey-'));
});
afterAll(async () => {
  await speech?.close();
  await Promise.all(engines.map((engine) => engine.stop()));
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** One after the other on the same folder. */
async function start(env: Readonly<Record<string, string>> = {}): Promise<Engine> {
  const house = {
    DATABASE_URL: database?.connectionString ?? '',
    DEEPGRAM_BASE_URL: speech?.baseUrl ?? '',
    MASTER_KEY: masterKey,
  };
  const engine = await startEngine({ env: { ...house, ...env }, dataDir });
  engines.push(engine);
  return engine;
}

const spooledFiles = () => readdir(path.join(dataDir, 'spool'));

describe('an engine that stops', () => {
  it('finishes the upload that it has begun, takes no other, and leaves no file', async () => {
    const engine = await start();
    const key = await engine.makeKey();
    const form = new LiveForm({ url: engine.url, path: CONVERSATION_PATH, key }).beginFile();
    const chunks = audioStream('wav', RECORDING_BYTES);
    // The head, and the first of the samples.
    for (const next of [await chunks.next(), await chunks.next()]) if (!next.done) await form.send([next.value]);
    await until(async () => (await spooledFiles()).length === 1);
    engine.signal('SIGTERM');
    await until(() => engine.output().stderr.includes('shutting down'));
    await expect(sendRecording({ engine, key }, CONVERSATION_PATH)).rejects.toThrow('fetch failed');
    await form.send(chunks);
    expect(conversationOf(await form.endFile().end()).messages.length).toBeGreaterThan(0);
    expect(await engine.exited).toBe(0);
    expect(await spooledFiles()).toEqual([]);
  });

  it('and one that is killed leaves what nobody can read; the next one on its folder removes it', async () => {
    const engine = await start();
    const form = new LiveForm({ url: engine.url, path: NOTE_PATH, key: await engine.makeKey() }).beginFile();
    await form.send([makeAudio('wav', RECORDING_BYTES)]);
    await until(async () => (await spooledFiles()).length === 1);
    engine.signal('SIGKILL');
    expect(await engine.exited).toBe('SIGKILL');
    await expect(form.answer).rejects.toThrow();
    expect(await spooledFiles()).toHaveLength(1);
    const next = await start();
    expect(await spooledFiles()).toEqual([]);
    await next.stop();
  });
});

describe('an engine without room on its disk', () => {
  let engine: Engine;
  let key: string;
  beforeAll(async () => {
    engine = await start({ MIN_FREE_DISK_MIB: '1000000000' });
    key = await engine.makeKey();
  });

  it.each(AUDIO_PATHS)('%s: a recording that would have to be kept is 503, with Retry-After', async (to) => {
    const answer = await postForm(engine, to, key, [recordingPart()]);
    expect(expectError(answer, 503)).toMatch(/no room/);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('a recording that is passed on needs none', async () => {
    conversationOf(await sendRecording({ engine, key }, CONVERSATION_PATH, { language: 'en' }));
  });
});
