// The one pool of connections to PostgreSQL. Opened migrated; a connection that breaks is reported and replaced, and never
// ends the process.
import { AsyncResource } from 'node:async_hooks';
import { isNativeError } from 'node:util/types';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { MasterKeys } from '../../ports/master-keys.ts';
import { makeJoiningSocket } from './joined-writes.ts';
import { makeMigrations, migrate } from './migrations.ts';
import type { Schema } from './schema.ts';

export type Database = {
  readonly db: Kysely<Schema>;
  readonly pool: pg.Pool;
  /** Waits for running work, then closes all connections. May be called twice. */
  readonly close: () => Promise<void>;
};

export type DatabaseParts = {
  readonly connectionString: string;
  readonly maxConnections: number;
  /** For a migration that encrypts what an earlier version stored. */
  readonly masterKeys?: Pick<MasterKeys, 'read'>;
  /** An idle connection broke. For the log only: the next use makes a new one. */
  readonly onError: (error: Error) => void;
};

const CONNECT_TIMEOUT_MS = 5000;
const STATEMENT_TIMEOUT_MS = 15_000;
/** A process that was stopped in the middle of a transaction must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
const INT8_OID = 20;

/** Throws an Error for the operator if the server cannot be reached or its database cannot be used. */
export async function openDatabase(parts: DatabaseParts): Promise<Database> {
  const { connectionString, maxConnections, onError } = parts;
  await migrateOnOneConnection(parts);
  const pool = makePool(
    {
      connectionString,
      max: maxConnections,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    },
    onError,
  );
  const open = new Set<pg.PoolClient>();
  pool.on('connect', (client) => void open.add(client)).on('remove', (client) => void open.delete(client));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  let closing: Promise<void> | undefined;
  return {
    db,
    pool,
    close: () => {
      closing ??= endPool(pool, open);
      return closing;
    },
  };
}

/**
 * `end` alone resolves while connections are still closing: a server that is stopped at that moment would break them, and each would
 * be reported as lost.
 */
async function endPool(pool: pg.Pool, open: ReadonlySet<pg.PoolClient>): Promise<void> {
  await pool.end();
  await new Promise<void>((resolve) => {
    const look = () => {
      if (open.size === 0) resolve();
    };
    pool.on('remove', look);
    look();
  });
}

/** Without a time limit on statements: another engine's migration is waited for, and a large table takes its time. */
async function migrateOnOneConnection({ connectionString, masterKeys, onError }: DatabaseParts): Promise<void> {
  const pool = makePool({ connectionString, max: 1 }, onError);
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    await db.connection().execute(async () => undefined);
  } catch (cause) {
    await pool.end();
    throw new Error(`The database cannot be used: ${describeConnectFailure(cause)}.`, { cause });
  }
  try {
    await migrate(db, makeMigrations(masterKeys));
  } finally {
    await pool.end();
  }
}

function makePool(config: pg.PoolConfig, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    ...config,
    application_name: 'chartwright',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    stream: makeJoiningSocket,
    types: { getTypeParser: typeParser },
  });
  // Some request or run opened the connection, but its end belongs to none: the log line must not name their trace.
  pool.on('error', AsyncResource.bind(onError));
  // A connection in use has no error listener between two statements: without this an `error` event there ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === INT8_OID ? parseInt8 : pg.types.getTypeParser(oid, format as 'text');

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError('a number of the database is larger than the engine can hold');
  return value;
}

/** The text of a failed connection that may be shown: it holds names of hosts, users and databases at most. */
function describeConnectFailure(cause: unknown): string {
  // A host with several addresses fails with one error for all of them, which has no message of its own.
  const errors: readonly unknown[] =
    isNativeError(cause) && 'errors' in cause && Array.isArray(cause.errors) ? cause.errors : [cause];
  const [first] = errors;
  return isNativeError(first) ? first.message : 'the connection failed';
}
