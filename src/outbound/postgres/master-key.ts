// One database, one master key: engines with different ones could not read what the others stored. A key that was replaced is remembered
// by its check value, so that an engine that still has it can say so.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../domain/errors.ts';
import { deriveKey } from '../../platform/crypto.ts';
import type { MasterKeys } from '../../ports/master-keys.ts';
import { guarded } from './errors.ts';
import type { Schema } from './schema.ts';
import type { SecretKeys } from './secrets/secrets.ts';
import { makeStoredKeys, readStoredKeys } from './secrets/stored-keys.ts';

const SETTING = 'master-key-check';

export type OpenedKeys = {
  readonly keys: SecretKeys;
  /** The one of the given master keys that is in force. */
  readonly masterKey: Uint8Array;
};

type GivenKeys = Pick<MasterKeys, 'read'>;

/** A text by which keys are compared. The key cannot be derived from it. */
export function checkOf(masterKey: Uint8Array): string {
  return createHmac('sha256', deriveKey(masterKey, SETTING)).update('chartwright').digest('hex');
}

/** The first engine on a database fixes the key. Throws `notConfigured` if this one has another. */
export async function openKeys(
  { db }: { readonly db: Kysely<Schema> },
  masterKeys: GivenKeys,
  alsoDo?: (transaction: Kysely<Schema>, opened: OpenedKeys) => Promise<unknown>,
): Promise<OpenedKeys> {
  return guarded(() =>
    db.transaction().execute(async (transaction) => {
      const opened = await openKeysIn(transaction, masterKeys);
      await alsoDo?.(transaction, opened);
      return opened;
    }),
  );
}

/** As part of a transaction, also of a migration. */
export async function openKeysIn(transaction: Kysely<Schema>, masterKeys: GivenKeys): Promise<OpenedKeys> {
  const given = await masterKeys.read(async () => (await readCheck(transaction)) !== undefined);
  const { numInsertedOrUpdatedRows: fixed = 0n } = await transaction
    .insertInto('engine_settings')
    .values({ name: SETTING, value: checkOf(given[0]) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst();
  const check = await lockCheck(transaction);
  const masterKey = given.find((key) => isSame(checkOf(key), check));
  if (masterKey === undefined) throw await refusal(transaction, given);
  const keys = await readStoredKeys(transaction, masterKey);
  if (keys !== undefined) return { keys, masterKey };
  await makeStoredKeys(transaction, masterKey, fixed === 0n);
  const made = await readStoredKeys(transaction, masterKey);
  if (made === undefined) throw new Error('the stored keys were not made');
  return { keys: made, masterKey };
}

export async function readCheck(db: Kysely<Schema>): Promise<string | undefined> {
  const stored = await db.selectFrom('engine_settings').select('value').where('name', '=', SETTING).executeTakeFirst();
  return stored?.value;
}

/** Locks the row, so that of several engines one makes or replaces keys. */
export async function lockCheck(transaction: Kysely<Schema>): Promise<string> {
  const { value } = await transaction
    .selectFrom('engine_settings')
    .select('value')
    .where('name', '=', SETTING)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return value;
}

export async function replaceCheck(transaction: Kysely<Schema>, check: string): Promise<void> {
  await transaction.updateTable('engine_settings').set({ value: check }).where('name', '=', SETTING).execute();
}

async function refusal(transaction: Kysely<Schema>, given: readonly Uint8Array[]): Promise<AppError> {
  const checks = given.map(checkOf);
  const { rows } = await sql<{ replaced_at: Date }>`
    select replaced_at from replaced_master_keys where id = any(${checks}::text[]) order by replaced_at desc`.execute(
    transaction,
  );
  const [replaced] = rows;
  if (replaced === undefined) {
    return new AppError(
      'notConfigured',
      'This database was begun with another MASTER_KEY. Give all engines on it the same one (MASTER_KEY, or DATA_DIR/master.key of the first engine).',
    );
  }
  const at = replaced.replaced_at.toISOString().slice(0, 16).replace('T', ' ');
  return new AppError(
    'notConfigured',
    `This master key was replaced on ${at} UTC and opens nothing any more. Give this engine the new one (MASTER_KEY, or DATA_DIR/master.key of an engine that has it); the old one is needed only for backups from before.`,
  );
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
