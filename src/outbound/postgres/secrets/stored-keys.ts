// The keys that are stored, sealed under the master key. Only they are sealed under it, so that a new master key takes effect in one
// transaction. A database that an earlier version began keeps the keys that it had: they were made of its master key.
import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { deriveKey, openChunk, sealChunk } from '../../../platform/crypto.ts';
import type { Schema } from '../schema.ts';
import { EVENT_DIGESTS, type SecretKeys, UNMARKED } from './secrets.ts';

type Purpose = 'data' | 'digests' | 'audit';
type StoredKey = { readonly purpose: Purpose; readonly number: number; readonly key: Uint8Array };
type StoredRow = { readonly purpose: Purpose; readonly number: number; readonly sealed: Buffer };

const KEY_BYTES = 32;
const FIRST = 1;
const FORMER = 0;

/** Throws an Error if a key was changed or sealed under another master key. */
export async function readStoredKeys(db: Kysely<Schema>, masterKey: Uint8Array): Promise<SecretKeys | undefined> {
  const { rows } = await sql<StoredRow>`
    select purpose, number, sealed from stored_keys where not is_announced order by number`.execute(db);
  if (rows.length === 0) return undefined;
  const keys = rows.map((row) => ({ ...row, key: openStoredKey(row, masterKey) }));
  const keyOf = (purpose: Purpose, number: number) =>
    keys.find((one) => one.purpose === purpose && one.number === number)?.key;
  const digests = keyOf('digests', FIRST);
  const audit = keyOf('audit', FIRST);
  const data = new Map(keys.flatMap(({ purpose, number, key }) => (purpose === 'data' ? [[number, key]] : [])));
  if (digests === undefined || audit === undefined || data.size === 0) throw new Error('a stored key is missing');
  const formerDigests = keyOf('digests', FORMER);
  return { data, current: Math.max(...data.keys()), digests, audit, ...(formerDigests && { formerDigests }) };
}

/** Called once for a database, in the transaction that fixes its master key. `isOlder`: an earlier version began it. */
export async function makeStoredKeys(db: Kysely<Schema>, masterKey: Uint8Array, isOlder: boolean): Promise<void> {
  const newKey = () => new Uint8Array(randomBytes(KEY_BYTES));
  const keys: readonly StoredKey[] = [
    { purpose: 'data', number: FIRST, key: newKey() },
    { purpose: 'digests', number: FIRST, key: newKey() },
    { purpose: 'audit', number: FIRST, key: isOlder ? deriveKey(masterKey, 'audit') : newKey() },
    ...(isOlder
      ? [
          { purpose: 'data', number: UNMARKED, key: masterKey } as const,
          { purpose: 'digests', number: FORMER, key: deriveKey(masterKey, EVENT_DIGESTS) } as const,
        ]
      : []),
  ];
  await db
    .insertInto('stored_keys')
    .values(keys.map((stored) => storedRow(stored, masterKey)))
    .execute();
}

const NEXT_SETTING = 'master-key-next';

export type AnnouncedKey = {
  readonly row: StoredRow;
  /** The check value of the master key under which it is sealed. */
  readonly check: string;
};

/** The data key that will be used once all engines have it. */
export async function readAnnounced(db: Kysely<Schema>): Promise<AnnouncedKey | undefined> {
  const { rows } = await sql<StoredRow & { readonly check: string }>`
    select stored.purpose, stored.number, stored.sealed, setting.value as check
    from stored_keys stored join engine_settings setting on setting.name = ${NEXT_SETTING}
    where stored.is_announced`.execute(db);
  const [first] = rows;
  return first && { row: first, check: first.check };
}

/** Returns its number: that of an earlier attempt with the same master key, or the next one. */
export async function announceKey(db: Kysely<Schema>, masterKey: Uint8Array, check: string): Promise<number> {
  const earlier = await readAnnounced(db);
  if (earlier?.check === check) return earlier.row.number;
  await withdrawAnnounced(db);
  const { rows } = await sql<{ number: number }>`select nextval('data_key_numbers')::integer as number`.execute(db);
  const number = rows[0]?.number ?? Number.NaN;
  const row = storedRow({ purpose: 'data', number, key: new Uint8Array(randomBytes(KEY_BYTES)) }, masterKey);
  await db
    .insertInto('stored_keys')
    .values({ ...row, is_announced: true })
    .execute();
  await db.insertInto('engine_settings').values({ name: NEXT_SETTING, value: check }).execute();
  return number;
}

export async function withdrawAnnounced(db: Kysely<Schema>): Promise<void> {
  await db.deleteFrom('stored_keys').where('is_announced', '=', true).execute();
  await db.deleteFrom('engine_settings').where('name', '=', NEXT_SETTING).execute();
}

/** Seals all stored keys under the next master key, and the announced one is no longer only announced. */
export async function resealKeys(db: Kysely<Schema>, from: Uint8Array, to: Uint8Array): Promise<void> {
  const rows = await db.selectFrom('stored_keys').select(['purpose', 'number', 'sealed', 'is_announced']).execute();
  for (const { is_announced: isAnnounced, ...row } of rows) {
    const { sealed } = storedRow({ ...row, key: openStoredKey(row, isAnnounced ? to : from) }, to);
    await db
      .updateTable('stored_keys')
      .set({ sealed, is_announced: false })
      .where((is) => is.and({ purpose: row.purpose, number: row.number }))
      .execute();
  }
  await db.deleteFrom('engine_settings').where('name', '=', NEXT_SETTING).execute();
}

function storedRow({ purpose, number, key }: StoredKey, masterKey: Uint8Array) {
  const sealed = Buffer.from(sealChunk(deriveKey(masterKey, 'stored-keys'), key, placeOf({ purpose, number })));
  return { purpose, number, sealed };
}

export function openStoredKey(row: StoredRow, masterKey: Uint8Array): Uint8Array {
  return new Uint8Array(openChunk(deriveKey(masterKey, 'stored-keys'), row.sealed, placeOf(row)));
}

function placeOf({ purpose, number }: Pick<StoredRow, 'purpose' | 'number'>) {
  return { context: JSON.stringify(['stored-key', purpose, number]), index: 0, isLast: true } as const;
}
