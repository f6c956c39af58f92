// Deletes data after its retention time, in small portions that block no other work. A run itself stays with its state; only its
// results are deleted.
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
      // This comes first: the retention time of a recording begins when its run ends.
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

/** Recordings whose runs have all ended, the last of them long enough ago. A run that waits for a person keeps its recording. */
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

/** Selected by state, not by an index of the time: held runs are few, and old runs of other states must not be read. */
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
        changed_at = ${at()}, ended_at = ${at()}, step = null, are_results_purged = true, draft = null
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
    update runs set are_results_purged = true, draft = null where id = any(array(select id from old))
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

/** Sent and undeliverable events are stored for as long as an event may be repeated. */
function outcomesQuery(storage: RunStorage, { keysMs }: Retention, limit: number): Purge {
  return sql`
    delete from outbox where id = any(array(
      select id from outbox where ended_at < ${before(storage, keysMs)} order by position limit ${limit} for update skip locked
    ))
    returning 1 as done`;
}
