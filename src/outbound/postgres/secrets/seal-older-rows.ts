// Encrypts the names and ids that version 0.2.0 and earlier ones stored in clear, a batch of rows at a time, into the temporary table
// `sealed_rows`. It is part of a released migration: never changed.
import { type Kysely, sql } from 'kysely';
import { makeRehash, type SecretKeys, type Secrets } from './secrets.ts';
import { sealWhole } from './whole-values.ts';

export type TableSealing = (
  db: Kysely<unknown>,
  parts: { readonly keys: SecretKeys; readonly secrets: Secrets },
) => Promise<void>;

const BATCH = 1000;

type Numbered = { readonly number: number };
type SealedRow = readonly [one: Buffer | null, two?: Buffer | null, three?: Buffer | null];
type Batches<Row extends Numbered> = {
  /** Rows with higher numbers than `after`, in their order. */
  readonly read: (after: number) => Promise<{ readonly rows: readonly Row[] }>;
  readonly seal: (row: Row) => SealedRow;
};

async function inBatches<Row extends Numbered>(db: Kysely<unknown>, { read, seal }: Batches<Row>): Promise<void> {
  for (let after = 0; ; ) {
    const { rows } = await read(after);
    const last = rows.at(-1);
    if (last === undefined) return;
    const sealed = rows.map(seal);
    const column = (index: number) => sql`${sealed.map((values) => values[index] ?? null)}::bytea[]`;
    await sql`
      insert into pg_temp.sealed_rows (number, one, two, three)
      select * from unnest(${rows.map(({ number }) => number)}::bigint[], ${column(0)}, ${column(1)}, ${column(2)})`.execute(
      db,
    );
    after = last.number;
  }
}

type WriteRow = Numbered & {
  readonly site: string;
  readonly encounter: string;
  readonly session: string;
  readonly revision: number;
  readonly position: number;
  readonly base_system: string;
  readonly base_value: string;
  readonly identity_system: string;
  readonly identity_value: string;
  readonly full_url: string;
};

export const sealWrites: TableSealing = async (db, { secrets }) => {
  const sealing = secrets.sealing('chart-writes');
  const digest = secrets.digest('chart-names');
  await inBatches<WriteRow>(db, {
    read: (after) =>
      sql<WriteRow>`
        select serial as number, site, encounter, session, revision, position, base_system, base_value, identity_system,
          identity_value, full_url
        from chart_writes where serial > ${after} order by serial limit ${sql.lit(BATCH)}`.execute(db),
    seal: (row) => {
      const { site, encounter, session, revision, position } = row;
      const base = { system: row.base_system, value: row.base_value };
      const identity = { system: row.identity_system, value: row.identity_value };
      const names = JSON.stringify({ base, identity, fullUrl: row.full_url });
      const context = ['chart-write-names', site, encounter, session, revision, position];
      return [sealWhole(sealing, names, context), digest(site, row.identity_value)];
    },
  });
};

type FindingRow = Numbered & { readonly site: string; readonly kind: string; readonly identity: string };

export const sealFindings: TableSealing = async (db, { secrets }) => {
  const sealing = secrets.sealing('chart-writes');
  const digest = secrets.digest('chart-names');
  await inBatches<FindingRow>(db, {
    read: (after) =>
      sql<FindingRow>`
        select position as number, site, kind, identity from chart_findings
        where position > ${after} order by position limit ${sql.lit(BATCH)}`.execute(db),
    seal: ({ site, kind, identity }) => [
      sealWhole(sealing, identity, ['chart-finding', site, kind]),
      digest(site, identity),
    ],
  });
};

type EventRow = Numbered & {
  readonly site: string;
  readonly event_id: string | null;
  readonly received_at: Date;
};
type DeliveryRow = EventRow & { readonly key_hash: Buffer; readonly content_hash: Buffer | null };

/** The hashes of events are hashed once more, under a key that cannot be derived from the master key. */
export const sealDeliveries: TableSealing = async (db, { keys, secrets }) => {
  const sealEvent = makeSealEvent(secrets);
  const rehash = makeRehash(keys);
  await inBatches<DeliveryRow>(db, {
    read: (after) =>
      sql<DeliveryRow>`
        select position as number, site, event_id, received_at, key_hash, content_hash from inbox
        where position > ${after} order by position limit ${sql.lit(BATCH)}`.execute(db),
    seal: (row) => [sealEvent(row), rehash(row.key_hash), row.content_hash === null ? null : rehash(row.content_hash)],
  });
};

export const sealTriggers: TableSealing = async (db, { secrets }) => {
  const sealEvent = makeSealEvent(secrets);
  await inBatches<EventRow>(db, {
    read: (after) =>
      sql<EventRow>`
        select serial as number, site, trigger_event_id as event_id, trigger_received_at as received_at from runs
        where serial > ${after} and trigger_event_id is not null order by serial limit ${sql.lit(BATCH)}`.execute(db),
    seal: (row) => [sealEvent(row)],
  });
};

function makeSealEvent(secrets: Secrets) {
  const sealing = secrets.sealing('event-ids');
  return ({ site, event_id: id, received_at: at }: EventRow) =>
    id === null ? null : sealWhole(sealing, id, ['event-id', site, at.toISOString()]);
}
