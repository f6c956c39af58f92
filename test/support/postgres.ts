// A database of its own for a test file, on the one PostgreSQL that the run has started.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/outbound/postgres/database.ts';

export type TestDatabase = {
  readonly database: Database;
  /** For a whole engine: its DATABASE_URL. */
  readonly connectionString: string;
  /** Closes `database` and deletes it all, also where others are still connected. */
  readonly drop: () => Promise<void>;
};

/** Fresh and migrated. Call it in `beforeAll` or at the top of the file, and `drop` in `afterAll`. */
export async function makeTestDatabase(): Promise<TestDatabase> {
  const { connectionString, drop } = await makeEmptyDatabase();
  const database = await openDatabase({ connectionString, maxConnections: 5, onError: () => undefined });
  return {
    database,
    connectionString,
    drop: async () => {
      await database.close();
      await drop();
    },
  };
}

/** Fresh, and without a single table. */
export async function makeEmptyDatabase(): Promise<Omit<TestDatabase, 'database'>> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOnServer(`create database ${name}`);
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return { connectionString: url.href, drop: () => runOnServer(`drop database ${name} with (force)`) };
}

async function runOnServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function serverUrl(): string {
  const url = process.env['TEST_DATABASE_URL'];
  if (url === undefined) throw new Error('TEST_DATABASE_URL is not set: run the tests by jest with its global setup');
  return url;
}
