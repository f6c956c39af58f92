// Usage, in PostgreSQL: a row for each request, and the monthly sums that limits are checked against. Never content.
import { sql } from 'kysely';
import type { Operation, UsageRecord } from '../../../domain/access/usage.ts';
import type { Usage, UsageQuery, UsageRow } from '../../../ports/usage.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';

/** The calendar month in UTC, by the database's clock, whatever time zone the session has. */
export const thisMonth = sql<string>`date_trunc('month', now() at time zone 'UTC')::date`;

export function makePostgresUsage({ database }: { readonly database: Database }): Usage {
  return guardedMethods({
    record: (record) => keepRecord(database, record),
    summarize: (query) => summarize(database, query),
  });
}

/** One statement: the record and the sum, or neither. */
async function keepRecord({ db }: Database, record: UsageRecord): Promise<void> {
  const { organization, audioSeconds } = record;
  await sql`
    with kept as (
      insert into usage_records (request_id, key_id, organization, operation, started_at, duration_ms, ai_ms, audio_seconds,
        outcome, status, language, template)
      values (${record.requestId}, ${record.keyId}, ${organization}, ${record.operation}, ${record.startedAt},
        ${record.durationMs}, ${record.aiMs}, ${audioSeconds}, ${record.outcome}, ${record.status},
        ${record.language ?? null}, ${record.template ?? null})
    )
    insert into month_totals (organization, month, requests, audio_seconds)
    select ${organization}, ${thisMonth}, 0, ${audioSeconds} where ${audioSeconds}::double precision > 0
    on conflict (organization, month) do update set audio_seconds = month_totals.audio_seconds + excluded.audio_seconds`.execute(
    db,
  );
}

async function summarize({ db }: Database, query: UsageQuery): Promise<readonly UsageRow[]> {
  const { organization, keyId, from, to } = query;
  let rows = db.selectFrom('usage_records');
  if (organization !== undefined) rows = rows.where('organization', '=', organization);
  if (keyId !== undefined) rows = rows.where('key_id', '=', keyId);
  if (from !== undefined) rows = rows.where('started_at', '>=', from);
  if (to !== undefined) rows = rows.where('started_at', '<', to);
  const sums = await rows
    .select([
      'organization',
      'key_id as keyId',
      sql<Operation>`operation`.as('operation'),
      sql<number>`count(*)`.as('requests'),
      sql<number>`count(*) filter (where outcome = 'failure')`.as('failures'),
      sql<number>`count(*) filter (where outcome = 'cancelled')`.as('cancelled'),
      sql<number>`sum(audio_seconds)`.as('audioSeconds'),
      sql<number>`sum(ai_ms)`.as('aiMs'),
      sql<number>`sum(duration_ms)`.as('durationMs'),
    ])
    .groupBy(['organization', 'key_id', 'operation'])
    .orderBy('organization')
    .orderBy('key_id')
    .orderBy('operation')
    .execute();
  return sums;
}
