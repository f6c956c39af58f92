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
  const { rows } = await sql<StoredRow & { readonly is_announced: boolean }>`
    select purpose, number, sealed, is_announced from stored_keys where not is_announced order by number`.execute(db);
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

export function storedRow({ purpose, number, key }: StoredKey, masterKey: Uint8Array) {
  const sealed = Buffer.from(sealChunk(deriveKey(masterKey, 'stored-keys'), key, placeOf({ purpose, number })));
  return { purpose, number, sealed };
}

export function openStoredKey(row: StoredRow, masterKey: Uint8Array): Uint8Array {
  return new Uint8Array(openChunk(deriveKey(masterKey, 'stored-keys'), row.sealed, placeOf(row)));
}

function placeOf({ purpose, number }: Pick<StoredRow, 'purpose' | 'number'>) {
  return { context: JSON.stringify(['stored-key', purpose, number]), index: 0, isLast: true } as const;
}
