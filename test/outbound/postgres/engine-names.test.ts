// Tests the names of engines in PostgreSQL: one living process has a name, and the name of a dead one is free.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '../../../src/outbound/postgres/database.ts';
import { makePostgresEngineNames } from '../../../src/outbound/postgres/engine-names.ts';
import { engineNamesContract } from '../../contracts/engine-names-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until, untilFound } from '../../support/until.ts';

let test: TestDatabase;
const open = () => openDatabase({ ...test, maxConnections: 3, onError: () => undefined });
const namesOf = (database: Database) => makePostgresEngineNames({ database, againMs: 5 });

beforeAll(async () => {
  test = await makeTestDatabase();
});
afterAll(() => test.drop());

engineNamesContract('PostgreSQL', async () => {
  const [one, other] = [await open(), await open()];
  const close = async () => void (await Promise.all([one.close(), other.close()]));
  return { one: namesOf(one), other: namesOf(other), close };
});

it('the name of an engine is claimed again after its connection breaks', async () => {
  const [one, other] = [await open(), await open()];
  const taken = await namesOf(one).claim('testbed-1');
  const holders = async () => {
    const { rows } = await other.pool.query(
      "select pid from pg_locks join pg_database on pg_database.oid = database where locktype = 'advisory' and datname = current_database()",
    );
    return rows.map(({ pid }): number => pid);
  };
  const [first] = await holders();
  expect(first).toBeDefined();
  await other.pool.query('select pg_terminate_backend($1)', [first]);
  await until(async () => (await holders()).some((pid) => pid !== first));
  expect(await namesOf(other).claim('testbed-1')).toBeUndefined();
  await taken?.release();
  await Promise.all([one.close(), other.close()]);
});

it('the name of an engine does not prevent closing the database, and is free afterwards', async () => {
  const [one, other] = [await open(), await open()];
  const taken = await namesOf(one).claim('testbed-1');
  await taken?.release();
  await one.close();
  const next = await untilFound(() => namesOf(other).claim('testbed-1'));
  await next.release();
  await other.close();
});

it('a claim of a name reports an unavailable database', async () => {
  const one = await open();
  await one.close();
  await expect(namesOf(one).claim('testbed-1')).rejects.toMatchObject({ code: 'overloaded' });
});
