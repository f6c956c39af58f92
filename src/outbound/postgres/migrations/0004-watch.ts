// What is known of the ways in which events come, who paused what, who may review, and who did what. Never changed once it was
// released: what is to be different comes as a further migration.
import { type Kysely, sql } from 'kysely';

const STATEMENTS = [
  // For counting how outcomes ended without reading them.
  sql`create index outbox_by_end on outbox (ended_as)`,
  sql`
  create table pauses (
    site text not null,
    what text not null check (what in ('intake', 'model', 'write', 'all')),
    reason text not null,
    since timestamptz not null,
    primary key (site, what)
  )`,
  // Noted at each event: with room in its page, a change of a row touches no index.
  sql`
  create table feeds (
    site text not null,
    kind text not null check (kind in ('amqp', 'subscription', 'push', 'poll', 'catch-up')),
    first_seen_at timestamptz not null,
    last_event_at timestamptz,
    searched_until timestamptz,
    subscription text,
    subscription_status text,
    subscription_digest text,
    last_event_number bigint,
    last_heartbeat_at timestamptz,
    alarm text check (alarm in ('silent', 'no-heartbeat', 'subscription', 'catch-up', 'topology')),
    alarm_since timestamptz,
    alarm_message text,
    primary key (site, kind),
    check (num_nulls(alarm, alarm_since, alarm_message) in (0, 3))
  ) with (fillfactor = 50)`,
  sql`
  create table reviewers (
    id text primary key,
    position bigint generated always as identity unique,
    site text not null,
    practitioner text not null,
    name text not null,
    secret_digest bytea not null,
    created_at timestamptz not null,
    revoked_at timestamptz
  )`,
  sql`create index reviewers_by_site on reviewers (site, position)`,
  // details is the text over which the hash was made, and times have no more digits than the hash: what is not in it cannot be kept.
  sql`
  create table audit_entries (
    seq bigint primary key check (seq > 0),
    at timestamptz(3) not null,
    action text not null,
    actor text not null,
    site text,
    run text,
    details text,
    prev_hash bytea not null check (octet_length(prev_hash) = 32),
    hash bytea not null check (octet_length(hash) = 32)
  )`,
  sql`create index audit_entries_by_time on audit_entries (at)`,
  sql`create index audit_entries_by_action on audit_entries (action, seq)`,
  sql`create index audit_entries_by_site on audit_entries (site, seq) where site is not null`,
  sql`create index audit_entries_by_run on audit_entries (run, seq) where run is not null`,
  // One row: the process that locks it may append.
  sql`
  create table audit_head (
    is_only boolean primary key default true check (is_only),
    seq bigint not null check (seq >= 0),
    hash bytea not null check (octet_length(hash) = 32)
  ) with (fillfactor = 10)`,
  sql`insert into audit_head (seq, hash) values (0, decode(repeat('00', 32), 'hex'))`,
  // A guard against mistakes, even of users who may drop a trigger: changes in spite of it are found by the hash.
  sql`
  create function refuse_audit_change() returns trigger language plpgsql as $$
  begin
    raise exception 'the audit trail is only ever added to' using errcode = 'insufficient_privilege';
  end $$`,
  sql`
  create trigger audit_entries_stay before update or delete or truncate on audit_entries
    for each statement execute function refuse_audit_change()`,
  sql`
  create trigger audit_head_stays before delete or truncate on audit_head
    for each statement execute function refuse_audit_change()`,
  sql`
  create trigger audit_head_grows before update on audit_head
    for each row when (new.seq <= old.seq) execute function refuse_audit_change()`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await statement.execute(db);
}
