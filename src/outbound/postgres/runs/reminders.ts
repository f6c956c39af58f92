// Reminders, in PostgreSQL. One statement writes a reminder and records it: of several engines at the same moment one does, and the
// others skip the rows that it has locked.
import { type RawBuilder, sql } from 'kysely';
import type { Reminder, ReminderOrder, Reminders, WaitingStatus } from '../../../ports/reminders.ts';
import { told } from './queue-steps.ts';
import { makeRunStorage, type RunParts, type RunStorage, settled } from './run-storage.ts';

export function makePostgresReminders(parts: RunParts): Reminders {
  const storage = makeRunStorage(parts);
  return {
    record: async (order) => {
      let count = 0;
      for (const place of placesOf(order)) {
        const limit = order.limit - count;
        if (limit <= 0) break;
        const { rows } = await settled(() => tellQuery(storage, { ...order, limit }, place).execute(storage.db));
        count += rows.length;
      }
      return count;
    },
  };
}

/** The next reminder of a run and its state: each pair is a range of the index, in which the oldest come first. */
type Place = { readonly next: Reminder; readonly status: WaitingStatus };

/** A run that is overdue before its first reminder gets only the overdue one. */
const NEXT = {
  'needs-person': ['needs-person'],
  'review-due': ['review-due'],
  'review-overdue': ['review-overdue', 'review-due'],
} as const satisfies Record<Reminder, readonly Reminder[]>;

function placesOf({ because, statuses }: ReminderOrder): readonly Place[] {
  return NEXT[because].flatMap((next) => statuses.map((status) => ({ next, status })));
}

export function tellQuery(
  { at }: Pick<RunStorage, 'at'>,
  { site, because, afterMs, limit }: Omit<ReminderOrder, 'statuses'>,
  { next, status }: Place,
) {
  return sql<{ readonly id: string }>`
    with due as materialized (
      select run.id from runs run
      where run.site = ${site} and run.next_reminder = ${next} and run.status = ${status}
        and run.rests_since <= ${at()} - make_interval(secs => ${afterMs / 1000})
        and not ${isFollowed(because)}
      order by run.rests_since limit ${limit}
      for update of run skip locked
    ),
    mine as (
      update runs run set reminded_at = ${at()}, reminded_of = run.changed_at, reminded_as = ${because}
      where run.id = any(array(select id from due)) returning run.*
    ),
    ${told('mine', 'attention', at, sql`true`, because)}
    select id from mine`;
}

/**
 * A replay replaces the run before it; of two drafts of a session people decide about the later one. One lookup for each row: the planner
 * must not read the whole table.
 */
function isFollowed(because: Reminder): RawBuilder<boolean> {
  const isDraft = because === 'needs-person' ? sql`true` : sql`later.revision > 0`;
  return sql<boolean>`coalesce((
      select true from runs later
      where later.site = run.site and later.encounter = run.encounter and later.session = run.session
        and later.serial > run.serial and not later.is_dry and later.status <> 'cancelled' and ${isDraft}
      limit 1
    ), false)`;
}
