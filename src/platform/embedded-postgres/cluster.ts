// The folder with the data. It is made beside its place and moved there when it is complete, so that an interrupted start leaves
// nothing half made. A folder of another version or owner is refused, never changed.
import { chown, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isNativeError } from 'node:util/types';
import type { Home } from './home.ts';
import { runProgram } from './launcher.ts';

export const DATABASE_USER = 'chartwright';

const INITDB_TIMEOUT_MS = 120_000;
const UNFINISHED_PREFIX = 'postgres.new-';

export async function hasCluster(cluster: string): Promise<boolean> {
  return (await readVersionFile(cluster)) !== undefined;
}

/** Creates the cluster if there is none; throws an Error for the operator if the existing one cannot be used. */
export async function ensureCluster(home: Home, password: string): Promise<void> {
  const parent = dirname(home.cluster);
  await removeUnfinished(parent);
  const version = await readVersionFile(home.cluster);
  if (version === undefined) return makeCluster(home, parent, password);
  const major = home.version.split('.')[0];
  if (version !== major) {
    throw new Error(
      `The database in ${home.cluster} was made by PostgreSQL ${version}, this engine comes with ${home.version}. ` +
        'Move the data with pg_dump and pg_restore, or set DATABASE_URL to a server that has it.',
    );
  }
  const { uid } = await stat(home.cluster);
  if (uid !== home.launcher.owner.uid) {
    throw new Error(
      `The database in ${home.cluster} belongs to user id ${uid}, the engine runs as ${home.launcher.owner.uid}: ` +
        'start it as that user, or give the folder to this one.',
    );
  }
}

async function makeCluster(home: Home, parent: string, password: string): Promise<void> {
  const work = await mkdtemp(join(parent, UNFINISHED_PREFIX));
  try {
    const { uid, gid } = home.launcher.owner;
    const passwordPath = join(work, 'password');
    const made = join(work, 'cluster');
    await writeFile(passwordPath, password, { mode: 0o600 });
    if (home.launcher.way === 'unprivileged')
      await Promise.all([work, passwordPath].map((path) => chown(path, uid, gid)));
    await runProgram(home.launcher, home.binaries.initdb, initdbArguments(made, passwordPath), INITDB_TIMEOUT_MS);
    // Replaces nothing but an empty folder: files without a version may be a restore in progress.
    await rename(made, home.cluster);
    await syncFolder(parent);
  } catch (cause) {
    throw new Error(`The embedded database could not be made in ${home.cluster}. ${firstErrorLine(cause)}`.trim(), {
      cause,
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function initdbArguments(cluster: string, passwordPath: string): readonly string[] {
  return [
    `--pgdata=${cluster}`,
    `--username=${DATABASE_USER}`,
    `--pwfile=${passwordPath}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    '--no-instructions',
  ];
}

/** A start that was killed may have left its initdb running: it fails by itself once its folder is gone. */
async function removeUnfinished(parent: string): Promise<void> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const left = (await readdir(parent)).filter((name) => name.startsWith(UNFINISHED_PREFIX));
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 };
  await Promise.all(left.map((name) => rm(join(parent, name), options).catch(() => undefined)));
}

async function readVersionFile(cluster: string): Promise<string | undefined> {
  return readFile(join(cluster, 'PG_VERSION'), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The line of initdb's output with the reason: no space, no permission, an unknown system. */
function firstErrorLine(cause: unknown): string {
  const output = isNativeError(cause) && 'stderr' in cause ? String(cause.stderr) : '';
  return output.split('\n').find((line) => /error|fatal/i.test(line)) ?? '';
}
