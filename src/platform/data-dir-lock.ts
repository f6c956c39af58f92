// Lets one engine at a time use a data folder. The lock is the file with the highest number in DATA_DIR/lock: link() makes each number once,
// and the highest is never deleted, so that of two starters who both find a dead holder only one gets the next number.
// It must not outlive its process: a holder that was killed, or whose pid belongs to another process by now, does not count.
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isNativeError } from 'node:util/types';
import { processStart } from './process-table.ts';

export type DataDirLock = { readonly release: () => Promise<void> };

/** Another engine works in the folder. The message is meant for the operator. */
export class DataDirInUseError extends Error {
  readonly pid: number;

  constructor(dataDir: string, pid: number) {
    super(
      `Another engine (pid ${pid}) is using the data folder ${dataDir}. Stop it first, or give this one a folder of its own (DATA_DIR).`,
    );
    this.name = 'DataDirInUseError';
    this.pid = pid;
  }
}

type Holder = { readonly pid: number; readonly start: string };
type Generation = { readonly number: number; readonly path: string };

const MAX_TRIES = 100;
const RELEASED = 'released';

/** Throws a DataDirInUseError if a running engine holds the folder. */
export async function acquireDataDirLock(dataDir: string): Promise<DataDirLock> {
  const folder = join(resolve(dataDir), 'lock');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const own: Holder = { pid: process.pid, start: (await processStart(process.pid)) ?? '' };
  const path = await takeNextNumber({ folder, dataDir: resolve(dataDir), content: JSON.stringify(own) });
  return { release: () => markReleased(folder, path) };
}

type Attempt = { readonly folder: string; readonly dataDir: string; readonly content: string };

async function takeNextNumber({ folder, dataDir, content }: Attempt): Promise<string> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const latest = (await listGenerations(folder)).at(-1);
    const holder = latest && (await readLivingHolder(latest.path));
    if (holder) throw new DataDirInUseError(dataDir, holder.pid);
    const path = join(folder, String((latest?.number ?? 0) + 1));
    if (!(await linkNewFile(folder, path, content))) continue;
    const generations = await listGenerations(folder);
    if (generations.at(-1)?.path === path) {
      // The one before stays: a starter that is listing right now must see this one or that one.
      await Promise.all(generations.slice(0, -2).map((generation) => rm(generation.path, { force: true })));
      return path;
    }
    // Another starter was faster, and had removed the number that was taken here.
    await rm(path, { force: true });
  }
  throw new Error(
    `The lock of the data folder ${dataDir} cannot be taken: too many engines are starting in it at once.`,
  );
}

async function listGenerations(folder: string): Promise<readonly Generation[]> {
  return (await readdir(folder))
    .filter((name) => /^[1-9]\d{0,14}$/.test(name))
    .map((name) => ({ number: Number(name), path: join(folder, name) }))
    .sort((a, b) => a.number - b.number);
}

async function readLivingHolder(path: string): Promise<Holder | undefined> {
  const holder = parseHolder(await readFile(path, 'utf8').catch(() => ''));
  if (!holder) return undefined;
  return (await processStart(holder.pid)) === holder.start ? holder : undefined;
}

/** Undefined for a released lock, and for one that a power failure left empty. */
function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, start } = JSON.parse(text) as Partial<Holder>;
    return typeof pid === 'number' && typeof start === 'string' ? { pid, start } : undefined;
  } catch {
    return undefined;
  }
}

/** Creates the file with its whole content, or not at all. False if the name is taken. */
async function linkNewFile(folder: string, path: string, content: string): Promise<boolean> {
  const temporary = await writeTemporary(folder, content);
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (isNativeError(error) && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function markReleased(folder: string, path: string): Promise<void> {
  const isStillThere = await stat(path).then(
    () => true,
    () => false,
  );
  // The data folder was deleted, and the lock with it.
  if (isStillThere) await rename(await writeTemporary(folder, RELEASED), path);
}

async function writeTemporary(folder: string, content: string): Promise<string> {
  const path = join(folder, `new-${randomUUID()}`);
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  return path;
}
