// What was used, in PostgreSQL: a row a request, and the month's sums by which limits are judged. Never content.
import { sql } from 'kysely';
import type { Operation, UsageRecord } from '../../domain/usage.ts';
import type { Usage, UsageQuery, UsageRow } from '../../ports/usage.ts';
import type { Database } from './database.ts';
import { guarded } from './errors.ts';

/** The calendar month in UTC, by the database's clock, whatever time zone the session has. */
export const thisMonth = sql<string>`date_trunc('month', now() at time zone 'UTC')::date`;

export function makePostgresUsage({ database }: { readonly database: Database }): Usage {
  return {
    record: (record) => guarded(() => keepRecord(database, record)),
    summarize: (query) => guarded(() => summarize(database, query)),
  };
}

async function keepRecord({ db }: Database, record: UsageRecord): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('usage_records')
      .values({
        request_id: record.requestId,
        key_id: record.keyId,
        organization: record.organization,
        operation: record.operation,
        started_at: record.startedAt,
        duration_ms: record.durationMs,
        ai_ms: record.aiMs,
        audio_seconds: record.audioSeconds,
        outcome: record.outcome,
        status: record.status,
        language: record.language ?? null,
        template: record.template ?? null,
      })
      .execute();
    if (record.audioSeconds <= 0) return;
    await transaction
      .insertInto('month_totals')
      .values({ organization: record.organization, month: thisMonth, requests: 0, audio_seconds: record.audioSeconds })
      .onConflict((conflict) =>
        conflict.columns(['organization', 'month']).doUpdateSet({
          audio_seconds: sql`month_totals.audio_seconds + excluded.audio_seconds`,
        }),
      )
      .execute();
  });
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
