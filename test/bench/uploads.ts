// Recordings of 100 MB: their cost in memory and processor time, and the moment at which one that is too large is refused.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startDeepgramServer } from '../support/deepgram-server.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { type Figure, mebibytes, times } from './figures.ts';
import { cpuMs, median, peakBytes, resetPeak, residentBytes } from './process-figures.ts';
import { type Upload, upload, uploadPlain } from './upload-client.ts';

const MEBIBYTE = 1_048_576;
const LIMIT_BYTES = 100 * MEBIBYTE;
const AT_ONCE = 4;
const ROUNDS = 5;
const MEMORY_BOUND_BYTES = 110 * MEBIBYTE;
/** Processor time of an upload against a plain pipe. */
const MOST_TIMES = 2.5;
const SMALL_BYTES = MEBIBYTE;

export async function measureUploads(): Promise<readonly Figure[]> {
  return [
    await withEngine((engine, key) => measureMemory(engine, key, 'fields')),
    await withEngine((engine, key) => measureMemory(engine, key, 'file')),
    await withEngine(measureProcessor),
    await withEngine(measureRefusal),
  ];
}

type Measure = (engine: Engine, key: string, vendorUrl: string) => Promise<Figure>;

/** Each figure has a fresh engine, because memory that an earlier upload left would count as idle. */
async function withEngine(measure: Measure): Promise<Figure> {
  const vendor = await startDeepgramServer();
  const engine = await startEngine({ env: { DEEPGRAM_BASE_URL: vendor.baseUrl, LOG_LEVEL: 'error' } });
  try {
    const key = await engine.makeKey();
    // Code that is loaded at its first use counts as idle.
    for (const first of ['fields', 'file'] as const) await send(engine, { key, first, sizeBytes: SMALL_BYTES });
    return await measure(engine, key, vendor.baseUrl);
  } finally {
    await engine.stop();
    await vendor.close();
  }
}

async function measureMemory(engine: Engine, key: string, first: Upload['first']): Promise<Figure> {
  const idleBytes = residentBytes(engine.pid);
  resetPeak(engine.pid);
  await Promise.all(Array.from({ length: AT_ONCE }, () => send(engine, { key, first, sizeBytes: LIMIT_BYTES })));
  const growthBytes = peakBytes(engine.pid) - idleBytes;
  return {
    name: `${AT_ONCE} uploads of 100 MB at once, ${first} first: memory over idle (${mebibytes(idleBytes)})`,
    value: mebibytes(growthBytes),
    bound: 'under 110 MB',
    isKept: growthBytes < MEMORY_BOUND_BYTES,
  };
}

async function measureProcessor(engine: Engine, key: string, vendorUrl: string): Promise<Figure> {
  const pipe = await startPipe(vendorUrl);
  try {
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const engineBeforeMs = cpuMs(engine.pid);
      await send(engine, { key, first: 'fields', sizeBytes: LIMIT_BYTES });
      const engineMs = cpuMs(engine.pid) - engineBeforeMs;
      const pipeBeforeMs = cpuMs(pipe.pid);
      await uploadPlain(pipe.url, LIMIT_BYTES);
      ratios.push(engineMs / (cpuMs(pipe.pid) - pipeBeforeMs));
    }
    const ratio = median(ratios);
    return {
      name: '100 MB passed on: processor time against a plain pipe',
      value: times(ratio),
      bound: `at most ${MOST_TIMES} x`,
      isKept: ratio <= MOST_TIMES,
    };
  } finally {
    pipe.stop();
  }
}

async function measureRefusal(engine: Engine, key: string): Promise<Figure> {
  const { status, sentBytes } = await upload({ url: engine.url, key, first: 'fields', sizeBytes: 2 * LIMIT_BYTES });
  const excessBytes = sentBytes - LIMIT_BYTES;
  return {
    name: '200 MB sent: bytes over the limit that the client sent before 413',
    value: mebibytes(excessBytes),
    bound: 'under 8 MB, sockets included',
    isKept: status === 413 && excessBytes < 8 * MEBIBYTE,
  };
}

async function send(engine: Engine, form: Omit<Upload, 'url'>): Promise<void> {
  const { status } = await upload({ url: engine.url, ...form });
  if (status !== 200) throw new Error(`an upload of ${form.sizeBytes} bytes was answered with ${status}`);
}

export type Pipe = { readonly url: string; readonly pid: number; readonly stop: () => void };

export async function startPipe(target: string): Promise<Pipe> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'raw-pipe.ts'), target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), pid: child.pid ?? 0, stop: () => void child.kill() };
}
