// What the statements cost and what they make of hostile text.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CompiledQuery, sql } from 'kysely';
import { INITIAL_PLANS } from '../../../src/domain/plan.ts';
import { goodKeysQuery, keyQuery, makePostgresKeys } from '../../../src/outbound/postgres/keys.ts';
import { makePostgresLimits } from '../../../src/outbound/postgres/limits.ts';
import { makePostgresPlans } from '../../../src/outbound/postgres/plans.ts';
import { claimQuery, makePostgresPreparedStreams } from '../../../src/outbound/postgres/prepared-streams.ts';
import { makePostgresUsage } from '../../../src/outbound/postgres/usage.ts';
import { aKey } from '../../contracts/keys-contract.ts';
import { mercy } from '../../contracts/prepared-streams-contract.ts';
import { aUsageRecord } from '../../contracts/usage-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../support/postgres.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await makeTestDatabase();
});
afterAll(() => test.drop());

/** How PostgreSQL would run it on a large table: a whole scan is taken only where no index serves. */
async function planOf({ sql: text }: Pick<CompiledQuery, 'sql'>): Promise<string> {
  return test.database.db.transaction().execute(async (transaction) => {
    await sql`set local enable_seqscan = off`.execute(transaction);
    await sql`set local enable_bitmapscan = off`.execute(transaction);
    const { rows } = await sql.raw<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`).execute(transaction);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

describe('the statements of each request', () => {
  it('look a key up by its primary key', async () => {
    const plan = await planOf(keyQuery(test.database, 'id').compile());
    expect(plan).toMatch(/Index Scan using api_keys_pkey/);
    expect(plan).not.toContain('Seq Scan');
  });

  it('look the keys of open streams up by their primary key', async () => {
    expect(await planOf(goodKeysQuery(test.database, ['a', 'b']).compile())).toMatch(/Index Scan using api_keys_pkey/);
  });

  it('claim a prepared stream by its primary key', async () => {
    const plan = await planOf(claimQuery('id', mercy, 'token').compile(test.database.db));
    expect(plan).toMatch(/Index Scan using prepared_streams_pkey/);
    expect(plan).not.toContain('Seq Scan');
  });
});

describe('the plans of a new database', () => {
  it('are those that the product names', async () => {
    const plans = await makePostgresPlans(test).list();
    expect(plans).toEqual(INITIAL_PLANS.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  });
});

describe('text that a database cannot hold', () => {
  const nul = 'a\0b';
  const lone = 'a\ud800b';

  it('is refused as a bad request where it has a NUL, in every adapter', async () => {
    const keys = makePostgresKeys(test);
    const streams = makePostgresPreparedStreams({ ...test, masterKey: new Uint8Array(32) });
    const refusals = [
      () => keys.find(nul),
      () => keys.create(aKey({ organization: nul })),
      () => keys.revoke(nul),
      () => keys.findEnded([nul]),
      () => keys.noteUse(nul),
      () => makePostgresPlans(test).find(nul),
      () => makePostgresUsage(test).record(aUsageRecord({ organization: nul })),
      () => makePostgresUsage(test).summarize({ organization: nul }),
      () => makePostgresLimits(test).takeMinute(nul, { name: 'small', requestsPerMinute: 1 }),
      () => makePostgresLimits(test).takeMonth(nul, { name: 'small' }),
      () => streams.claim(nul, mercy),
    ];
    for (const refusal of refusals) await expect(refusal()).rejects.toMatchObject({ code: 'invalidRequest' });
  });

  it('does no harm where it has half a character', async () => {
    const keys = makePostgresKeys(test);
    expect(await keys.find(lone)).toBeUndefined();
    expect(await keys.create(aKey({ label: lone }))).toMatchObject({ label: 'a\ufffdb' });
  });
});

describe('limits that two engines count', () => {
  it('are counted together', async () => {
    const [one, other] = [makePostgresLimits(test), makePostgresLimits(test)];
    const plan = { name: 'small', requestsPerMinute: 3, requestsPerMonth: 5 };
    const minutes = await Promise.all([one, other, one, other, one].map((limits) => limits.takeMinute('key-1', plan)));
    expect(minutes.filter((minute) => minute?.isAllowed)).toHaveLength(3);
    const months = await Promise.all(
      [one, other, one, other, one, other, one].map((limits) => limits.takeMonth('mercy', plan)),
    );
    expect(months.filter(Boolean)).toHaveLength(5);
  });
});
