// Reminders of runs that wait for a person. Never changed after its release: changes come as a further migration.
import { type Kysely, sql } from 'kysely';

const IS_PARKED = sql`status = 'parked' and coalesce(reason, '') <> 'rejected'`;
const IS_HELD = sql`status = 'held' and coalesce(reason, '') not in ('review', 'drafts')`;
const IS_DRAFT = sql`(status = 'written' and review is null or status = 'held' and coalesce(reason, '') in ('review', 'drafts'))`;

const IS_NEW = sql`reminded_of is distinct from changed_at`;

const STATEMENTS = [
  // All rows of runs are rewritten: some two seconds per 100,000 rows, without a timeout.
  sql`set local statement_timeout = 0`,
  // reminded_at, reminded_as: the last reminder and its time; reminded_of: the change of the run that it was about, so that the next
  // change makes it obsolete. next_reminder: the reminder that the run may need in its current state; rests_since: since when it is in
  // that state. Both are empty while the run is running, so that a finished step costs no entry in their index.
  sql`
  alter table runs
    add column reminded_at timestamptz,
    add column reminded_of timestamptz,
    add column reminded_as text check (reminded_as in ('needs-person', 'review-due', 'review-overdue')),
    add column rests_since timestamptz
      generated always as (case when status in ('held', 'parked', 'written') then changed_at end) stored,
    add column next_reminder text generated always as (case
      when is_dry then null
      when ${IS_PARKED} or ${IS_HELD} then case when ${IS_NEW} then 'needs-person' end
      when ${IS_DRAFT} then case
        when ${IS_NEW} then 'review-due'
        when reminded_as = 'review-due' then 'review-overdue'
      end
    end) stored,
    add check (num_nulls(reminded_at, reminded_of, reminded_as) in (0, 3))`,
  sql`
  create index runs_to_remind on runs (site, next_reminder, status, rests_since) where next_reminder is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
