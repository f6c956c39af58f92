// What cards in the EHR need keeps the promises of its ports in PostgreSQL.
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { sql } from 'kysely';
import { makePostgresInbox } from '../../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresPatientDrafts } from '../../../../src/outbound/postgres/runs/patient-drafts.ts';
import { makePostgresQueue } from '../../../../src/outbound/postgres/runs/queue.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import { makePostgresCdsFeedback } from '../../../../src/outbound/postgres/sites/cds-feedback.ts';
import { cdsContract } from '../../../contracts/cds-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';

let test: TestDatabase;

beforeAll(async () => {
  test = await makeTestDatabase();
});
beforeEach(async () => {
  for (const table of ['inbox', 'runs', 'outbox', 'cds_feedback']) {
    await sql`delete from ${sql.table(table)}`.execute(test.database.db);
  }
});
afterAll(() => test.drop());

cdsContract('PostgreSQL', async () => {
  let at = new Date('2026-03-02T10:00:00Z').getTime();
  const now = () => new Date(at);
  const parts = { ...test, secrets: fixedSecrets(7), now };
  const queue = makePostgresQueue(parts);
  return {
    inbox: makePostgresInbox(parts),
    queue,
    other: queue,
    runs: makePostgresRuns(parts),
    patientDrafts: makePostgresPatientDrafts(parts),
    cdsFeedback: makePostgresCdsFeedback(parts),
    now,
    pass: (ms: number) => {
      at += ms;
    },
    outbox: async () => [],
  };
});
