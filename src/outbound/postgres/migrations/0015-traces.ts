// The trace that a run continues. Never changed after its release: changes come as a further migration.
import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  // The `traceparent` of the event, upload or request that made the run, or woke it. Null in runs that were made before.
  await sql`alter table runs add column traceparent text`.execute(db);
}
