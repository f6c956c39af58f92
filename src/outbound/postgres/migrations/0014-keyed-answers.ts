// Answers by Idempotency-Key, and the tickets of prepared streams. Never changed after its release: changes come as a further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  sql`alter table prepared_streams add column ticket_digest bytea`,
  // A row without an answer is a request that `holder` works on until `lease_until`. The client's key may be made of anything, also of a patient's
  // number: only its keyed hash is stored.
  sql`
  create table keyed_answers (
    key_id text not null,
    client_key_hash bytea not null check (octet_length(client_key_hash) = 32),
    operation text not null,
    holder uuid not null,
    lease_until timestamptz not null,
    expires_at timestamptz not null,
    answer bytea,
    answered_at timestamptz,
    primary key (key_id, client_key_hash),
    check (num_nulls(answer, answered_at) in (0, 2))
  )`,
  sql`create index keyed_answers_by_end on keyed_answers (expires_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
