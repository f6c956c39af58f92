// Outcome events that wait to be sent, in PostgreSQL: the reading side. Claimed rows are leased until a time of the database's
// clock; a row without a result by then is claimed again, unchanged.
import { sql } from 'kysely';
import { present } from '../../../domain/present.ts';
import type { Outbox, OutboxEnd, OutboxRow, UnheardAlarms } from '../../../ports/outbox.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';

type TakenRow = Omit<OutboxRow, 'traceparent'> & { readonly position: number; readonly traceparent: string | null };
type Counted = { readonly end: OutboxEnd | 'waiting'; readonly count: number };

export function makePostgresOutbox({ database: { db } }: { readonly database: Database }): Outbox {
  return guardedMethods({
    async take({ limit, leaseMs }) {
      const { rows } = await takeQuery(limit, leaseMs).execute(db);
      // An update returns its rows in no order.
      return rows
        .toSorted((one, other) => one.position - other.position)
        .map(({ id, kind, event, traceparent }) => ({
          id,
          kind,
          event,
          ...present({ traceparent: traceparent ?? undefined }),
        }));
    },
    async markEnded(ids, end) {
      if (ids.length > 0) await settleQuery(ids, end).execute(db);
    },
    async giveBack(ids) {
      if (ids.length > 0) await giveBackQuery(ids).execute(db);
    },
    async counts() {
      const { rows } = await countsQuery.execute(db);
      return new Map(rows.map(({ end, count }) => [end, count]));
    },
    async unheardAlarms({ withinMs }) {
      const { rows } = await unheardQuery(withinMs).execute(db);
      return rows;
    },
  });
}

/** Null if it is no id: such a row is sent without the trace of its run. */
const RUN_ID = sql`
  case when taken.event->>'runId' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (taken.event->>'runId')::uuid end`;

/** Called about every second. A concurrent caller skips the rows that are locked here. */
export function takeQuery(limit: number, leaseMs: number) {
  return sql<TakenRow>`
    with due as materialized (
      select id from outbox
      where ended_at is null and (leased_until is null or leased_until <= clock_timestamp())
      order by position limit ${limit}
      for update skip locked
    )
    update outbox taken set leased_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1000})
    from due where taken.id = due.id
    returning taken.id, taken.position, taken.kind, taken.event,
      (select run.traceparent from runs run where run.id = ${RUN_ID}) as traceparent`;
}

/** A final result stays: a process whose lease has ended may report late. */
export function settleQuery(ids: readonly string[], end: OutboxEnd) {
  return sql`
    update outbox set ended_at = clock_timestamp(), ended_as = ${end}, leased_until = null
    where id = any(${[...ids]}::uuid[]) and ended_at is null`;
}

function giveBackQuery(ids: readonly string[]) {
  return sql`update outbox set leased_until = null where id = any(${[...ids]}::uuid[]) and ended_at is null`;
}

export const countsQuery = sql<Counted>`
  select coalesce(ended_as, 'waiting') as "end", count(*) as count from outbox group by 1`;

/** Called with each answer of /readyz: the index of alarms has only their rows. */
export function unheardQuery(withinMs: number) {
  return sql<UnheardAlarms>`
    select alarm.site, count(*) as count, (array_agg(alarm.ended_as order by alarm.position desc))[1] as "end"
    from outbox alarm
    where alarm.kind = 'attention' and alarm.event ->> 'because' = 'red' and alarm.ended_as in ('unheard', 'no-broker')
      and alarm.ended_at > clock_timestamp() - make_interval(secs => ${withinMs / 1000})
      and alarm.position > coalesce((
        select max(heard.position) from outbox heard
        where heard.kind = 'attention' and heard.event ->> 'because' = 'red' and heard.site = alarm.site
          and heard.ended_as = 'sent'), 0)
    group by alarm.site order by alarm.site collate "C"`;
}
