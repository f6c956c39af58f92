// People: their accounts, roles, sessions and tokens, and charts opened by break-glass. Never changed after its release: changes come as a
// further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  sql`
  create table people (
    id text primary key check (id ~ '^[0-9a-f]{16}$'),
    position bigint generated always as identity unique,
    name text not null,
    email text,
    origin text not null check (origin in ('local', 'oidc', 'launch')),
    created_at timestamptz not null default now(),
    disabled_at timestamptz,
    last_seen_at timestamptz
  )`,
  // Site '*' is every site. One Practitioner of a site is one person.
  sql`
  create table person_grants (
    person_id text not null references people (id) on delete cascade,
    role text not null check (role in ('viewer', 'operator', 'integrator', 'reviewer', 'auditor', 'admin')),
    site text not null,
    practitioner text,
    origin text not null check (origin in ('admin', 'claims', 'launch')),
    granted_by text not null,
    granted_at timestamptz not null default now(),
    primary key (person_id, role, site, origin),
    check ((role = 'reviewer') = (practitioner is not null)),
    check (role <> 'reviewer' or site <> '*')
  )`,
  sql`create index person_grants_by_site on person_grants (site)`,
  sql`create index person_grants_by_practitioner on person_grants (site, practitioner) where practitioner is not null`,
  // One row once there is an admin of every site. It stays when that admin goes: the operator key never gets its former rights back.
  sql`
  create table first_admin (
    is_there boolean primary key default true check (is_there),
    person_id text not null,
    at timestamptz not null default now()
  )`,
  sql`
  create table person_identities (
    issuer text not null,
    subject text not null,
    person_id text not null references people (id) on delete cascade,
    added_at timestamptz not null default now(),
    primary key (issuer, subject)
  )`,
  // A secret that was replaced is good for a moment more: requests of the same page may be under way.
  sql`
  create table person_sessions (
    id text primary key check (id ~ '^[0-9a-f]{16}$'),
    person_id text not null references people (id) on delete cascade,
    kind text not null check (kind in ('browser', 'frame', 'cli')),
    way text not null,
    secret_digest bytea not null,
    former_digest bytea,
    former_until timestamptz,
    purpose text,
    opened_site text,
    opened_encounter text,
    opened_patient text,
    issuer text,
    subject text,
    provider_session text,
    address text not null,
    agent text,
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    idle_ms integer not null,
    ends_at timestamptz not null,
    ended_at timestamptz,
    ended_why text,
    check (opened_site is not null or opened_encounter is null)
  )`,
  sql`create index person_sessions_open on person_sessions (person_id) where ended_at is null`,
  sql`
  create index person_sessions_of_subject on person_sessions (issuer, subject)
  where ended_at is null and issuer is not null`,
  sql`
  create index person_sessions_of_provider on person_sessions (issuer, provider_session)
  where ended_at is null and provider_session is not null`,
  sql`
  create table service_tokens (
    id text primary key check (id ~ '^[0-9a-f]{16}$'),
    position bigint generated always as identity unique,
    label text not null,
    grants jsonb not null,
    purpose text,
    secret_digest bytea not null,
    made_by text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    revoked_at timestamptz,
    last_used_at timestamptz
  )`,
  sql`
  create table sign_in_attempts (
    state_digest bytea primary key,
    kind text not null,
    browser_digest bytea not null,
    details bytea not null,
    expires_at timestamptz not null
  )`,
  sql`create index sign_in_attempts_by_end on sign_in_attempts (expires_at)`,
  sql`
  create table used_token_ids (
    issuer text not null,
    token_id text not null,
    until timestamptz not null,
    primary key (issuer, token_id)
  )`,
  sql`create index used_token_ids_by_end on used_token_ids (until)`,
  sql`
  create table sign_in_links (
    digest bytea primary key,
    person_id text not null references people (id) on delete cascade,
    made_by text not null,
    expires_at timestamptz not null,
    used_at timestamptz
  )`,
  sql`create index sign_in_links_by_person on sign_in_links (person_id)`,
  sql`
  create table person_passkeys (
    id text primary key,
    person_id text not null references people (id) on delete cascade,
    public_key text not null,
    counter bigint not null,
    transports text[] not null,
    label text not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz
  )`,
  sql`create index person_passkeys_by_person on person_passkeys (person_id)`,
  sql`
  create table person_passwords (
    person_id text primary key references people (id) on delete cascade,
    hash text not null,
    changed_at timestamptz not null default now()
  )`,
  sql`
  create table person_second_factors (
    person_id text primary key references people (id) on delete cascade,
    secret bytea not null,
    is_confirmed boolean not null default false,
    last_step bigint not null default 0
  )`,
  sql`
  create table device_sign_ins (
    device_digest bytea primary key,
    user_code_digest bytea not null unique,
    state text not null default 'pending' check (state in ('pending', 'approved', 'denied')),
    person_id text references people (id) on delete cascade,
    address text not null,
    agent text,
    interval_ms integer not null,
    polled_at timestamptz,
    expires_at timestamptz not null
  )`,
  sql`
  create table opened_charts (
    id uuid primary key,
    position bigint generated always as identity unique,
    run_id uuid not null,
    site text not null,
    actor text not null,
    reason bytea not null,
    opened_at timestamptz not null default now(),
    ends_at timestamptz not null
  )`,
  sql`create index opened_charts_by_run on opened_charts (run_id, actor, ends_at)`,
  sql`
  create table notices (
    id uuid primary key,
    kind text not null,
    channel text not null check (channel in ('mail', 'webhook')),
    recipient text not null,
    site text not null,
    run_id uuid,
    details jsonb not null,
    created_at timestamptz not null default now(),
    due_at timestamptz,
    tries integer not null default 0,
    sent_at timestamptz,
    given_up_at timestamptz
  )`,
  sql`create index notices_due on notices (due_at) where due_at is not null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
