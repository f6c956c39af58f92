// Support for the journeys of the engine without a model: an engine without any key, readers of its answers, and copies of its sources
// with changed or missing files.
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from '@jest/globals';
import type { Diagnosis } from '../../src/domain/diagnosis/diagnosis.ts';
import { type Engine, spawnEngine, startEngine } from './engine.ts';
import type { Answer } from './journey-client.ts';
import { makeMigratedDatabase } from './postgres.ts';
import { until } from './until.ts';

const ROOT = path.join(import.meta.dirname, '../..');

export type BareEngine = { readonly engine: Engine; readonly close: () => Promise<void> };

/** Starts an engine without a model and without speech recognition. */
export async function openBareEngine(): Promise<BareEngine> {
  const { connectionString, drop } = await makeMigratedDatabase();
  try {
    const engine = await startEngine({ env: { DATABASE_URL: connectionString } });
    return {
      engine,
      close: async () => {
        await engine.stop();
        await drop();
      },
    };
  } catch (thrown) {
    await drop();
    throw thrown;
  }
}

export function diagnosisOf({ status, body }: Answer): Diagnosis {
  expect({ status, body }).toMatchObject({ status: 200, body: { diagnosis: {}, triage: {} } });
  return body as Diagnosis;
}

export function codesOf({ diagnosis }: Diagnosis): readonly string[] {
  return diagnosis.diseases.map(({ icd10_code }) => icd10_code.slice(0, 3));
}

/** Starts a copy of the sources in which one file of knowledge/ is changed. Returns how the process ended. */
export async function startBroken(file: string, change: (text: string) => string) {
  return await withCopy(['src', 'knowledge'], async (folder) => {
    const broken = path.join(folder, 'knowledge', file);
    await writeFile(broken, change(await readFile(broken, 'utf8')));
    const { output, exited } = spawnEngine({ DATA_DIR: path.join(folder, 'data') }, path.join(folder, 'src/main.ts'));
    return { code: await exited, ...output() };
  });
}

/** Starts a copy of the sources that has neither the rules nor knowledge/. Returns its output when it is ready. */
export async function startWithoutRules(env: Readonly<Record<string, string>>): Promise<string> {
  return await withCopy(['src', 'mappings'], async (folder) => {
    await rm(path.join(folder, 'src/rules'), { recursive: true });
    const DATA_DIR = path.join(folder, 'data');
    const { child, output, exited } = spawnEngine({ DATA_DIR, ...env }, path.join(folder, 'src/main.ts'));
    let hasEnded = false;
    void exited.then(() => {
      hasEnded = true;
    });
    await until(() => hasEnded || output().stdout.includes('REST interface'));
    child.kill('SIGTERM');
    await exited;
    return output().stdout + output().stderr;
  });
}

async function withCopy<T>(parts: readonly string[], use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'chartwright-copy-'));
  try {
    for (const part of parts) await cp(path.join(ROOT, part), path.join(folder, part), { recursive: true });
    await cp(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'));
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
