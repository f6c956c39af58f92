// Tests opening the database: migrations, refused databases, and broken connections.
import { readdirSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Kysely, sql } from 'kysely';
import { INITIAL_PLANS } from '../../../src/domain/access/plan.ts';
import { makePostgresKeys } from '../../../src/outbound/postgres/access/keys.ts';
import { makePostgresPlans } from '../../../src/outbound/postgres/access/plans.ts';
import { type Database, openDatabase } from '../../../src/outbound/postgres/database.ts';
import { makePostgresHealth } from '../../../src/outbound/postgres/health.ts';
import { openKeys } from '../../../src/outbound/postgres/master-key.ts';
import { migrate } from '../../../src/outbound/postgres/migrations.ts';
import { makeTracing } from '../../../src/platform/tracing/tracing.ts';
import { aKey } from '../../contracts/keys-contract.ts';
import { makeEmptyDatabase, makeTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { givenKeys } from '../../support/secrets.ts';

const ignore = () => undefined;
/** All migrations that have a file. */
const MIGRATIONS = readdirSync(path.join(import.meta.dirname, '../../../src/outbound/postgres/migrations'))
  .map((file) => path.basename(file, '.ts'))
  .toSorted();
const cleanups: (() => Promise<void>)[] = [];

async function anEmptyDatabase(): Promise<string> {
  const { connectionString, drop } = await makeEmptyDatabase();
  cleanups.unshift(drop);
  return connectionString;
}

async function open(connectionString: string): Promise<Database> {
  const database = await openDatabase({ connectionString, maxConnections: 3, onError: ignore });
  cleanups.unshift(database.close);
  return database;
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

describe('Opening a database', () => {
  it('migrates it once, even if four engines start together', async () => {
    const connectionString = await anEmptyDatabase();
    const databases = await Promise.all(Array.from({ length: 4 }, () => open(connectionString)));
    const [database] = databases;
    if (!database) throw new Error('a database');
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(database.db);
    expect(rows.map(({ name }) => name)).toEqual(MIGRATIONS);
    expect(await makePostgresPlans({ database }).list()).toHaveLength(INITIAL_PLANS.length);
  });

  it('does not change a plan that the operator changed', async () => {
    const connectionString = await anEmptyDatabase();
    const plan = { name: 'standard', requestsPerMinute: 7 };
    await makePostgresPlans({ database: await open(connectionString) }).put(plan);
    const again = await open(connectionString);
    expect(await makePostgresPlans({ database: again }).find('standard')).toEqual(plan);
  });

  it('refuses a database that a newer engine has changed, and says so', async () => {
    const connectionString = await anEmptyDatabase();
    const { db } = await open(connectionString);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-future', '2100-01-01')`.execute(db);
    await expect(open(connectionString)).rejects.toThrow(/changed by a newer engine \(9999-future\)/);
  });

  it('leaves nothing of a migration that failed half way', async () => {
    const { db } = await open(await anEmptyDatabase());
    const failing = {
      up: async (migrating: Kysely<unknown>) => {
        await sql`create table half_made (id text)`.execute(migrating);
        await sql`select 1 / 0`.execute(migrating);
      },
    };
    const done = { up: async () => undefined };
    const applied = Object.fromEntries(MIGRATIONS.map((name) => [name, done]));
    const all = { ...applied, '9999-failing': failing };
    await expect(migrate(db as Kysely<unknown>, all)).rejects.toThrow(
      /could not be brought up to date \(9999-failing\)/,
    );
    const { rows } = await sql`select to_regclass('half_made') as found`.execute(db);
    expect(rows).toEqual([{ found: null }]);
  });

  it('says why in one line if no server listens at the address', async () => {
    const connectionString = 'postgres://nobody:secret-word@127.0.0.1:1/none';
    const opening = openDatabase({ connectionString, maxConnections: 1, onError: ignore });
    await expect(opening).rejects.toThrow(/^The database cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1\.$/);
  });

  it('limits every statement, and ends an idle transaction', async () => {
    const { db } = await open(await anEmptyDatabase());
    const setting = sql<{ name: string; setting: string }>`
      select name, setting from pg_settings
      where name in ('statement_timeout', 'idle_in_transaction_session_timeout') order by name`;
    expect((await setting.execute(db)).rows).toEqual([
      { name: 'idle_in_transaction_session_timeout', setting: '30000' },
      { name: 'statement_timeout', setting: '15000' },
    ]);
  });

  it('reads large whole numbers as numbers, and refuses one that would lose digits', async () => {
    const { pool } = await open(await anEmptyDatabase());
    expect((await pool.query('select 9007199254740991::int8 as n')).rows).toEqual([{ n: 9_007_199_254_740_991 }]);
    await expect(pool.query('select 9007199254740993::int8 as n')).rejects.toThrow(RangeError);
    expect((await pool.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
  });
});

describe('The master key of a database', () => {
  it('is that of the first engine, and another one is refused with what to do', async () => {
    const database = await open(await anEmptyDatabase());
    const first = new Uint8Array(32).fill(1);
    const opened = await Promise.all([1, 2, 3].map(() => openKeys(database, givenKeys(first))));
    expect(opened.map(({ keys }) => keys)).toEqual(opened.map(() => opened[0]?.keys));
    const other = openKeys(database, givenKeys(new Uint8Array(32).fill(2)));
    await expect(other).rejects.toThrow(/begun with another MASTER_KEY/);
  });
});

describe('A database that is unavailable for a while', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await makeTestDatabase();
  });
  afterAll(() => test.drop());

  it('is distinguished from a bug, is down for the health check, and is used again when it is back', async () => {
    const url = new URL(test.connectionString);
    const gate = await openGate(Number(url.port));
    cleanups.unshift(gate.close);
    url.port = String(gate.port);
    const broken: Error[] = [];
    const database = await openDatabase({
      connectionString: url.href,
      maxConnections: 3,
      onError: (error) => broken.push(error),
    });
    cleanups.unshift(database.close);
    const keys = makePostgresKeys({ database });
    const health = makePostgresHealth({ database });
    const key = aKey();
    await keys.create(key);
    expect((await health()).status).toBe('ok');
    await gate.close();
    while (broken.length === 0) await nextTurn();
    for (let count = 0; count < 3; count += 1) {
      await expect(keys.find(key.id)).rejects.toMatchObject({
        code: 'overloaded',
        message: 'The database cannot be reached at this moment',
        retryAfterSeconds: 2,
      });
    }
    expect((await health()).status).toBe('down');
    await gate.open();
    expect((await keys.find(key.id))?.id).toBe(key.id);
    expect((await health()).status).toBe('ok');
  });

  it('is reported outside of the trace of the work that opened the connection', async () => {
    const tracing = makeTracing();
    const seen: (string | undefined)[] = [];
    const database = await openDatabase({
      connectionString: test.connectionString,
      maxConnections: 1,
      onError: () => seen.push(tracing.traceId()),
    });
    cleanups.unshift(database.close);
    const { rows } = await tracing.inSpan({ name: 'work' }, () =>
      sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.db),
    );
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(test.database.db);
    while (seen.length === 0) await nextTurn();
    expect(seen).toEqual([undefined]);
  });

  it('ends no process if the connection breaks between two statements of a transaction', async () => {
    const database = await open(test.connectionString);
    const transaction = database.db.transaction().execute(async (running) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(running);
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(test.database.db);
      const isGone = async () =>
        (await sql`select 1 from pg_stat_activity where pid = ${rows[0]?.pid}`.execute(test.database.db)).rows
          .length === 0;
      while (!(await isGone()));
      await sql`select 1`.execute(running);
    });
    await expect(transaction).rejects.toThrow();
    expect((await sql`select 1 as n`.execute(database.db)).rows).toEqual([{ n: 1 }]);
  });

  it('is down for the health check in time if it hangs', async () => {
    const database = await open(test.connectionString);
    const hanging = { ...database, pool: { query: () => new Promise(ignore) } } as unknown as Database;
    expect((await makePostgresHealth({ database: hanging })()).status).toBe('down');
  });

  it('is down for the health check with what is being done, as long as that is known, and is not asked meanwhile', async () => {
    let asked = 0;
    const query = async () => {
      asked += 1;
    };
    let outage: string | undefined = 'The embedded database is being started again.';
    const health = makePostgresHealth({ database: { pool: { query } } as unknown as Database, outage: () => outage });
    expect(await health()).toEqual({ name: 'database', status: 'down', detail: outage });
    expect(asked).toBe(0);
    outage = undefined;
    expect((await health()).status).toBe('ok');
    expect(asked).toBe(1);
  });
});

type Gate = { readonly port: number; readonly open: () => Promise<void>; readonly close: () => Promise<void> };

/** Opens a gate in front of the server. While it is closed, it accepts no connections and has ended the existing ones. */
async function openGate(serverPort: number): Promise<Gate> {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const listen = async (port: number) => {
    const made = createServer((inside) => {
      const outside = connect(serverPort, '127.0.0.1');
      for (const socket of [inside, outside]) {
        sockets.add(socket);
        socket.on('error', ignore);
        socket.on('close', () => {
          inside.destroy();
          outside.destroy();
          sockets.delete(socket);
        });
      }
      inside.pipe(outside).pipe(inside);
    });
    server = made;
    await new Promise<void>((resolve) => made.listen(port, '127.0.0.1', resolve));
    const address = made.address();
    return typeof address === 'object' && address ? address.port : 0;
  };
  const port = await listen(0);
  return {
    port,
    open: async () => {
      await listen(port);
    },
    close: async () => {
      const closing = server;
      server = undefined;
      for (const socket of sockets) socket.destroy();
      if (closing) await new Promise<void>((resolve) => closing.close(() => resolve()));
    },
  };
}
