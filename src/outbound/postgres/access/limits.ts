// Usage limits, counted in PostgreSQL for all engines together. A request refused by the monthly limit is not counted.
import { sql } from 'kysely';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Plan } from '../../../domain/access/plan.ts';
import type { Limits, MinuteVerdict } from '../../../ports/usage.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import { thisMonth } from './usage.ts';

const MINUTE_SECONDS = 60;
const MS_PER_SECOND = 1000;

export function makePostgresLimits({ database }: { readonly database: Database }): Limits {
  const minutes = makeMinuteCounter(database);
  return guardedMethods({
    takeMinute: (keyId, plan) => takeMinute(minutes, keyId, plan),
    takeMonth: (organization, plan) => takeMonth(database, organization, plan),
    hasAudioLeft: (organization, plan) => hasAudioLeft(database, organization, plan),
  });
}

/** It only counts and never refuses: each request checks its own plan, so that a changed plan applies at once. */
function makeMinuteCounter({ pool }: Database): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName: 'minute_counts',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: '',
    points: Number.MAX_SAFE_INTEGER,
    duration: MINUTE_SECONDS,
  });
}

async function takeMinute(minutes: RateLimiterPostgres, keyId: string, plan: Plan): Promise<MinuteVerdict | undefined> {
  const limit = plan.requestsPerMinute;
  if (limit === undefined) return undefined;
  const { consumedPoints, msBeforeNext } = await minutes.consume(keyId);
  return {
    isAllowed: consumedPoints <= limit,
    limit,
    remaining: Math.max(0, limit - consumedPoints),
    resetSeconds: Math.ceil(Math.max(0, msBeforeNext) / MS_PER_SECOND),
  };
}

async function takeMonth({ db }: Database, organization: string, plan: Plan): Promise<boolean> {
  const limit = plan.requestsPerMonth ?? null;
  const { rows } = await sql`
    insert into month_totals as total (organization, month, requests)
    select ${organization}, ${thisMonth}, 1
    where coalesce(${limit}::bigint > 0, true)
    on conflict (organization, month) do update set requests = total.requests + 1
    where coalesce(total.requests < ${limit}::bigint, true)
    returning 1`.execute(db);
  return rows.length > 0;
}

async function hasAudioLeft({ db }: Database, organization: string, plan: Plan): Promise<boolean> {
  const limit = plan.audioSecondsPerMonth;
  if (limit === undefined) return true;
  const total = await db
    .selectFrom('month_totals')
    .select('audio_seconds')
    .where('organization', '=', organization)
    .where('month', '=', thisMonth)
    .executeTakeFirst();
  return (total?.audio_seconds ?? 0) < limit;
}
