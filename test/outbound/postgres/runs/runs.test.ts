// The inbox, the queue and the runs in PostgreSQL keep the promises of their ports, with two engines at once.
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { sql } from 'kysely';
import { type Database, openDatabase } from '../../../../src/outbound/postgres/database.ts';
import { makePostgresDraftDecisions } from '../../../../src/outbound/postgres/runs/draft-decisions.ts';
import { makePostgresDrafts } from '../../../../src/outbound/postgres/runs/drafts.ts';
import { makePostgresInbox } from '../../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresQueue } from '../../../../src/outbound/postgres/runs/queue.ts';
import { makePostgresReminders } from '../../../../src/outbound/postgres/runs/reminders.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import { draftsContract } from '../../../contracts/drafts-contract.ts';
import { inboxContract } from '../../../contracts/inbox-contract.ts';
import { queueContract } from '../../../contracts/queue-contract.ts';
import { remindersContract } from '../../../contracts/reminders-contract.ts';
import { runsContract } from '../../../contracts/runs-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';

const secrets = fixedSecrets(7);
let test: TestDatabase;
let otherDatabase: Database;

beforeAll(async () => {
  test = await makeTestDatabase();
  otherDatabase = await openDatabase({ ...test, maxConnections: 5, onError: () => undefined });
});
beforeEach(async () => {
  for (const table of ['inbox', 'runs', 'outbox']) await sql`delete from ${sql.table(table)}`.execute(test.database.db);
});
afterAll(async () => {
  await otherDatabase.close();
  await test.drop();
});

async function makeSubject() {
  let at = new Date('2026-03-02T10:00:00Z').getTime();
  const now = () => new Date(at);
  const parts = { ...test, secrets, now };
  return {
    inbox: makePostgresInbox(parts),
    queue: makePostgresQueue(parts),
    other: makePostgresQueue({ ...parts, database: otherDatabase }),
    runs: makePostgresRuns(parts),
    reminders: makePostgresReminders(parts),
    otherReminders: makePostgresReminders({ ...parts, database: otherDatabase }),
    drafts: makePostgresDrafts(parts),
    otherDrafts: makePostgresDrafts({ ...parts, database: otherDatabase }),
    draftDecisions: makePostgresDraftDecisions(parts),
    now,
    pass: (ms: number) => {
      at += ms;
    },
    outbox: async () =>
      (await sql<never>`select id, kind, event from outbox order by position`.execute(test.database.db)).rows,
  };
}

inboxContract('PostgreSQL', makeSubject);
queueContract('PostgreSQL', makeSubject);
runsContract('PostgreSQL', makeSubject);
remindersContract('PostgreSQL', makeSubject);
draftsContract('PostgreSQL', makeSubject);
