// Events that came in, the runs that came of them, and what is told of those to others. Never changed once it was released: what is
// to be different comes as a further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Put here in the transaction that ends a run. leased_until: while somebody sends it.
  sql`
  create table outbox (
    id uuid primary key default gen_random_uuid(),
    position bigint generated always as identity unique,
    kind text not null check (kind in ('documented', 'parked', 'skipped', 'held', 'retracted', 'attention')),
    site text not null,
    event jsonb not null,
    created_at timestamptz not null default now(),
    leased_until timestamptz,
    ended_at timestamptz,
    ended_as text check (ended_as in ('sent', 'unheard', 'no-broker'))
  )`,
  sql`create index outbox_open on outbox (position) where ended_at is null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
