// Which model answered, as its vendor names it, beside the one that was asked for. Never changed after its release: changes come as a
// further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // `gpt-5.4-2026-03-05`, or with the fingerprint behind a blank. The run has that of its last answer.
  sql`alter table run_steps add column answered_by text`,
  sql`alter table runs add column answered_by text`,
  // All models of the note and the diagnosis, each with and without its fingerprint.
  sql`alter table chart_revisions add column answered_by text[]`,
  sql`create index chart_revisions_by_answer on chart_revisions using gin (answered_by) where kind = 'documents'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
