// Which model and prompt a step's result is of. Never changed once it was released: what is to be different comes as a further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The run itself names the last: where the model was changed between two steps, its note is another one's. Null: as the run has it.
  sql`alter table run_steps add column model text, add column prompt text`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
