// The adapters on a real PostgreSQL keep the promises of their ports.
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { sql } from 'kysely';
import { makePostgresJobs } from '../../../src/outbound/postgres/access/jobs.ts';
import { makePostgresKeyedAnswers } from '../../../src/outbound/postgres/access/keyed-answers.ts';
import { makePostgresKeys } from '../../../src/outbound/postgres/access/keys.ts';
import { makePostgresLimits } from '../../../src/outbound/postgres/access/limits.ts';
import { makePostgresPlans } from '../../../src/outbound/postgres/access/plans.ts';
import { makePostgresUsage } from '../../../src/outbound/postgres/access/usage.ts';
import { makePostgresCodeLists } from '../../../src/outbound/postgres/codes/code-lists.ts';
import { type Database, openDatabase } from '../../../src/outbound/postgres/database.ts';
import { makePostgresLedger } from '../../../src/outbound/postgres/ledger/ledger.ts';
import { makePostgresEhrKnowledge } from '../../../src/outbound/postgres/sites/ehr-knowledge.ts';
import { makePostgresReleases } from '../../../src/outbound/postgres/sites/releases.ts';
import { makePostgresPreparedStreams } from '../../../src/outbound/postgres/streams/prepared-streams.ts';
import { codeListsContract } from '../../contracts/code-lists-contract.ts';
import { ehrKnowledgeContract } from '../../contracts/ehr-knowledge-contract.ts';
import { jobsContract, MOST_JOB_BYTES } from '../../contracts/jobs-contract.ts';
import { keyedAnswersContract, MOST_BYTES } from '../../contracts/keyed-answers-contract.ts';
import { keysContract } from '../../contracts/keys-contract.ts';
import { ledgerContract } from '../../contracts/ledger-contract.ts';
import { limitsContract } from '../../contracts/limits-contract.ts';
import { plansContract } from '../../contracts/plans-contract.ts';
import { preparedStreamsContract } from '../../contracts/prepared-streams-contract.ts';
import { releasesContract } from '../../contracts/releases-contract.ts';
import { usageContract } from '../../contracts/usage-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { fixedSecrets } from '../../support/secrets.ts';

let test: TestDatabase;
/** The database connection of a second engine on the same server. */
let other: Database;

beforeAll(async () => {
  test = await makeTestDatabase();
  other = await openDatabase({ ...test, maxConnections: 3, onError: () => undefined });
});
beforeEach(async () => {
  await sql`
    truncate api_keys, usage_records, month_totals, minute_counts, prepared_streams, keyed_answers, jobs, write_leases, chart_revisions,
      chart_writes, ehr_bindings, ehr_facts, chart_findings, releases, code_lists, official_codes cascade`.execute(
    test.database.db,
  );
  await sql`delete from plans where name not in ('unlimited', 'standard')`.execute(test.database.db);
});
afterAll(async () => {
  await other.close();
  await test.drop();
});

releasesContract('PostgreSQL', async () => makePostgresReleases(test));
plansContract('PostgreSQL', async () => makePostgresPlans(test));
keysContract('PostgreSQL', async () => makePostgresKeys(test));
usageContract('PostgreSQL', async () => makePostgresUsage(test));
limitsContract('PostgreSQL', async () => ({
  limits: makePostgresLimits(test),
  usage: makePostgresUsage(test),
  passMinute: async () => {
    await sql`update minute_counts set expire = expire - 60000`.execute(test.database.db);
  },
  passMonth: async () => {
    await sql`update month_totals set month = month - interval '1 month'`.execute(test.database.db);
  },
}));
preparedStreamsContract('PostgreSQL', async () => ({
  streams: makePostgresPreparedStreams({ ...test, secrets: fixedSecrets(7) }),
  pass: async (ms) => {
    const past = sql`make_interval(secs => ${ms / 1000})`;
    await sql`
      update prepared_streams set expires_at = expires_at - ${past},
        claimed_at = claimed_at - ${past}, used_at = used_at - ${past}`.execute(test.database.db);
  },
}));
keyedAnswersContract('PostgreSQL', async () => {
  const parts = { secrets: fixedSecrets(7), mostBytesPerKey: MOST_BYTES };
  return {
    answers: makePostgresKeyedAnswers({ ...parts, database: test.database }),
    other: makePostgresKeyedAnswers({ ...parts, database: other }),
    pass: async (ms) => {
      const past = sql`make_interval(secs => ${ms / 1000})`;
      await sql`
        update keyed_answers set expires_at = expires_at - ${past}, lease_until = lease_until - ${past},
          answered_at = answered_at - ${past}`.execute(test.database.db);
    },
  };
});
jobsContract('PostgreSQL', async () => {
  const parts = { secrets: fixedSecrets(7), mostBytesPerKey: MOST_JOB_BYTES };
  return {
    jobs: makePostgresJobs({ ...parts, database: test.database }),
    other: makePostgresJobs({ ...parts, database: other }),
    pass: async (ms) => {
      const past = sql`make_interval(secs => ${ms / 1000})`;
      await sql`
        update jobs set expires_at = expires_at - ${past}, lease_until = lease_until - ${past},
          ended_at = ended_at - ${past}`.execute(test.database.db);
    },
  };
});
ledgerContract('PostgreSQL', async () => {
  const secrets = fixedSecrets(7);
  return {
    ledger: makePostgresLedger({ ...test, secrets }),
    other: makePostgresLedger({ database: other, secrets }),
    passMs: async (ms) => {
      const { db } = test.database;
      const past = sql`make_interval(secs => ${ms / 1000})`;
      await sql`update write_leases set expires_at = expires_at - ${past}`.execute(db);
      await sql`update chart_writes set sent_at = sent_at - ${past}, checked_at = checked_at - ${past}`.execute(db);
    },
  };
});
ehrKnowledgeContract('PostgreSQL', async () => makePostgresEhrKnowledge(test));
codeListsContract('PostgreSQL', async () => ({
  codes: makePostgresCodeLists(test),
  other: makePostgresCodeLists({ database: other }),
}));
