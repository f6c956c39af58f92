// A database for a benchmark: on the server that TEST_DATABASE_URL names, or else on one that ends with the benchmark.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Database, openDatabase } from '../../src/outbound/postgres/database.ts';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/start.ts';
import { makeTestDatabase } from '../support/postgres.ts';

export type BenchDatabase = {
  readonly database: Database;
  readonly connectionString: string;
  readonly drop: () => Promise<void>;
};

export async function openBenchDatabase(): Promise<BenchDatabase> {
  if (process.env['TEST_DATABASE_URL'] !== undefined) return makeTestDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'chartwright-bench-'));
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    homesFolder: path.join(folder, 'homes'),
    onUnexpectedExit: (error) => console.error(error.message),
  });
  const { connectionString } = server;
  const database = await openDatabase({ connectionString, maxConnections: 20, onError: () => undefined });
  return {
    database,
    connectionString,
    drop: async () => {
      await database.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
