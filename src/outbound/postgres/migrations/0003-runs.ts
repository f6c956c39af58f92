// Received events, their runs, and the outcome events about these. Never changed after its release: changes come as a further
// migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // Inserted in the transaction that ends a run. leased_until: set while a process sends it.
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
  // One row per delivery. The hashes are keyed, so that no patient data can be guessed from them. body is encrypted, and stored for
  // quarantined deliveries only. last_at: when the same delivery last arrived.
  sql`
  create table inbox (
    id uuid primary key,
    position bigint generated always as identity unique,
    site text not null,
    source text not null,
    event_id text,
    outcome text not null check (outcome in ('accepted', 'nothing', 'not-understood', 'id-reused')),
    key_hash bytea not null,
    content_hash bytea,
    why text,
    received_at timestamptz not null,
    last_at timestamptz not null,
    repeats integer not null default 0,
    content_type text,
    body bytea,
    unique (site, key_hash)
  )`,
  sql`create index inbox_by_site on inbox (site, last_at)`,
  sql`create index inbox_aside on inbox (position) where outcome in ('not-understood', 'id-reused')`,
  sql`create index inbox_bodies on inbox (received_at) where body is not null`,
  sql`create index inbox_by_age on inbox (last_at)`,
  sql`alter table inbox alter column body set storage external`,
  // session: '' until the encounter was read. due_at: when a worker may claim the run. is_ready: it is due, and no other run of its
  // patient is known to come first; ready_at: when that is checked (again). Each row is changed in place some fifteen times, so room
  // is left on the pages.
  sql`
  create table runs (
    id uuid primary key default gen_random_uuid(),
    serial bigint generated always as identity unique,
    site text not null,
    organization text not null,
    encounter text not null,
    patient text,
    session text not null default '',
    recordings text[] not null default '{}',
    is_urgent boolean not null,
    status text not null default 'queued' check (status in
      ('queued', 'running', 'waiting', 'held', 'written', 'skipped', 'parked', 'retracted', 'cancelled')),
    reason text,
    message text,
    advice text,
    due_at timestamptz,
    waits_for text,
    step text,
    tries integer not null default 0,
    crashes integer not null default 0,
    is_cancelling boolean not null default false,
    must_look_again boolean not null default false,
    trigger_source text not null,
    trigger_event_id text,
    trigger_received_at timestamptz not null,
    engine text,
    mapping text,
    prompt text,
    model text,
    speech text,
    replay_of uuid references runs (id),
    is_dry boolean not null default false,
    revision integer not null default 0,
    review jsonb,
    resources jsonb not null default '[]',
    left_documents jsonb not null default '[]',
    holder text,
    lease_until timestamptz,
    fence bigint not null default 0,
    created_at timestamptz not null,
    started_at timestamptz,
    ended_at timestamptz,
    changed_at timestamptz not null,
    asked_at timestamptz,
    is_ready boolean not null default false,
    ready_at timestamptz,
    are_results_purged boolean not null default false,
    is_look boolean not null generated always as (session = '') stored,
    is_pause boolean not null
      generated always as (status = 'waiting' and coalesce(reason, '') in ('recording', 'encounter')) stored,
    check ((status = 'running') = (holder is not null and lease_until is not null)),
    check (status not in ('queued', 'waiting') or due_at is not null),
    check ((status in ('queued', 'waiting')) = (is_ready or ready_at is not null)),
    check (not (is_ready and ready_at is not null))
  ) with (fillfactor = 70)`,
  // One run a session, and one that looks at the encounter.
  sql`create unique index runs_one_a_session on runs (site, encounter, session) where replay_of is null`,
  // Never two of one patient at work.
  sql`create unique index runs_one_a_patient on runs (site, patient) where status = 'running' and patient is not null`,
  sql`create index runs_ready on runs (site, is_look, organization, is_urgent desc, serial) where is_ready`,
  sql`create index runs_pending on runs (is_urgent, ready_at) where ready_at is not null`,
  sql`
  create index runs_turns on runs (site, patient, serial)
    where patient is not null and status in ('queued', 'running', 'waiting') and not is_pause`,
  sql`create index runs_pauses on runs (site, patient) where patient is not null and is_pause`,
  sql`create index runs_running on runs (organization) where status = 'running'`,
  sql`create index runs_waiting on runs (waits_for, site) where status = 'waiting'`,
  sql`create index runs_by_encounter on runs (site, encounter, serial)`,
  sql`create index runs_by_patient on runs (patient, serial) where patient is not null`,
  sql`create index runs_by_status on runs (status, serial)`,
  sql`create index runs_drafts on runs (site, asked_at nulls first, serial) where status = 'written' and review is null`,
  sql`create index runs_to_purge on runs (ended_at) where ended_at is not null and not are_results_purged`,
  // Of blocks and not of rows: a step that was finished must not cost an entry in every index.
  sql`create index runs_by_change on runs using brin (changed_at) with (pages_per_range = 16, autosummarize = on)`,
  sql`
  create table inbox_runs (
    inbox_id uuid not null references inbox (id) on delete cascade,
    run_id uuid not null references runs (id) on delete cascade,
    primary key (inbox_id, run_id)
  )`,
  sql`create index inbox_runs_by_run on inbox_runs (run_id)`,
  // result is encrypted; absent for a step that had nothing to do, that failed, or whose result was deleted.
  sql`
  create table run_steps (
    run_id uuid not null references runs (id) on delete cascade,
    name text not null,
    status text not null check (status in ('pending', 'done', 'skipped', 'failed')),
    attempts integer not null,
    started_at timestamptz not null,
    finished_at timestamptz,
    error_code text,
    error_message text,
    result bytea,
    primary key (run_id, name)
  )`,
  // Cipher text does not get smaller.
  sql`alter table run_steps alter column result set storage external`,
  // What the sender said of it is encrypted like the bytes. stored_at: once all of it is there.
  sql`
  create table recordings (
    id text primary key,
    site text not null,
    encounter text not null,
    manifest bytea not null,
    size_bytes bigint,
    created_at timestamptz not null,
    stored_at timestamptz
  )`,
  sql`create index recordings_by_age on recordings (created_at)`,
  sql`
  create table recording_chunks (
    recording_id text not null references recordings (id) on delete cascade,
    chunk_index integer not null,
    bytes bytea not null,
    created_at timestamptz not null,
    primary key (recording_id, chunk_index)
  )`,
  sql`alter table recording_chunks alter column bytes set storage external`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
