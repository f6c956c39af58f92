// Seals values under the current data key that are sealed under an older one, batch by batch: each is one short transaction that waits for
// no other. A process that is killed leaves no gap: a value is sealed under one key or the other, and says which.
import { type Kysely, sql } from 'kysely';
import type { EngineNames } from '../../../ports/engine-names.ts';
import type { Database } from '../database.ts';
import { guarded } from '../errors.ts';
import type { Schema } from '../schema.ts';
import { enginesWithout, type KeyRing } from './key-ring.ts';
import { countValues, patiently, SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts';
import { MARK_BYTES, markOf, type Secrets, UNMARKED } from './secrets.ts';

export type SealAnewParts = {
  readonly database: Pick<Database, 'db'>;
  readonly ring: Pick<KeyRing, 'keys' | 'secrets'>;
  readonly engineNames: EngineNames;
  /** Values that cannot be opened: they were damaged before, and stay as they are. */
  readonly onDamaged: (count: number) => void;
};

/** The engine that has this name seals; if it dies, another one goes on. */
const NAME = 'seals-values-anew';

/** Goes through all values once, if the master key was replaced. True: there may be more to do. */
export async function sealAnew(parts: SealAnewParts, signal: AbortSignal): Promise<boolean> {
  const { db } = parts.database;
  const number = await guarded(() => openRotation(db));
  // This engine reads the new key within a second.
  if (number === undefined || number !== parts.ring.keys().current) return false;
  const turn = await parts.engineNames.claim(NAME);
  if (turn === undefined) return false;
  try {
    return await passOnce(parts, number, signal);
  } finally {
    await turn.release();
  }
}

async function openRotation(db: Kysely<Schema>): Promise<number | undefined> {
  const { rows } = await sql<{ number: number }>`
    select number from key_rotations where ended_at is null order by number desc limit 1`.execute(db);
  return rows[0]?.number;
}

async function passOnce(
  { database, ring, onDamaged }: SealAnewParts,
  number: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { db } = database;
  // An engine that still seals with the older key may do so behind the place where this pass is.
  const isLast = (await guarded(() => enginesWithout(db, 'sealing_with', number))).length === 0;
  let changed = 0;
  let damaged = 0;
  for (const column of SEALED_COLUMNS) {
    for (let after: Cursor | undefined; ; ) {
      if (signal.aborted) return false;
      const done = await sealBatch({ db, secrets: ring.secrets, number }, column, after);
      changed += done.changed;
      damaged += done.damaged;
      if (done.last === undefined) break;
      after = done.last;
    }
  }
  if (changed > 0) return true;
  if (!isLast || (await guarded(() => countValues(db, (column) => isOlder(column, number)))) > damaged) return false;
  await endRotation(db, number);
  if (damaged > 0) onDamaged(damaged);
  return false;
}

type Cursor = readonly unknown[];
type Batch = { readonly db: Kysely<Schema>; readonly secrets: Secrets; readonly number: number };
type BatchResult = { readonly changed: number; readonly damaged: number; readonly last?: Cursor };
type ValueRow = Readonly<Record<string, unknown>> & { readonly sealed: Buffer };

async function sealBatch(
  { db, secrets, number }: Batch,
  column: SealedColumn,
  after: Cursor | undefined,
): Promise<BatchResult> {
  const sealing = secrets.sealing(column.purpose);
  return guarded(() =>
    patiently(db, async (transaction) => {
      const { rows } = await olderQuery(column, number, after).execute(transaction);
      let changed = 0;
      for (const row of rows) {
        const plain = column.places(row).flatMap((place) => {
          const opened = sealing.open(row.sealed, place);
          return opened === undefined ? [] : [{ place, opened }];
        })[0];
        if (plain === undefined) continue;
        await replaceQuery(column, row, sealing.seal(plain.opened, plain.place)).execute(transaction);
        changed += 1;
      }
      if (changed > 0)
        await sql`
        update key_rotations set done = done + ${changed} where number = ${number}`.execute(transaction);
      const last = rows.at(-1);
      return {
        changed,
        damaged: rows.length - changed,
        ...(last !== undefined && { last: column.key.map((name) => last[name]) }),
      };
    }),
  );
}

/** A row that another process has locked is left to the next pass. */
function olderQuery({ table, column, key, also, join, batch }: SealedColumn, number: number, after?: Cursor) {
  const keys = key.map((name) => sql.ref(`t.${name}`));
  const behind =
    after === undefined ? sql`` : sql`and (${sql.join(keys)}) > (${sql.join(after.map((value) => sql`${value}`))})`;
  return sql<ValueRow>`
    select ${sql.join(keys)}, ${also === undefined ? sql`` : sql`${also},`} ${sql.ref(`t.${column}`)} as sealed
    from ${sql.table(table)} t ${join ?? sql``}
    where ${isOlder(`t.${column}`, number)} ${behind}
    order by ${sql.join(keys)} limit ${sql.lit(batch)} for update of t skip locked`;
}

/** Only the first bytes of a value are read for it. */
function isOlder(column: string, number: number) {
  const value = sql.ref(column);
  return sql<boolean>`${value} is not null and substring(${value} from 1 for ${sql.lit(MARK_BYTES)}) <> ${markOf(number)}`;
}

function replaceQuery({ table, column, key }: SealedColumn, row: ValueRow, sealed: Buffer) {
  const isRow = key.map((name) => sql`${sql.ref(name)} = ${row[name]}`);
  return sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sealed} where ${sql.join(isRow, sql` and `)}`;
}

/** The data key that was the first master key itself seals nothing any more. */
async function endRotation(db: Kysely<Schema>, number: number): Promise<void> {
  await guarded(() =>
    db.transaction().execute(async (transaction) => {
      await sql`update key_rotations set ended_at = clock_timestamp() where number = ${number}`.execute(transaction);
      await transaction
        .deleteFrom('stored_keys')
        .where((is) => is.and({ purpose: 'data', number: UNMARKED }))
        .execute();
    }),
  );
}
