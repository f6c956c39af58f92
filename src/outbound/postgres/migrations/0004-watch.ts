// What is known of the ways in which events come, who paused what, who may review, and who did what. Never changed once it was
// released: what is to be different comes as a further migration.
import type { Kysely, RawBuilder } from 'kysely';

const STATEMENTS: readonly RawBuilder<unknown>[] = [];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
