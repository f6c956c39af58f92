// Names of documents, which may contain the code of a diagnosis, and ids of senders' events are encrypted; a name is found by a keyed hash
// of it. Never changed after its release: changes come as a further migration.
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import {
  sealDeliveries,
  sealFindings,
  sealTriggers,
  sealWrites,
  type TableSealing,
} from '../secrets/seal-older-rows.ts';
import { makeSecrets, type SecretKeys } from '../secrets/secrets.ts';

const TABLES = [
  // Sealed under the master key. Number 0: from before this migration. is_announced: not used until all engines have it.
  sql`
  create table stored_keys (
    purpose text not null check (purpose in ('data', 'digests', 'audit')),
    number integer not null check (number >= 0),
    sealed bytea not null,
    is_announced boolean not null default false,
    made_at timestamptz not null default now(),
    primary key (purpose, number)
  )`,
  // No number is used twice, so that a key that was only announced is never taken for another one.
  sql`create sequence data_key_numbers as integer start 2`,
  // id: the check value of a master key that is not in force any more.
  sql`create table replaced_master_keys (id text primary key, replaced_at timestamptz not null default now())`,
  // The replacements of the master key, by the data key that each introduced. total: the values stored at that time.
  sql`
  create table key_rotations (
    number integer primary key check (number > 0),
    total bigint not null,
    done bigint not null default 0,
    started_at timestamptz not null default now(),
    ended_at timestamptz
  )`,
  // The engines at work. knows: the highest data key that the engine has; sealing_with: the one that it seals with.
  sql`
  create table engine_keys (
    engine uuid primary key,
    name text not null,
    knows integer not null,
    sealing_with integer not null,
    seen_at timestamptz not null
  )`,
  // The sealed values of one table, by the numbers of its rows.
  sql`create temp table sealed_rows (number bigint primary key, one bytea, two bytea, three bytea) on commit drop`,
  ...['one', 'two', 'three'].map(
    (column) => sql`
    create function ${sql.raw(`pg_temp.sealed_${column}`)}(bigint) returns bytea language sql stable
      as ${sql.lit(`select ${column} from pg_temp.sealed_rows where number = $1`)}`,
  ),
];

type TableChange = { readonly seal: TableSealing; readonly statements: readonly RawBuilder<unknown>[] };

/** Each table is written anew once, so that the old values are gone from its files, too. */
const CHANGES: readonly TableChange[] = [
  {
    seal: sealWrites,
    statements: [
      sql`drop index chart_writes_one_action, chart_writes_one_create, chart_writes_by_identity`,
      // Names of a write: base, identity and urn. identity_digest is keyed, so that a code cannot be guessed from it.
      sql`
      alter table chart_writes
        alter column base_value type bytea using pg_temp.sealed_one(serial),
        alter column identity_value type bytea using pg_temp.sealed_two(serial),
        drop column base_system, drop column identity_system, drop column full_url`,
      sql`alter table chart_writes rename column base_value to names`,
      sql`alter table chart_writes rename column identity_value to identity_digest`,
      sql`
      create unique index chart_writes_one_action
        on chart_writes (site, encounter, session, revision, identity_digest, action)`,
      // A write that cannot have been stored may be repeated; all others are made once.
      sql`
      create unique index chart_writes_one_create on chart_writes (site, identity_digest)
        where action = 'create' and state not in ('refused', 'dropped')`,
      sql`create index chart_writes_by_identity on chart_writes (site, identity_digest)`,
    ],
  },
  {
    seal: sealFindings,
    statements: [
      sql`drop index chart_findings_open`,
      sql`alter table chart_findings add column identity_digest bytea`,
      sql`
      alter table chart_findings
        alter column identity type bytea using pg_temp.sealed_one(position),
        alter column identity_digest type bytea using pg_temp.sealed_two(position)`,
      sql`alter table chart_findings rename column identity to sealed_identity`,
      sql`alter table chart_findings alter column identity_digest set not null`,
      sql`create unique index chart_findings_open on chart_findings (site, identity_digest, kind) where ended_at is null`,
    ],
  },
  {
    seal: sealDeliveries,
    statements: [
      sql`
      alter table inbox
        alter column event_id type bytea using pg_temp.sealed_one(position),
        alter column key_hash type bytea using pg_temp.sealed_two(position),
        alter column content_hash type bytea using pg_temp.sealed_three(position)`,
      sql`alter table inbox rename column event_id to event`,
    ],
  },
  {
    seal: sealTriggers,
    statements: [
      sql`alter table runs alter column trigger_event_id type bytea using pg_temp.sealed_one(serial)`,
      sql`alter table runs rename column trigger_event_id to trigger_event`,
      // The replays of a run are looked for when it is deleted.
      sql`create index runs_by_replay on runs (replay_of) where replay_of is not null`,
    ],
  },
];

/** `readKeys` is called only if something is stored. All of it is one transaction: if it is interrupted, it begins again. */
export function makeSealedNames(readKeys: (db: Kysely<unknown>) => Promise<SecretKeys>): Migration {
  return {
    async up(db) {
      for (const statement of TABLES) await statement.execute(db);
      const keys = (await isUsed(db)) ? await readKeys(db) : undefined;
      const parts = keys && { keys, secrets: makeSecrets(() => keys) };
      for (const { seal, statements } of CHANGES) {
        await sql`truncate pg_temp.sealed_rows`.execute(db);
        if (parts !== undefined) await seal(db, parts);
        for (const statement of statements) await statement.execute(db);
      }
    },
  };
}

async function isUsed(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ is_used: boolean }>`
    select exists (select from chart_writes) or exists (select from chart_findings) or exists (select from inbox)
      or exists (select from runs) as is_used`.execute(db);
  return rows[0]?.is_used === true;
}
