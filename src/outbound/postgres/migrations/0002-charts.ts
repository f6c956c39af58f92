// What was written to which chart, who may write, and what was learned of each EHR. Never changed once it was released: what is to
// be different comes as a further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // A row stays when its lease has ended: the fence must never be given out twice.
  sql`
  create table write_leases (
    name text primary key,
    holder text not null,
    fence bigint not null check (fence > 0),
    expires_at timestamptz not null
  )`,
  // Devices belong to no encounter: empty texts. run_time is the text in the documents, run_at the same as a time.
  sql`
  create table chart_revisions (
    site text not null,
    encounter text not null,
    session text not null,
    number integer not null check (number > 0),
    kind text not null check (kind in ('documents', 'retraction', 'device')),
    patient text not null,
    run_id text not null,
    run_time text not null,
    run_at timestamptz not null,
    engine text not null,
    mapping text,
    prompt text,
    model text,
    speech text,
    state text not null default 'open' check (state in ('open', 'done', 'parked', 'replaced')),
    reason text,
    frozen_at timestamptz not null default now(),
    primary key (site, encounter, session, number)
  )`,
  // Two of them at once would be two plans for one chart.
  sql`
  create unique index chart_revisions_one_open on chart_revisions (site, encounter, session)
    where state in ('open', 'parked')`,
  sql`create index chart_revisions_by_run on chart_revisions (run_at) where kind = 'documents'`,
  sql`create index chart_revisions_by_model on chart_revisions (model, run_at) where kind = 'documents'`,
  sql`create index chart_revisions_by_mapping on chart_revisions (mapping, run_at) where kind = 'documents'`,
  sql`create index chart_revisions_by_prompt on chart_revisions (prompt, run_at) where kind = 'documents'`,
  // body is encrypted; sha256 is of what is in it. resource: which one of the EHR's this was done to.
  sql`
  create table chart_writes (
    id text primary key,
    serial bigint generated always as identity unique,
    site text not null,
    encounter text not null,
    session text not null,
    revision integer not null,
    position integer not null check (position >= 0),
    document text not null,
    action text not null check (action in ('create', 'update', 'retire')),
    type text not null,
    base_system text not null,
    base_value text not null,
    identity_system text not null,
    identity_value text not null,
    full_url text not null,
    body bytea not null,
    sha256 text not null,
    target text,
    if_match text,
    state text not null default 'frozen'
      check (state in ('frozen', 'sending', 'stored', 'written', 'refused', 'ambiguous', 'dropped')),
    sent_at timestamptz,
    sent_sha256 text,
    reference text,
    version text,
    checked_at timestamptz,
    resource text generated always as (coalesce(target, reference)) stored,
    unique (site, encounter, session, revision, position),
    foreign key (site, encounter, session, revision) references chart_revisions (site, encounter, session, number),
    check (action = 'create' or target is not null),
    check (state <> 'sending' or sent_sha256 is not null),
    check (state <> 'written' or coalesce(target, reference) is not null)
  )`,
  sql`
  create unique index chart_writes_one_action on chart_writes (site, encounter, session, revision, identity_value, action)`,
  // A write that cannot have been stored may be repeated; all others are made once.
  sql`
  create unique index chart_writes_one_create on chart_writes (site, identity_value)
    where action = 'create' and state not in ('refused', 'dropped')`,
  sql`create index chart_writes_by_identity on chart_writes (site, identity_value)`,
  sql`
  create index chart_writes_by_check on chart_writes (site, checked_at nulls first, serial)
    where state = 'written' and action in ('create', 'update')`,
  // Cipher text does not get smaller.
  sql`alter table chart_writes alter column body set storage external`,
  sql`
  create table ehr_bindings (
    site text primary key,
    base_url text not null,
    first_written_at timestamptz not null default now()
  )`,
  sql`
  create table ehr_facts (
    site text not null,
    software text not null,
    name text not null,
    value jsonb not null,
    learned_at timestamptz not null default now(),
    primary key (site, software, name)
  )`,
  sql`
  create table chart_findings (
    position bigint generated always as identity primary key,
    site text not null,
    kind text not null check (kind in ('duplicate', 'missing', 'foreign', 'unknown', 'encounter')),
    identity text not null,
    resources text[] not null,
    found_at timestamptz not null default now(),
    ended_at timestamptz
  )`,
  sql`create unique index chart_findings_open on chart_findings (site, identity, kind) where ended_at is null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
