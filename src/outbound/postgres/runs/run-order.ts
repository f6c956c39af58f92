// The order of the runs of one patient, as pieces of SQL: what blocks a run, and which run is checked when one leaves.
import { type RawBuilder, sql } from 'kysely';

/** True if another run of its patient is at work, or comes before it. `run` names a row with id, site, patient and serial. */
export function isKeptBack(run: string): RawBuilder<boolean> {
  const one = sql.ref(run);
  // Each is a lookup in its own index, however many runs this patient has.
  return sql<boolean>`(coalesce((
      select true from runs other
      where other.site = ${one}.site and other.patient = ${one}.patient and other.status = 'running' and other.id <> ${one}.id
      limit 1
    ), (
      select true from runs other
      where other.site = ${one}.site and other.patient = ${one}.patient and other.serial < ${one}.serial
        and other.status in ('queued', 'running', 'waiting') and not other.is_pause
      limit 1
    ), false))`;
}

/**
 * A common table expression: the next run of each patient in `gone` (id, site, patient) is checked at once. The higher fence stops a
 * concurrent claim that saw it blocked from deferring it.
 */
export const POKED = sql`
  poked as (
    update runs later set fence = later.fence + 1, ready_at = case when not later.is_ready then later.due_at end
    where (later.is_ready or later.ready_at is not null) and later.id = any(array(
      select next.id from gone cross join lateral (
        (select one.id from runs one
          where one.site = gone.site and one.patient = gone.patient and one.id <> gone.id
            and one.status in ('queued', 'running', 'waiting') and not one.is_pause and one.status <> 'running'
          order by one.serial limit 1)
        union all
        (select one.id from runs one
          where one.site = gone.site and one.patient = gone.patient and one.id <> gone.id and one.is_pause
          limit 20)
      ) next
    ))
  )`;

/** Columns of a run that returns to the queue or leaves it: no process holds it. */
export const LET_GO = sql`
  holder = null, lease_until = null, must_look_again = false, is_cancelling = false, is_ready = false`;
