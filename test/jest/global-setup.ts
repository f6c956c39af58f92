// Starts one PostgreSQL for the whole run before the first test. The workers find it by TEST_DATABASE_URL.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { acquireDataDirLock, type DataDirLock } from '../../src/platform/data-dir-lock.ts';
import { stopLeftover } from '../../src/platform/embedded-postgres/leftover.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres/start.ts';
import { makeTemplate } from '../support/postgres.ts';

declare global {
  // The teardown runs in the same process and uses it.
  var testPostgres:
    | { readonly server: EmbeddedPostgres; readonly folder: string; readonly lock: DataDirLock }
    | undefined;
}

const PREFIX = 'chartwright-test-run-';

export default async function startTestPostgres(): Promise<void> {
  await removeKilledRuns();
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  const lock = await acquireDataDirLock(folder);
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    homesFolder: join(folder, 'homes'),
    onUnexpectedExit: (error) => console.error(error.message),
  });
  await makeHasty(server.connectionString);
  globalThis.testPostgres = { server, folder, lock };
  process.env['TEST_DATABASE_URL'] = server.connectionString;
  await makeTemplate();
}

/** Tests need no durability after a power cut, so no commit waits for the disk. All other settings are the usual ones. */
async function makeHasty(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('alter role current_user set synchronous_commit = off');
  await client.end();
}

/** A run that was killed had no teardown, so the next run ends its server. */
async function removeKilledRuns(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    // A folder without a lock file is just being made by another run.
    const lock = (await readdir(join(folder, 'lock')).catch(() => [])).length > 0 && (await tryLock(folder));
    if (!lock) continue;
    await stopLeftover(join(folder, 'postgres'));
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryLock(folder: string): Promise<DataDirLock | undefined> {
  return acquireDataDirLock(folder).catch(() => undefined);
}
