// Two engines with the same engine.id on one database, from a copied or shared data folder. Only runs of a dead engine are taken over.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { claimEngineIdentity } from '../../../src/inbound/worker/engine-identity.ts';
import { type Database, openDatabase } from '../../../src/outbound/postgres/database.ts';
import { makePostgresEngineNames } from '../../../src/outbound/postgres/engine-names.ts';
import { makePostgresInbox } from '../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresQueue } from '../../../src/outbound/postgres/runs/queue.ts';
import { accepted, anOrder } from '../../contracts/queue-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { fixedSecrets } from '../../support/secrets.ts';
import { until, untilFound } from '../../support/until.ts';

let test: TestDatabase;
let folder: string;
const secrets = fixedSecrets(7);

beforeAll(async () => {
  test = await makeTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'testbed-'));
});
beforeEach(async () => {
  for (const table of ['inbox', 'runs']) await sql`delete from ${sql.table(table)}`.execute(test.database.db);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await test.drop();
});

async function anEngine() {
  const database = await openDatabase({ ...test, maxConnections: 3, onError: () => undefined });
  const queue = makePostgresQueue({ database, secrets });
  const engineNames = makePostgresEngineNames({ database });
  const testbed = await claimEngineIdentity({ idFile: path.join(folder, 'engine.id'), engineNames, queue });
  return { database, queue, ...testbed };
}

/** A run that is processed by that engine. */
async function aRunOf({
  queue,
  database,
  holder,
}: { readonly holder: string } & Pick<Awaited<ReturnType<typeof anEngine>>, 'queue' | 'database'>) {
  const inbox = makePostgresInbox({ database, secrets });
  const id = await accepted({ inbox, now: () => new Date() } as Parameters<typeof accepted>[0], 'Encounter/1');
  const [claim] = await queue.claim(anOrder({ holder }));
  if (claim?.run.id !== id) throw new Error('it was not to be had');
  return claim;
}

async function close(...databases: readonly Database[]): Promise<void> {
  await Promise.all(databases.map((database) => database.close()));
}

it('a second engine with the same id leaves the runs of the first alone, and a third cannot claim its runs', async () => {
  const first = await anEngine();
  const claim = await aRunOf(first);
  const second = await anEngine();
  expect([first.isOurs, second.isOurs, second.leftBehind]).toEqual([true, false, 0]);
  expect(await second.queue.claim(anOrder({ holder: second.holder }))).toEqual([]);
  await first.queue.leave(claim, { status: 'queued' });
  const [taken] = await second.queue.claim(anOrder({ holder: second.holder }));
  expect(taken?.run.crashes).toBe(0);
  await first.release();
  await close(first.database);
  const third = await untilFound(async () => {
    const engine = await anEngine();
    if (engine.isOurs) return engine;
    await close(engine.database);
    return undefined;
  });
  expect(third.leftBehind).toBe(0);
  for (const engine of [second, third]) await engine.release();
  await close(second.database, third.database);
});

it('an engine that starts after the first has died continues its runs at once', async () => {
  const first = await anEngine();
  const { run } = await aRunOf(first);
  await first.release();
  await close(first.database);
  await until(async () => {
    const next = await anEngine();
    const [claim] = next.leftBehind === 0 ? [] : await next.queue.claim(anOrder({ holder: next.holder }));
    await next.release();
    await close(next.database);
    return claim?.run.id === run.id && claim.run.crashes === 1;
  });
});
