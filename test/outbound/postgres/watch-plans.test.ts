// Tests the plans of the statements for audit trail, outbox, feeds and pauses on tables of their expected size.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CompiledQuery, sql } from 'kysely';
import { reviewerQuery } from '../../../src/outbound/postgres/access/reviewers.ts';
import { auditPageQuery } from '../../../src/outbound/postgres/audit/audit.ts';
import { walkQuery } from '../../../src/outbound/postgres/audit/audit-verdict.ts';
import { unnoticedQuery } from '../../../src/outbound/postgres/runs/attention-events.ts';
import { countsQuery, settleQuery, takeQuery, unheardQuery } from '../../../src/outbound/postgres/runs/outbox.ts';
import { noteQuery } from '../../../src/outbound/postgres/sites/feeds.ts';
import { makeTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

let test: TestDatabase;
/** Autovacuum may be running or may not have recorded its result yet. Until then, an index-only scan is not possible. */
async function isVacuumed(): Promise<boolean> {
  const { db } = test.database;
  await db.transaction().execute(async (transaction) => {
    await sql`set local synchronous_commit = on`.execute(transaction);
    await sql`create temporary table flushed (id integer) on commit drop`.execute(transaction);
  });
  await sql`vacuum analyze audit_entries, outbox, reviewers`.execute(db);
  const { rows } = await sql<{ whole: boolean }>`
    select bool_and(relallvisible = relpages) as whole from pg_class where relname in ('audit_entries', 'outbox', 'reviewers')`.execute(
    db,
  );
  return rows[0]?.whole === true;
}

beforeAll(async () => {
  test = await makeTestDatabase();
  await sql`
    insert into audit_entries (seq, at, action, actor, site, run, prev_hash, hash)
    select n, timestamptz '2026-01-01' + n * interval '1 minute',
      case when n % 5000 = 0 then 'plan.change' else 'run.write' end, 'engine',
      case when n % 7000 = 0 then 'clinic' else 'mercy' end, 'run-' || n / 4, sha256('a'), sha256('b')
    from generate_series(1, 40000) n`.execute(test.database.db);
  await sql`
    insert into outbox (kind, site, event, leased_until, ended_at, ended_as)
    select 'documented', 'mercy', jsonb_build_object('runId', 'run-' || n, 'filler', repeat('x', 300)),
      case when n > 19950 then clock_timestamp() + interval '1 hour' end,
      case when n < 19900 then clock_timestamp() end, case when n < 19900 then 'sent' end
    from generate_series(1, 20000) n`.execute(test.database.db);
  await sql`
    insert into reviewers (id, site, practitioner, name, secret_digest, created_at)
    select 'r' || n, 'mercy', 'Practitioner/' || n, 'Dr. Made Up', sha256('a'), clock_timestamp()
    from generate_series(1, 4000) n`.execute(test.database.db);
  await until(isVacuumed);
});
afterAll(() => test.drop());

/** Returns the plan with these values, and with every kind of scan allowed. */
async function planOf({ sql: text, parameters }: CompiledQuery): Promise<string> {
  const { rows } = await test.database.pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...parameters]);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

describe('The audit trail', () => {
  const page = (query: Omit<Parameters<typeof auditPageQuery>[1], 'limit' | 'scope'>) =>
    planOf(auditPageQuery(test.database, { scope: 'all', ...query, limit: 50 }).compile());
  const cursor = Buffer.from('20000').toString('base64url');

  it.each([
    ['from its end', {}, /Backward using audit_entries_pkey/],
    ['from a page on', { cursor }, /Backward using audit_entries_pkey/],
    ['of a run', { run: 'run-500' }, /using audit_entries_by_run/],
    ['of a site with few entries', { site: 'clinic' }, /using audit_entries_by_site/],
    ['of an action that is rare', { action: 'plan.change' }, /using audit_entries_by_action/],
    ['of the last hour', { since: new Date('2026-01-28T18:00:00Z') }, /using audit_entries_(pkey|by_time)/],
  ] as const)('is listed %s by an index', async (_, query, index) => {
    const plan = await page(query);
    expect(plan).toMatch(index);
    expect(plan).not.toContain('Seq Scan');
  });

  it('is verified in the order of its index, without sorting', async () => {
    const plan = await planOf(walkQuery('20000', 2000).compile(test.database.db));
    expect(plan).toMatch(/using audit_entries_pkey/);
    expect(plan).not.toMatch(/Seq Scan|Sort/);
  });
});

describe('The outbox', () => {
  it('returns waiting rows without reading sent ones, and without sorting', async () => {
    const plan = await planOf(takeQuery(10, 1000).compile(test.database.db));
    expect(plan).toMatch(/using outbox_open/);
    expect(plan).toMatch(/using outbox_pkey/);
    expect(plan).not.toMatch(/Seq Scan|Sort/);
  });

  it('settles rows by the primary key', async () => {
    const ids = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
    const plan = await planOf(settleQuery(ids, 'sent').compile(test.database.db));
    expect(plan).toMatch(/outbox_pkey|outbox_open/);
    expect(plan).not.toContain('Seq Scan');
  });

  it('finds RED alarms that reached no one without reading other events', async () => {
    const plan = await planOf(unheardQuery(604_800_000).compile(test.database.db));
    expect(plan).toMatch(/using outbox_alarms/);
    expect(plan).not.toContain('Seq Scan');
  });

  it('finds events of which no person has a notice without reading others, in their order', async () => {
    const plan = await planOf(unnoticedQuery(20, 3_600_000).compile(test.database.db));
    expect(plan).toMatch(/using outbox_unnoticed/);
    expect(plan).not.toMatch(/Seq Scan|Sort/);
  });

  it('counts rows without reading their content', async () => {
    expect(await planOf(countsQuery.compile(test.database.db))).toMatch(/Index Only Scan using outbox_by_end/);
  });
});

describe('The feeds and reviewers', () => {
  it('note an event with one statement that finds its row by the key', async () => {
    const plan = await planOf(noteQuery('mercy', 'amqp', { lastEventAt: new Date() }).compile(test.database.db));
    expect(plan).toMatch(/Conflict Arbiter Indexes: feeds_pkey/);
  });

  it('find a reviewer by the primary key', async () => {
    expect(await planOf(reviewerQuery(test.database, 'r7', 'all').compile())).toMatch(/using reviewers_pkey/);
  });
});
