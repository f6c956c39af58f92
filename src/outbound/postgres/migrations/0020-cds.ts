// Cards in the EHR by CDS Hooks: the drafts of a patient are found at once, and what clinicians did with cards is counted. Never changed after its
// release: changes come as a further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The conditions are those of runs_to_review.
  sql`
  create index runs_to_review_of_patient on runs (site, patient, draft_order, serial)
    where status in ('held', 'written') and (status = 'held' or review is null) and not is_dry and revision > 0`,
  // No words of the clinician, and nothing of whose chart it was.
  sql`
  create table cds_feedback (
    site text not null,
    service text not null,
    card uuid not null,
    outcome text not null check (outcome in ('accepted', 'overridden')),
    reason text,
    given_at timestamptz not null,
    primary key (site, service, card)
  )`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
