// The adapters on a real PostgreSQL keep the promises of their ports.
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { sql } from 'kysely';
import { makePostgresKeys } from '../../../src/outbound/postgres/keys.ts';
import { makePostgresLimits } from '../../../src/outbound/postgres/limits.ts';
import { makePostgresPlans } from '../../../src/outbound/postgres/plans.ts';
import { makePostgresPreparedStreams } from '../../../src/outbound/postgres/prepared-streams.ts';
import { makePostgresUsage } from '../../../src/outbound/postgres/usage.ts';
import { keysContract } from '../../contracts/keys-contract.ts';
import { limitsContract } from '../../contracts/limits-contract.ts';
import { plansContract } from '../../contracts/plans-contract.ts';
import { preparedStreamsContract } from '../../contracts/prepared-streams-contract.ts';
import { usageContract } from '../../contracts/usage-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let test: TestDatabase;

beforeAll(async () => {
  test = await makeTestDatabase();
});
beforeEach(async () => {
  await sql`truncate api_keys, usage_records, month_totals, minute_counts, prepared_streams cascade`.execute(
    test.database.db,
  );
  await sql`delete from plans where name not in ('unlimited', 'standard')`.execute(test.database.db);
});
afterAll(() => test.drop());

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
  streams: makePostgresPreparedStreams({ ...test, masterKey: new Uint8Array(32).fill(7) }),
  pass: async (ms) => {
    const past = sql`make_interval(secs => ${ms / 1000})`;
    await sql`
      update prepared_streams set expires_at = expires_at - ${past},
        claimed_at = claimed_at - ${past}, used_at = used_at - ${past}`.execute(test.database.db);
  },
}));
