// Parked runs whose replay was written. Never changed after its release: changes come as a further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // The replay that has written the session of a parked run: no person needs to act on it any more.
  sql`alter table runs add column replayed_by uuid`,
  // Replays that were written before this migration. Documents that were left in the chart of another patient still need a person.
  sql`
  update runs parked set replayed_by = later.id
  from runs later
  where parked.status = 'parked' and later.status = 'written' and later.replay_of is not null and not later.is_dry
    and later.site = parked.site and later.encounter = parked.encounter and later.session = parked.session
    and later.serial > parked.serial
    and (parked.patient = later.patient or parked.left_documents = '[]' and parked.reason is distinct from 'retract-by-hand')`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
