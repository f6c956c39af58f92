// RED alarms among the outcome events, drafts that a clinician rejected, and released encounters. Never changed after its release: changes come as a further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // /readyz asks whether they were heard; all other events are many.
  sql`
  create index outbox_alarms on outbox (site, position) where kind = 'attention' and event ->> 'because' = 'red'`,
  // A rejected draft needs no operator: it is an end of its own.
  sql`
  alter table runs drop constraint runs_status_check, add constraint runs_status_check check (status in
    ('queued', 'running', 'waiting', 'held', 'written', 'skipped', 'parked', 'rejected', 'retracted', 'cancelled'))`,
  // The time of the change stays: a live view must not report it again.
  sql`update runs set status = 'rejected', reason = null where status = 'parked' and reason = 'rejected'`,
  // Encounters that a person released although the site holds them as sensitive. An empty session: the encounter as a whole.
  sql`
  create table releases (
    site text not null,
    encounter text not null,
    patient text not null,
    session text not null,
    released_at timestamptz not null,
    primary key (site, encounter, patient, session)
  )`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
