// Replaces the master key. A new data key is announced, sealed under the new master key; once every engine has opened it, one transaction
// seals all stored keys under the new master key, and from then on the old one opens nothing that is stored there. The values follow.
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { KeyRotation, RotationProgress } from '../../../ports/key-rotation.ts';
import type { MasterKeys } from '../../../ports/master-keys.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import type { Database } from '../database.ts';
import { guarded } from '../errors.ts';
import { checkOf, lockCheck, replaceCheck } from '../master-key.ts';
import type { Schema } from '../schema.ts';
import { enginesWithout, type KeyRing } from './key-ring.ts';
import { countValues } from './sealed-columns.ts';
import { announceKey, readAnnounced, resealKeys, withdrawAnnounced } from './stored-keys.ts';

export type KeyRotationParts = {
  readonly database: Pick<Database, 'db'>;
  readonly ring: KeyRing;
  readonly masterKeys: MasterKeys;
  readonly runtime: Pick<Runtime, 'monotonicMs' | 'pause'>;
  /** For how long engines without the new key are waited for. It is longer than a dead engine counts as one at work. */
  readonly patienceMs?: number;
};

const PATIENCE_MS = 15_000;
const POLL_MS = 250;

export function makeKeyRotation(parts: KeyRotationParts): KeyRotation {
  const { database, ring, masterKeys } = parts;
  return {
    rotate: () => rotate(parts),
    progress: () => guarded(() => readProgress(database.db)),
    isLocked: ring.isLocked,
    remains: async () => masterKeys.remains(ring.masterKey()),
  };
}

async function rotate(parts: KeyRotationParts): Promise<RotationProgress> {
  const { database, ring, masterKeys } = parts;
  const { db } = database;
  await ring.refresh();
  const next = await masterKeys.next();
  const number = await guarded(() => db.transaction().execute((transaction) => announce(transaction, ring, next)));
  try {
    await untilAllHave(parts, number);
    const total = await guarded(() => countValues(db));
    await guarded(() => db.transaction().execute((transaction) => replace(transaction, { ring, next, number, total })));
  } catch (error) {
    // Without a database it cannot be withdrawn; the next attempt does it then.
    await db
      .transaction()
      .execute((transaction) => withdraw(transaction, ring))
      .catch(() => undefined);
    throw error;
  }
  await ring.refresh();
  const progress = await guarded(() => readProgress(db));
  if (progress === undefined) throw new AppError('internal', 'The replacement of the master key was not recorded');
  return progress;
}

async function announce(transaction: Kysely<Schema>, ring: KeyRing, next: Uint8Array): Promise<number> {
  await ensureInForce(transaction, ring);
  const check = checkOf(next);
  if (check === checkOf(ring.masterKey())) {
    throw new AppError('conflict', 'This master key is in force already: MASTER_KEY_NEXT must be another one');
  }
  const replaced = await transaction
    .selectFrom('replaced_master_keys')
    .select('id')
    .where('id', '=', check)
    .executeTakeFirst();
  if (replaced !== undefined) {
    throw new AppError('conflict', 'This master key was replaced before: the new one must be one that was never used');
  }
  const last = await readProgress(transaction);
  if (last !== undefined && last.endedAt === undefined) {
    throw new AppError(
      'conflict',
      `Stored values are still being sealed anew after the last replacement (${last.done} of ${last.total}): wait for its end`,
    );
  }
  return announceKey(transaction, next, check);
}

/** The row of the check value stays locked: an engine that starts, or one that replaces the key, too, waits. */
async function ensureInForce(transaction: Kysely<Schema>, ring: KeyRing): Promise<void> {
  if ((await lockCheck(transaction)) === checkOf(ring.masterKey())) return;
  throw new AppError('conflict', 'The master key was replaced by another engine at this moment');
}

async function untilAllHave({ database, ring, runtime, patienceMs = PATIENCE_MS }: KeyRotationParts, number: number) {
  const deadlineMs = runtime.monotonicMs() + patienceMs;
  for (;;) {
    await ring.refresh();
    const without = await guarded(() => enginesWithout(database.db, 'knows', number));
    if (without.length === 0) return;
    if (runtime.monotonicMs() > deadlineMs) throw withoutNewKey(without);
    await runtime.pause(POLL_MS, new AbortController().signal);
  }
}

function withoutNewKey(names: readonly string[]): AppError {
  return new AppError(
    'conflict',
    `Not every engine has the new master key, so nothing was changed. Without it: ${names.join(', ')}. Give it to them (MASTER_KEY_NEXT, or a copy of DATA_DIR/master.key.next), or stop them, and try again`,
  );
}

type Replacement = {
  readonly ring: KeyRing;
  readonly next: Uint8Array;
  readonly number: number;
  readonly total: number;
};

async function replace(transaction: Kysely<Schema>, { ring, next, number, total }: Replacement): Promise<void> {
  await ensureInForce(transaction, ring);
  const announced = await readAnnounced(transaction);
  if (announced?.row.number !== number || announced.check !== checkOf(next)) {
    throw new AppError('conflict', 'Another replacement of the master key has begun: try again');
  }
  // An engine that has started meanwhile is among them: it has waited for the lock, or it has registered before.
  const without = await enginesWithout(transaction, 'knows', number);
  if (without.length > 0) throw withoutNewKey(without);
  await resealKeys(transaction, ring.masterKey(), next);
  await transaction
    .insertInto('replaced_master_keys')
    .values({ id: checkOf(ring.masterKey()) })
    .execute();
  await replaceCheck(transaction, checkOf(next));
  await transaction.insertInto('key_rotations').values({ number, total }).execute();
}

async function withdraw(transaction: Kysely<Schema>, ring: KeyRing): Promise<void> {
  if ((await lockCheck(transaction)) === checkOf(ring.masterKey())) await withdrawAnnounced(transaction);
}

async function readProgress(db: Kysely<Schema>): Promise<RotationProgress | undefined> {
  const { rows } = await sql<{ done: number; total: number; started_at: Date; ended_at: Date | null }>`
    select done, total, started_at, ended_at from key_rotations order by number desc limit 1`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { total, ended_at: endedAt } = row;
  const done = endedAt === null ? Math.min(row.done, total) : total;
  return { done, total, startedAt: row.started_at, ...(endedAt && { endedAt }) };
}
