// The AuditEvents that wait for the EHR of their site. Never changed after its release: changes come as a further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // `body`: references, ids and codes only. `due_at` is null once it was sent or given up.
  sql`
  create table audit_events (
    id uuid primary key,
    site text not null,
    body jsonb not null,
    created_at timestamptz not null default now(),
    due_at timestamptz default now(),
    tries integer not null default 0,
    sent_at timestamptz,
    given_up_at timestamptz
  )`,
  sql`create index audit_events_due on audit_events (due_at) where due_at is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
