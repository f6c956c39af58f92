// Of which runs people are to be told once more, because nobody has done anything about them. Never changed once it was released: what is
// to be different comes as a further migration.
import { type Kysely, sql } from 'kysely';

const IS_PARKED = sql`status = 'parked' and coalesce(reason, '') <> 'rejected'`;
const IS_HELD = sql`status = 'held' and coalesce(reason, '') not in ('review', 'drafts')`;
const IS_DRAFT = sql`(status = 'written' and review is null or status = 'held' and coalesce(reason, '') in ('review', 'drafts'))`;

const IS_NEW = sql`reminded_of is distinct from changed_at`;

const STATEMENTS = [
  // All rows of runs are written anew: some two seconds for each 100,000, and not to be broken off.
  sql`set local statement_timeout = 0`,
  // reminded_at, reminded_as: what was told last, and when; reminded_of: of which change of the run that was, so that the next change makes
  // it a thing of the past. next_reminder: what can be told of the run as it is now; rests_since: since when it is so. Both are empty while
  // it is at work, so that a step that was finished costs no entry in their index.
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
