// What the journeys of the engine without a model share: an engine that nobody gave a key, what its answers look like, and a copy of
// its sources of which a file can be broken.
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from '@jest/globals';
import type { Diagnosis } from '../../src/domain/diagnosis/diagnosis.ts';
import { type Engine, spawnEngine, startEngine } from './engine.ts';
import type { Answer } from './journey-client.ts';
import { makeMigratedDatabase } from './postgres.ts';

const ROOT = path.join(import.meta.dirname, '../..');

export type BareHouse = { readonly engine: Engine; readonly close: () => Promise<void> };

/** Of no model and of no speech recognition. */
export async function openBareHouse(): Promise<BareHouse> {
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

/** Starts a copy of the sources in which one file of what the rules know is changed; gives how that ended. */
export async function startBroken(file: string, change: (text: string) => string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'chartwright-broken-'));
  try {
    for (const part of ['src', 'knowledge']) {
      await cp(path.join(ROOT, part), path.join(folder, part), { recursive: true });
    }
    await cp(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'));
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    const broken = path.join(folder, 'knowledge', file);
    await writeFile(broken, change(await readFile(broken, 'utf8')));
    const { output, exited } = spawnEngine({ DATA_DIR: path.join(folder, 'data') }, path.join(folder, 'src/main.ts'));
    return { code: await exited, ...output() };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
