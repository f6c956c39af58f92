// Two engines look for the same reminders at the same moment: a reminder that one is sending is skipped by the other.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { makePostgresInbox } from '../../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresQueue } from '../../../../src/outbound/postgres/runs/queue.ts';
import { makePostgresReminders, tellQuery } from '../../../../src/outbound/postgres/runs/reminders.ts';
import { makeRunStorage } from '../../../../src/outbound/postgres/runs/run-storage.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';
import { aKeptRun } from '../../../support/stored-runs.ts';
import { until } from '../../../support/until.ts';

const ORDER = { site: 'mercy', because: 'needs-person', afterMs: 0, limit: 10 } as const;

let test: TestDatabase;
beforeAll(async () => {
  test = await makeTestDatabase();
});
afterAll(() => test.drop());

async function waitsForALock(): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(test.database.db);
  return (rows[0]?.count ?? 0) > 0;
}

it('a reminder that one engine is sending is not sent by another', async () => {
  const parts = { ...test, secrets: fixedSecrets(7) };
  const stores = { inbox: makePostgresInbox(parts), queue: makePostgresQueue(parts), runs: makePostgresRuns(parts) };
  const parked = { status: 'parked', reason: 'tries', message: 'It failed.', advice: 'Look at it.' } as const;
  await aKeptRun(stores, { session: 's', end: parked });
  const { db } = test.database;
  let second: Promise<number> | undefined;
  await db.transaction().execute(async (transaction) => {
    const query = tellQuery(makeRunStorage(parts), ORDER, { next: 'needs-person', status: 'parked' });
    expect((await query.execute(transaction)).rows).toHaveLength(1);
    let isOver = false;
    second = makePostgresReminders(parts).record({ ...ORDER, statuses: ['parked'] });
    second.finally(() => {
      isOver = true;
    });
    await until(async () => isOver || (await waitsForALock()));
  });
  expect(await second).toBe(0);
  expect((await sql`select 1 from outbox`.execute(db)).rows).toHaveLength(1);
});
