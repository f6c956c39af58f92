// One database, one master key: engines with different ones could not read what the others stored.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../../platform/crypto.ts';
import type { Database } from './database.ts';
import { guarded } from './errors.ts';

const SETTING = 'master-key-check';

/** The message is meant for the operator. */
class MasterKeyMismatchError extends Error {
  constructor() {
    super(
      'This database was begun with another MASTER_KEY. Give all engines on it the same one (MASTER_KEY, or DATA_DIR/master.key of the first engine).',
    );
    this.name = 'MasterKeyMismatchError';
  }
}

/** Whether an engine has fixed the key of this database. */
export async function hasMasterKey({ db }: Database): Promise<boolean> {
  const stored = await guarded(() =>
    db.selectFrom('engine_settings').select('name').where('name', '=', SETTING).executeTakeFirst(),
  );
  return stored !== undefined;
}

/** The first engine on a database fixes the key; throws a MasterKeyMismatchError if this one has another. */
export async function ensureSameMasterKey({ db }: Database, masterKey: Uint8Array): Promise<void> {
  const value = createHmac('sha256', deriveKey(masterKey, SETTING)).update('chartwright').digest('hex');
  const stored = await guarded(async () => {
    await db
      .insertInto('engine_settings')
      .values({ name: SETTING, value })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    return db.selectFrom('engine_settings').select('value').where('name', '=', SETTING).executeTakeFirst();
  });
  const isSame =
    stored?.value.length === value.length && timingSafeEqual(Buffer.from(stored.value), Buffer.from(value));
  if (!isSame) throw new MasterKeyMismatchError();
}
