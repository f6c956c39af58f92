// A database of its own for a test file, on the PostgreSQL that the run has started.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/outbound/postgres/database.ts';

export type TestDatabase = {
  readonly database: Database;
  /** The DATABASE_URL for a whole engine. */
  readonly connectionString: string;
  /** Closes `database` and deletes it, also if other clients are still connected. */
  readonly drop: () => Promise<void>;
};

/** Makes a migrated database. Call this in `beforeAll` or at the top of the file, and `drop` in `afterAll`. */
export async function makeTestDatabase(): Promise<TestDatabase> {
  const { connectionString, drop } = await makeDatabaseFrom(TEMPLATE);
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

/** Makes a migrated database for a whole engine. */
export async function makeMigratedDatabase(): Promise<Omit<TestDatabase, 'database'>> {
  return makeDatabaseFrom(TEMPLATE);
}

/** Makes a database without tables. */
export async function makeEmptyDatabase(): Promise<Omit<TestDatabase, 'database'>> {
  return makeDatabaseFrom('template1');
}

/** Migrates the template that `makeTestDatabase` copies. The run calls it once before the first test. */
export async function makeTemplate(): Promise<void> {
  await runOnServer(`create database ${TEMPLATE}`);
  const database = await openDatabase({
    connectionString: urlOf(TEMPLATE),
    maxConnections: 1,
    onError: () => undefined,
  });
  await database.close();
}

const TEMPLATE = 'migrated_template';

async function makeDatabaseFrom(template: string): Promise<Omit<TestDatabase, 'database'>> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOnServer(`create database ${name} template ${template}`);
  return { connectionString: urlOf(name), drop: () => runOnServer(`drop database ${name} with (force)`) };
}

function urlOf(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
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
