// Jobs: requests that are answered later. Never changed after its release: changes come as a further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // `receiving`: the body is still being stored. The client's Idempotency-Key may be made of anything, also of a patient's number: only its keyed
  // hash is stored.
  sql`
  create table jobs (
    id uuid primary key,
    key_id text not null,
    organization text not null,
    operation text not null,
    request_id text not null,
    client_key_hash bytea check (octet_length(client_key_hash) = 32),
    status text not null check (status in ('receiving', 'queued', 'running', 'done', 'failed', 'cancelled')),
    size_bytes bigint not null default 0,
    request bytea,
    result bytea,
    attempts integer not null default 0,
    holder uuid,
    lease_until timestamptz,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    ended_at timestamptz,
    expires_at timestamptz not null,
    callback_state text check (callback_state in ('wanted', 'due', 'delivered', 'given-up')),
    callback_tries integer not null default 0,
    callback_at timestamptz,
    check (num_nulls(holder, lease_until) in (0, 2)),
    check ((status in ('done', 'failed', 'cancelled')) = (ended_at is not null))
  )`,
  // A client that asks again with its key gets the same job.
  sql`
  create unique index jobs_by_client_key on jobs (key_id, client_key_hash)
    where client_key_hash is not null and status <> 'receiving'`,
  sql`create index jobs_open on jobs (key_id, created_at) where status in ('receiving', 'queued', 'running')`,
  sql`create index jobs_callbacks on jobs (callback_at) where callback_state = 'due'`,
  sql`create index jobs_by_end on jobs (expires_at)`,
  sql`
  create table job_chunks (
    job_id uuid not null references jobs on delete cascade,
    chunk_index integer not null,
    bytes bytea not null,
    primary key (job_id, chunk_index)
  )`,
  // The origins that a key may name for call-backs, and what signs them.
  sql`
  create table key_callbacks (
    key_id text primary key references api_keys (id) on delete cascade,
    origins text[] not null,
    secret bytea not null
  )`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
