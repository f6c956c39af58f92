// Encounters that were moved to another patient after their documents were written. Never changed after its release: changes come as a
// further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // moved_to: the patient to whom the encounter of an ended run was moved; moved_by: the run that documents its session for that patient.
  sql`alter table runs add column moved_to text, add column moved_by uuid`,
  sql`
  alter table chart_findings drop constraint chart_findings_kind_check,
    add constraint chart_findings_kind_check
      check (kind in ('duplicate', 'missing', 'foreign', 'unknown', 'encounter', 'moved'))`,
  // For those that are checked more often.
  sql`
  create index chart_writes_recent on chart_writes (site, sent_at) where state = 'written' and action in ('create', 'update')`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
