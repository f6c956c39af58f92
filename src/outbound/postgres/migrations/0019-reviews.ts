// The work of reviewers: the facts of each draft, who has claimed it, what was decided and how much of it was changed. Never changed after its
// release: changes come as a further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Counts and codes without a word of the draft: they are stored with its documents, so that a list of drafts opens no result. Runs of earlier
  // versions have none. `draft_order` is the negative rank, so that the index has both columns of the order in one direction.
  sql`alter table runs add column draft jsonb, add column draft_order smallint not null default 0`,
  sql`
  create index runs_to_review on runs (site, status, draft_order, serial)
    where status in ('held', 'written') and (status = 'held' or review is null) and not is_dry and revision > 0`,
  // A claim ends by itself. The key keeps two people from getting the same draft.
  sql`
  create table draft_claims (
    run_id uuid primary key references runs on delete cascade,
    site text not null,
    holder text not null,
    holder_name text not null,
    claimed_at timestamptz not null,
    ends_at timestamptz not null,
    delegated_by text
  )`,
  sql`create index draft_claims_by_holder on draft_claims (holder)`,
  sql`
  create table draft_decisions (
    id bigint generated always as identity primary key,
    run_id uuid not null references runs on delete cascade,
    site text not null,
    revision integer not null,
    decision text not null check (decision in ('approve', 'edit', 'reject', 'correct')),
    category text,
    actor text not null,
    practitioner text not null,
    note_type text not null,
    decided_at timestamptz not null,
    unique (run_id, revision, decision)
  )`,
  sql`create index draft_decisions_by_signer on draft_decisions (site, practitioner, id)`,
  sql`create index draft_decisions_by_time on draft_decisions (site, decided_at)`,
  // Lengths only, never a text: how much of a section was changed before it was signed.
  sql`
  create table draft_changes (
    decision_id bigint not null references draft_decisions on delete cascade,
    section text not null,
    draft_characters integer not null,
    draft_words integer not null,
    inserted_characters integer not null,
    inserted_words integer not null,
    deleted_characters integer not null,
    deleted_words integer not null,
    primary key (decision_id, section)
  )`,
  // Whether the people whom an event concerns have a notice of it. Events that were stored before get none.
  sql`alter table outbox add column noticed_at timestamptz`,
  sql`update outbox set noticed_at = now() where kind = 'attention'`,
  sql`create index outbox_unnoticed on outbox (created_at) where kind = 'attention' and noticed_at is null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
