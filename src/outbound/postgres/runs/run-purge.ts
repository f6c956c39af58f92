// What is older than it may get is deleted, some of it at a time, so that nobody waits for it. A run stays, and says what it said;
// only what was found in it goes.
import { type RawBuilder, sql } from 'kysely';
import { expiryMessage } from '../../../domain/run/run-expiry.ts';
import type { PurgeReport, Retention, Runs } from '../../../ports/runs.ts';
import { told } from './queue-steps.ts';
import { LET_GO } from './run-order.ts';
import { type RunStorage, settled } from './run-storage.ts';

const BATCH = 500;
/** A recording that no run ever used. */
const UNUSED_DAYS = 7;

export function makeRunPurge(storage: RunStorage): Pick<Runs, 'purge'> {
  return {
    purge: async (keep): Promise<PurgeReport> => ({
      // First: with its end the time of its recording begins.
      expired: await inBatches(storage, (limit) => expiredQuery(storage, keep, limit)),
      recordings: await inBatches(storage, (limit) => recordingsQuery(storage, keep, limit)),
      results: await inBatches(storage, (limit) => resultsQuery(storage, keep, limit)),
      bodies: await inBatches(storage, (limit) => bodiesQuery(storage, keep, limit)),
      keys: await inBatches(storage, (limit) => keysQuery(storage, keep, limit)),
      outcomes: await inBatches(storage, (limit) => outcomesQuery(storage, keep, limit)),
    }),
  };
}

type Purge = ReturnType<typeof sql<{ done: number }>>;

async function inBatches({ db }: RunStorage, purge: (limit: number) => Purge): Promise<number> {
  for (let count = 0; ; ) {
    const { rows } = await settled(() => purge(BATCH).execute(db));
    count += rows.length;
    if (rows.length < BATCH) return count;
  }
}

function before({ at }: Pick<RunStorage, 'at'>, ms: number): RawBuilder<Date> {
  return sql<Date>`(${at()} - make_interval(secs => ${ms / 1000}))`;
}

/** Those whose runs have all ended, the last of them long enough ago. One that still waits for a person keeps its recording. */
function recordingsQuery(storage: RunStorage, { audioMs }: Retention, limit: number): Purge {
  return sql`
    delete from recordings where id = any(array(
      select recording.id from recordings recording
      left join lateral (
        select count(*) as count, bool_and(run.ended_at is not null) as have_ended, max(run.ended_at) as ended_at from runs run
        where run.site = recording.site and run.encounter = recording.encounter
          and run.recordings @> array['upload:' || recording.id]
      ) using_it on true
      where recording.created_at < ${storage.at()} and case
        when using_it.count = 0 then recording.created_at < ${storage.at()} - make_interval(days => ${UNUSED_DAYS})
        else using_it.have_ended and using_it.ended_at < ${before(storage, audioMs)}
      end
      limit ${limit}
    ))
    returning 1 as done`;
}

/** By its state, and by no index of its time: those that are held are few, and their time must not call up what changed long ago. */
export function expiredQuery(
  { at }: Pick<RunStorage, 'at'>,
  { heldMs }: Pick<Retention, 'heldMs'>,
  limit: number,
): Purge {
  const { message, advice } = expiryMessage(heldMs);
  return sql`
    with old as (
      select id from runs where status = 'held' and changed_at + make_interval(secs => ${heldMs / 1000}) < ${at()}
      order by serial limit ${limit} for update skip locked
    ),
    gone as (
      update runs set ${LET_GO}, status = 'parked', reason = 'expired', message = ${message}, advice = ${advice},
        changed_at = ${at()}, ended_at = ${at()}, step = null, are_results_purged = true
      where id = any(array(select id from old)) returning *
    ),
    emptied as (update run_steps set result = null where run_id = any(array(select id from old)) and result is not null),
    ${told('gone', 'parked', at)}
    select 1 as done from gone`;
}

export function resultsQuery(
  storage: Pick<RunStorage, 'at'>,
  { resultsMs }: Pick<Retention, 'resultsMs'>,
  limit: number,
): Purge {
  return sql`
    with old as (
      select id from runs where ended_at < ${before(storage, resultsMs)} and not are_results_purged
      order by ended_at limit ${limit} for update skip locked
    ),
    emptied as (update run_steps set result = null where run_id = any(array(select id from old)) and result is not null)
    update runs set are_results_purged = true where id = any(array(select id from old))
    returning 1 as done`;
}

function bodiesQuery(storage: RunStorage, { quarantineMs }: Retention, limit: number): Purge {
  return sql`
    update inbox set body = null where id = any(array(
      select id from inbox where body is not null and received_at < ${before(storage, quarantineMs)}
      order by received_at limit ${limit} for update skip locked
    ))
    returning 1 as done`;
}

function keysQuery(storage: RunStorage, { keysMs }: Retention, limit: number): Purge {
  return sql`
    delete from inbox where id = any(array(
      select id from inbox where last_at < ${before(storage, keysMs)} order by last_at limit ${limit} for update skip locked
    ))
    returning 1 as done`;
}

/** What was told, or could be told to nobody: kept for as long as an event may come again. */
function outcomesQuery(storage: RunStorage, { keysMs }: Retention, limit: number): Purge {
  return sql`
    delete from outbox where id = any(array(
      select id from outbox where ended_at < ${before(storage, keysMs)} order by position limit ${limit} for update skip locked
    ))
    returning 1 as done`;
}
