// The time of a first start until the engine is ready, and of a second start on the same folder.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEngine } from '../support/engine.ts';
import { type Figure, times } from './figures.ts';
import { median } from './process-figures.ts';

const ROUNDS = 5;
const BOUND_MS = 10_000;

export async function measureStartup(): Promise<readonly Figure[]> {
  const first: number[] = [];
  const later: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'chartwright-bench-'));
    first.push(await timedStart(dataDir));
    later.push(await timedStart(dataDir));
    bare.push(timedNode());
    await rm(dataDir, { recursive: true, force: true });
  }
  const [firstMs, laterMs, bareMs] = [median(first), median(later), median(bare)];
  return [
    {
      name: 'first start, from an empty DATA_DIR to ready',
      value: `${(firstMs / 1000).toFixed(2)} s`,
      bound: 'under 10 s',
      isKept: Math.max(...first) < BOUND_MS,
    },
    { name: 'later start', value: `${(laterMs / 1000).toFixed(2)} s` },
    { name: 'first start against a bare Node process', value: times(firstMs / bareMs) },
    { name: 'later start against a bare Node process', value: times(laterMs / bareMs) },
  ];
}

async function timedStart(dataDir: string): Promise<number> {
  const startedMs = performance.now();
  const engine = await startEngine({ dataDir, env: { LOG_LEVEL: 'error' } });
  const takenMs = performance.now() - startedMs;
  await engine.stop();
  return takenMs;
}

function timedNode(): number {
  const startedMs = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - startedMs;
}
