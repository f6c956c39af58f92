// Chooses the folders of the cluster and the programs: under the data folder, or, for an unprivileged user who cannot reach it, in
// a folder of its own. A cluster at the other place is reported, never ignored.
import { createHash, randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Binaries, binariesIn } from './binaries.ts';
import { chooseLauncher, type Launcher, readVersion, type WayToRun } from './launcher.ts';

export type Home = {
  readonly launcher: Launcher;
  readonly binaries: Binaries;
  readonly version: string;
  /** The folder of the cluster; its parent is ours, too. */
  readonly cluster: string;
  /** A sentence for the startup message if something is unusual. */
  readonly note: string | undefined;
};

export const FOREIGN_HOMES = '/var/lib/chartwright';

type HomeParts = {
  /** Its real path. */
  readonly dataDir: string;
  readonly binaries: Binaries;
  readonly way: WayToRun | undefined;
  readonly homesFolder: string;
};

export async function findHome({ dataDir, binaries, way, homesFolder }: HomeParts): Promise<Home> {
  const near = join(dataDir, 'postgres');
  const farFolder = join(homesFolder, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  const far = join(farFolder, 'postgres');
  const [isNear, isFar] = await Promise.all([exists(near), exists(far)]);
  // A cluster that was created elsewhere is used there.
  const launcher = await chooseLauncher(
    binaries.postgres,
    way ?? (isFar && !isNear && isRoot() ? 'unprivileged' : undefined),
  );
  if (launcher.way === 'unprivileged' ? isNear : isFar && !isNear) throw misplaced(isNear ? near : far);
  if (launcher.way !== 'unprivileged') {
    return { launcher, binaries, version: await tellVersion(launcher, binaries), cluster: near, note: undefined };
  }
  const copied = await copyBinaries(binaries, farFolder);
  return {
    launcher,
    binaries: copied,
    version: await tellVersion(launcher, copied),
    cluster: far,
    note: `PostgreSQL runs as the user ${launcher.accountName ?? ''} and keeps its data in ${far}: it refuses root, and this system allows no user namespaces.`,
  };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function tellVersion(launcher: Launcher, binaries: Binaries): Promise<string> {
  try {
    return await readVersion(launcher, binaries.postgres);
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL cannot be run on this system (way: ${launcher.way}). Set DATABASE_URL to a PostgreSQL server instead.`,
      { cause },
    );
  }
}

function misplaced(cluster: string): Error {
  return new Error(
    `The database of this data folder lies in ${cluster} and was made by another way of running than the one possible now. ` +
      'Start the engine as the user who started it first, or with the same rights; or set DATABASE_URL.',
  );
}

/** The user may be unable to reach our own copy: a checkout below a folder of root's. */
async function copyBinaries(binaries: Binaries, farFolder: string): Promise<Binaries> {
  await mkdir(farFolder, { recursive: true, mode: 0o755 });
  const source = dirname(dirname(binaries.postgres));
  const { mtimeMs, size } = await stat(binaries.postgres);
  const target = join(farFolder, `programs-${size}-${Math.floor(mtimeMs)}`);
  if (await exists(target)) return binariesIn(target);
  const temporary = join(farFolder, `copy-${randomUUID()}`);
  await removeOldCopies(farFolder);
  await cp(source, temporary, { recursive: true, verbatimSymlinks: true });
  await openToAll(temporary);
  await rename(temporary, target);
  return binariesIn(target);
}

async function removeOldCopies(farFolder: string): Promise<void> {
  const old = (await readdir(farFolder)).filter((name) => name.startsWith('programs-') || name.startsWith('copy-'));
  await Promise.all(old.map((name) => rm(join(farFolder, name), { recursive: true, force: true })));
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    if (entry.isFile()) await chmod(path, 0o755);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
