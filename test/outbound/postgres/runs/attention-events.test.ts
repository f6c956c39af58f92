// Outcome events of which no person has a notice yet, in PostgreSQL.
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { makePostgresAttentionEvents } from '../../../../src/outbound/postgres/runs/attention-events.ts';
import { makePostgresInbox } from '../../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresQueue } from '../../../../src/outbound/postgres/runs/queue.ts';
import { makePostgresReminders } from '../../../../src/outbound/postgres/runs/reminders.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';
import { aKeptRun, HELD, RESULTS } from '../../../support/stored-runs.ts';

const HOUR_MS = 3_600_000;
let test: TestDatabase;
beforeAll(async () => {
  test = await makeTestDatabase();
});
beforeEach(async () => {
  for (const table of ['inbox', 'runs', 'outbox']) await sql`delete from ${sql.table(table)}`.execute(test.database.db);
});
afterAll(() => test.drop());

async function aReminder() {
  const parts = { ...test, secrets: fixedSecrets(7) };
  const stores = { inbox: makePostgresInbox(parts), queue: makePostgresQueue(parts), runs: makePostgresRuns(parts) };
  const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: HELD });
  await sql`update runs set changed_at = changed_at - interval '2 hours'`.execute(test.database.db);
  const order = { site: 'mercy', because: 'review-due', afterMs: HOUR_MS, statuses: ['held'], limit: 10 } as const;
  await makePostgresReminders(parts).record(order);
  return run;
}

const unnoticed = () => makePostgresAttentionEvents(test).unnoticed({ limit: 10, withinMs: HOUR_MS });

it('a reminder is read with its run until it is marked, and no other outcome event is', async () => {
  const run = await aReminder();
  const [event, ...others] = await unnoticed();
  expect([event, others]).toEqual([{ id: expect.any(String), site: 'mercy', run: run.id, because: 'review-due' }, []]);
  await makePostgresAttentionEvents(test).markNoticed([event?.id ?? '']);
  expect(await unnoticed()).toEqual([]);
});

it('an event is read whether or not it was sent to a broker, and not once it is old', async () => {
  await aReminder();
  const { db } = test.database;
  await sql`update outbox set ended_at = now(), ended_as = 'no-broker'`.execute(db);
  expect(await unnoticed()).toHaveLength(1);
  await sql`update outbox set created_at = now() - interval '61 minutes'`.execute(db);
  expect(await unnoticed()).toEqual([]);
});
