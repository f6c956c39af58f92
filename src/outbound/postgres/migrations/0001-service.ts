// The tables of the REST service: keys, plans, usage, limits, prepared streams. Never changed once it was released:
// what is to be different comes as a further migration.
import { type Kysely, sql } from 'kysely';

const INITIAL_PLANS = sql`
  insert into plans (name, requests_per_minute) values ('unlimited', null), ('standard', 600)`;

const STATEMENTS = [
  sql`
  create table plans (
    name text primary key,
    requests_per_minute bigint check (requests_per_minute >= 0),
    requests_per_month bigint check (requests_per_month >= 0),
    audio_seconds_per_month double precision check (audio_seconds_per_month >= 0)
  )`,
  INITIAL_PLANS,
  sql`
  create table api_keys (
    id text primary key,
    position bigint generated always as identity unique,
    secret_digest bytea not null,
    organization text not null,
    plan text not null references plans (name),
    label text,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
  )`,
  sql`
  create table usage_records (
    position bigint generated always as identity primary key,
    request_id text not null,
    key_id text not null,
    organization text not null,
    operation text not null,
    started_at timestamptz not null,
    duration_ms double precision not null,
    ai_ms double precision not null,
    audio_seconds double precision not null,
    outcome text not null,
    status integer not null,
    language text,
    template text
  )`,
  sql`create index usage_records_by_time on usage_records (started_at)`,
  sql`create index usage_records_by_organization on usage_records (organization, started_at)`,
  sql`create index usage_records_by_key on usage_records (key_id, started_at)`,
  sql`
  create table month_totals (
    organization text not null,
    month date not null,
    requests bigint not null default 0,
    audio_seconds double precision not null default 0,
    primary key (organization, month)
  )`,
  // The columns and their order are those of rate-limiter-flexible. A count that is lost in a crash does no harm.
  sql`
  create unlogged table minute_counts (
    key varchar(255) primary key,
    points integer not null default 0,
    expire bigint
  )`,
  sql`
  create table prepared_streams (
    id text primary key,
    key_id text not null,
    organization text not null,
    manifest bytea not null,
    expires_at timestamptz not null,
    ready_at timestamptz,
    claim text,
    claimed_at timestamptz,
    used_at timestamptz
  )`,
  sql`create index prepared_streams_by_expiry on prepared_streams (expires_at)`,
  sql`
  create table prepared_stream_chunks (
    stream_id text not null references prepared_streams (id) on delete cascade,
    file_index integer not null,
    chunk_index integer not null,
    bytes bytea not null,
    primary key (stream_id, file_index, chunk_index)
  )`,
  // Cipher text does not get smaller.
  sql`alter table prepared_stream_chunks alter column bytes set storage external`,
  sql`
  create table engine_settings (
    name text primary key,
    value text not null
  )`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
