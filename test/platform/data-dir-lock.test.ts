// One engine a data folder, whatever happened to the one before.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { acquireDataDirLock, DataDirInUseError, type DataDirLock } from '../../src/platform/data-dir-lock.ts';
import { processStart } from '../../src/platform/process-table.ts';

const MODULE_URL = new URL('../../src/platform/data-dir-lock.ts', import.meta.url).href;
/** Says whether it got the lock, and lives until its input ends. */
const HOLDER = `
  const { acquireDataDirLock } = await import(process.argv[1]);
  console.log(await acquireDataDirLock(process.argv[2]).then(() => 'held', (error) => error.message));
  process.stdin.resume();
`;

let dataDir: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chartwright-lock-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  await rm(dataDir, { recursive: true, force: true });
});

async function startHolder(): Promise<{ readonly child: ChildProcess; readonly answer: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, MODULE_URL, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const [answer] = await once(createInterface(child.stdout), 'line');
  return { child, answer };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

describe('the lock of a data folder', () => {
  it('refuses a second engine, and says who holds it and what to do', async () => {
    const { child, answer } = await startHolder();
    expect(answer).toBe('held');
    const refusal = await acquireDataDirLock(dataDir).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DataDirInUseError);
    expect(refusal).toMatchObject({ pid: child.pid });
    expect(String(refusal)).toContain(`(pid ${child.pid})`);
    expect(String(refusal)).toContain(dataDir);
    expect(String(refusal)).toContain('DATA_DIR');
  });

  it('is free again after kill -9 of the engine that held it', async () => {
    const { child } = await startHolder();
    await kill(child);
    await acquireDataDirLock(dataDir);
    expect((await startHolder()).answer).toContain(`(pid ${process.pid})`);
  });

  it('does not take a process that later got the pid of a dead holder for the holder', async () => {
    const lock = await acquireDataDirLock(dataDir);
    await lock.release();
    await writeFile(join(dataDir, 'lock', '2'), JSON.stringify({ pid: process.pid, start: 'another boot 1' }));
    await acquireDataDirLock(dataDir);
  });

  it.each(['', '{', 'null', '{"pid":"1"}', '7'])(
    'is taken over where a power failure left %j of it',
    async (content) => {
      const lock = await acquireDataDirLock(dataDir);
      await lock.release();
      await writeFile(join(dataDir, 'lock', '9'), content);
      await acquireDataDirLock(dataDir);
      await expect(acquireDataDirLock(dataDir)).rejects.toThrow(DataDirInUseError);
    },
  );

  it('is free for the next engine after a stop', async () => {
    for (let count = 0; count < 5; count += 1) await (await acquireDataDirLock(dataDir)).release();
    expect((await startHolder()).answer).toBe('held');
    expect((await readdir(join(dataDir, 'lock'))).length).toBeLessThanOrEqual(2);
  });

  it('lets an engine stop after its data folder was deleted', async () => {
    const lock = await acquireDataDirLock(dataDir);
    await rm(dataDir, { recursive: true });
    await lock.release();
  });

  it('goes to exactly one of many processes that find a dead holder at once', async () => {
    const { child } = await startHolder();
    await kill(child);
    const answers = await Promise.all(Array.from({ length: 6 }, async () => (await startHolder()).answer));
    expect(answers.filter((answer) => answer === 'held')).toHaveLength(1);
  });

  it('goes to exactly one of many starters, round after round', async () => {
    for (let round = 0; round < 30; round += 1) {
      const tries = await Promise.allSettled(Array.from({ length: 12 }, () => acquireDataDirLock(dataDir)));
      const locks = tries.flatMap((tried): DataDirLock[] => (tried.status === 'fulfilled' ? [tried.value] : []));
      expect(locks).toHaveLength(1);
      for (const tried of tries)
        if (tried.status === 'rejected') expect(tried.reason).toBeInstanceOf(DataDirInUseError);
      for (const lock of locks) await lock.release();
    }
  });

  it('is never held twice, however often it changes hands', async () => {
    let holders = 0;
    let held = 0;
    const compete = async () => {
      for (let count = 0; count < 60; count += 1) {
        const lock = await acquireDataDirLock(dataDir).catch(() => undefined);
        if (!lock) continue;
        holders += 1;
        held += 1;
        expect(holders).toBe(1);
        holders -= 1;
        await lock.release();
      }
    };
    await Promise.all(Array.from({ length: 8 }, compete));
    expect(held).toBeGreaterThan(1);
  });

  it('is not taken by a slow starter that looked before others came and went', async () => {
    const folder = join(dataDir, 'lock');
    await mkdir(folder);
    // What the slow one reads is a pipe: it waits there until the others are done.
    await promisify(execFile)('mkfifo', [join(folder, '5')]);
    const slow = acquireDataDirLock(dataDir).catch((error: unknown) => error);
    const pipe = await open(join(folder, '5'), 'w');
    const holder = { pid: process.pid, start: await processStart(process.pid) };
    await writeFile(join(folder, '7'), JSON.stringify(holder));
    await pipe.writeFile('released');
    await pipe.close();
    expect(await slow).toBeInstanceOf(DataDirInUseError);
    expect((await readdir(folder)).sort()).toEqual(['5', '7']);
  });
});
