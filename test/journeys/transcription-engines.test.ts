// Transcription while an engine is stopped, is killed or has no disk space: an upload is finished or gets an error, and nothing of a recording
// remains on the disk.
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

/** Starts engines one after the other on the same folder. */
async function start(env: Readonly<Record<string, string>> = {}): Promise<Engine> {
  const testbed = {
    DATABASE_URL: database?.connectionString ?? '',
    DEEPGRAM_BASE_URL: speech?.baseUrl ?? '',
    MASTER_KEY: masterKey,
  };
  const engine = await startEngine({ env: { ...testbed, ...env }, dataDir });
  engines.push(engine);
  return engine;
}

const spooledFiles = () => readdir(path.join(dataDir, 'spool'));

describe('an engine that is stopped or killed during an upload', () => {
  it('an engine that is stopped finishes the upload that it has begun, accepts no other, and leaves no file', async () => {
    const engine = await start();
    const key = await engine.makeKey();
    const form = new LiveForm({ url: engine.url, path: CONVERSATION_PATH, key }).beginFile();
    const chunks = audioStream('wav', RECORDING_BYTES);
    // The test sends the head and the first of the samples.
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

  it('an engine that is killed leaves only an unreadable file, which the next engine on its folder removes', async () => {
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

describe('an engine without space on its disk', () => {
  let engine: Engine;
  let key: string;
  beforeAll(async () => {
    engine = await start({ MIN_FREE_DISK_MIB: '1000000000' });
    key = await engine.makeKey();
  });

  it.each(AUDIO_PATHS)(
    '%s answers 503 with Retry-After for a recording that would have to be stored on a full disk',
    async (to) => {
      const answer = await postForm(engine, to, key, [recordingPart()]);
      expect(expectError(answer, 503)).toMatch(/no room/);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    },
  );

  it('a recording that is streamed to the vendor needs no disk space', async () => {
    conversationOf(await sendRecording({ engine, key }, CONVERSATION_PATH, { language: 'en' }));
  });
});
