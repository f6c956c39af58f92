// A backup of an engine with its embedded database, by the commands of docs/going-live.md: after the folder is lost, the restored one opens the
// same keys, sealed results and audit trail.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PROJECT } from '../cli/run-cli.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { postJson } from '../support/journey-client.ts';
import { untilFound } from '../support/until.ts';

const LIMIT_MS = 240_000;
const GUIDE = readFileSync(path.join(PROJECT, 'docs/going-live.md'), 'utf8');
const HISTORY = { clinical_history: 'Boy of 11 years, pain in the right lower belly since yesterday.' };

let folder: string;
let engine: Engine | undefined;
const data = () => path.join(folder, 'chartwright');

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backup-'));
});
afterAll(async () => {
  await engine?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<Engine> {
  engine = await startEngine({
    env: { SANDBOX: 'on', SANDBOX_PORT: '0', MAPPINGS_DIR: path.join(PROJECT, 'mappings') },
    dataDir: data(),
  });
  return engine;
}

/** Runs the commands of a block of the guide in the folder of this test; the service is started and stopped here. */
async function follow(block: 'backup' | 'restore'): Promise<void> {
  const [, commands = ''] = new RegExp(`^\`\`\`sh ${block}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(GUIDE) ?? [];
  const here = commands.replaceAll('/var/lib', folder).split('\n');
  expect(here.filter((line) => line.startsWith('systemctl'))).toEqual([
    'systemctl stop chartwright',
    'systemctl start chartwright',
  ]);
  for (const line of here) {
    if (line === 'systemctl stop chartwright') await stop();
    else if (line === 'systemctl start chartwright') await start();
    else if (line !== '') await promisify(execFile)('sh', ['-c', line], { cwd: folder });
  }
}

async function stop(): Promise<void> {
  if (engine === undefined) return;
  engine.signal('SIGTERM');
  await engine.exited;
  engine = undefined;
}

/** The engine after a restore. */
function restored(): Engine {
  if (engine === undefined) throw new Error('the restore did not start the engine');
  return engine;
}

type ShownRun = { readonly status: string; readonly transcript?: { readonly utterances: readonly unknown[] } };

async function documentVisit(): Promise<string> {
  await restored().ops('POST', '/sandbox/visits/en-common-cold/finish');
  return untilFound(async () => {
    const { runs } = (await restored().ops('GET', '/runs?status=written')) as {
      readonly runs: { readonly id: string }[];
    };
    return runs[0]?.id;
  });
}

it(
  'a lost data folder is restored from the backup with its keys, sealed results and audit trail',
  async () => {
    const key = await (await start()).makeKey({ organization: 'my-clinic' });
    const run = await documentVisit();
    await follow('backup');
    await stop();
    await rm(data(), { recursive: true });
    expect(existsSync(data())).toBe(false);
    await follow('restore');
    expect((await postJson(restored(), '/diagnose', key, HISTORY)).status).toBe(200);
    const shown = (await restored().ops('GET', `/runs/${run}`)) as ShownRun;
    expect(shown.status).toBe('written');
    expect(shown.transcript?.utterances.length).toBeGreaterThan(0);
    expect(await restored().ops('POST', '/audit/verify', {})).toMatchObject({ isWhole: true });
  },
  LIMIT_MS,
);
