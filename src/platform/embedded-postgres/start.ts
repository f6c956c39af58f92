// Starts the PostgreSQL that comes with the product, from an empty folder to a server that takes connections, on 127.0.0.1 only.
// The caller holds the lock of the data folder: two engines must never start a server for one folder.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, realpath, stat, truncate } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readOrMakeSecret, readSecret } from '../secret-file.ts';
import { findBinaries } from './binaries.ts';
import { DATABASE_USER, ensureCluster, hasCluster } from './cluster.ts';
import { FOREIGN_HOMES, findHome } from './home.ts';
import type { WayToRun } from './launcher.ts';
import { stopLeftover } from './leftover.ts';
import { type Server, ServerStartError, startServer } from './server.ts';

export type EmbeddedPostgres = {
  readonly connectionString: string;
  /** A sentence for the startup message if something is unusual. */
  readonly note?: string;
  /**
   * Call it after the server has ended by itself: it starts again at the same address, with the same data. Throws an Error if it does not
   * start, and the signal's reason if that ends the start; no process is left then.
   */
  readonly startAgain: (signal: AbortSignal) => Promise<void>;
  /** Lets the server write everything and ends it; bounded, and may be called twice. */
  readonly stop: () => Promise<void>;
};

export type EmbeddedPostgresParts = {
  readonly dataDir: string;
  readonly logger?: { readonly warn: (fields: object, message: string) => void };
  /** The server ended by itself while the engine runs; `how` is a signal or an exit code. Never called after `stop`. */
  readonly onUnexpectedExit: (error: Error, how: string) => void;
  /** How to run PostgreSQL's programs. Default: the first way that works here. */
  readonly way?: WayToRun;
  /** The data folder of the way `unprivileged`. */
  readonly homesFolder?: string;
};

const MAX_LOG_BYTES = 4 * 1_048_576;
const PORT_TRIES = 5;

/** Throws an Error for the operator. Needs no signal: every step has a bound of its own. */
export async function startEmbeddedPostgres(parts: EmbeddedPostgresParts): Promise<EmbeddedPostgres> {
  await mkdir(parts.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(parts.dataDir);
  const home = await findHome({
    dataDir,
    binaries: await findBinaries(),
    way: parts.way,
    homesFolder: parts.homesFolder ?? FOREIGN_HOMES,
  });
  const password = await readPassword(join(dataDir, 'postgres.password'), home.cluster);
  await ensureCluster(home, password);
  const orphan = await stopLeftover(home.cluster);
  if (orphan !== undefined) parts.logger?.warn({ pid: orphan }, 'a database server of an earlier run was stopped');
  const logPath = join(dataDir, 'postgres.log');
  await boundLog(logPath);
  const onUnexpectedExit = (how: string) =>
    parts.onUnexpectedExit(new Error(`The embedded database ended by itself (${how}). More in ${logPath}.`), how);
  const first = await startOnFreePort((freePort) => startServer({ home, port: freePort, logPath, onUnexpectedExit }));
  const { port } = first;
  let { server } = first;
  return {
    connectionString: `postgres://${DATABASE_USER}:${password}@127.0.0.1:${port}/postgres`,
    ...(home.note !== undefined && { note: home.note }),
    startAgain: async (signal) => {
      // A busy process of the dead server may still write, and the new server must not begin beside it.
      await stopLeftover(home.cluster);
      try {
        server = await startServer({ home, port, logPath, onUnexpectedExit, signal });
      } catch (error) {
        // One that had to be killed may have left a process that repairs the data.
        await stopLeftover(home.cluster);
        throw error;
      }
    },
    stop: () => server.stop(),
  };
}

async function readPassword(path: string, cluster: string): Promise<string> {
  if ((await hasCluster(cluster)) && (await readSecret(path)) === undefined) {
    throw new Error(`The password of the database in ${cluster} is missing: put ${path} back.`);
  }
  return readOrMakeSecret({ path, make: () => randomBytes(24).toString('base64url') });
}

async function boundLog(path: string): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size > MAX_LOG_BYTES) await truncate(path);
}

async function startOnFreePort(
  start: (port: number) => Promise<Server>,
): Promise<{ readonly server: Server; readonly port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    try {
      return { server: await start(port), port };
    } catch (error) {
      const canTryAgain = error instanceof ServerStartError && error.isPortTaken && attempt < PORT_TRIES;
      if (!canTryAgain) throw error;
    }
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port was found on 127.0.0.1.');
  return address.port;
}
