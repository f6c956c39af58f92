// The keys of this engine while it works. They change when the master key is replaced: `refresh` reads what another engine has made, and
// records which keys this engine has, so that no key is used before all engines have it.
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { MasterKeys } from '../../../ports/master-keys.ts';
import type { Database } from '../database.ts';
import { guarded } from '../errors.ts';
import { checkOf, type OpenedKeys, openKeys, readCheck } from '../master-key.ts';
import type { Schema } from '../schema.ts';
import { makeSecrets, type SecretKeys, type Secrets } from './secrets.ts';
import { openStoredKey, readAnnounced } from './stored-keys.ts';

export type KeyRing = {
  readonly secrets: Secrets;
  readonly masterKey: () => Uint8Array;
  readonly keys: () => SecretKeys;
  /** True: the master key was replaced, and this engine does not have the new one. It stores and opens nothing then. */
  readonly isLocked: () => boolean;
  /** To be called about every second. Throws `notConfigured` if it is locked. */
  readonly refresh: () => Promise<void>;
  /** Other engines wait for this one no longer. */
  readonly close: () => Promise<void>;
};

export type KeyRingParts = {
  readonly database: Pick<Database, 'db'>;
  readonly masterKeys: MasterKeys;
  /** `name` is for messages: host and process. */
  readonly engine: { readonly id: string; readonly name: string };
};

export async function openKeyRing({ database, masterKeys, engine }: KeyRingParts): Promise<KeyRing> {
  const { db } = database;
  let opened = await openKeys(database, masterKeys, (transaction, { keys }) => noteEngine(transaction, engine, keys));
  let isLocked = false;
  await masterKeys.settle(opened.masterKey);

  const openAgain = async (): Promise<OpenedKeys> => {
    try {
      return await openKeys(database, masterKeys);
    } catch (error) {
      if (error instanceof AppError && error.code === 'notConfigured') isLocked = true;
      throw error;
    }
  };
  const refreshOnce = async () => {
    if (isLocked || (await guarded(() => readCheck(db))) !== checkOf(opened.masterKey)) {
      opened = await openAgain();
      isLocked = false;
      await guarded(() => resumeSealing(db, opened.keys.current));
      await masterKeys.settle(opened.masterKey);
    } else {
      opened = { ...opened, keys: await guarded(() => withAnnounced(db, masterKeys, opened.keys)) };
    }
    await guarded(() => noteEngine(db, engine, opened.keys));
  };
  // One after the other: an earlier one must not end with older keys than a later one.
  let last: Promise<void> = Promise.resolve();
  const refresh = () => {
    last = last.catch(() => undefined).then(refreshOnce);
    return last;
  };
  const keys = () => {
    if (isLocked) throw new AppError('overloaded', 'This engine does not have the master key that is in force');
    return opened.keys;
  };
  return {
    secrets: makeSecrets(keys),
    masterKey: () => opened.masterKey,
    keys,
    isLocked: () => isLocked,
    refresh,
    close: async () => {
      await guarded(() => db.deleteFrom('engine_keys').where('engine', '=', engine.id).execute());
    },
  };
}

/** An announced data key is sealed under the next master key: only an engine that has this one can open it. */
async function withAnnounced(db: Kysely<Schema>, masterKeys: MasterKeys, keys: SecretKeys): Promise<SecretKeys> {
  const own = [...keys.data].filter(([number]) => number <= keys.current);
  const announced = await readAnnounced(db);
  if (announced === undefined) return { ...keys, data: new Map(own) };
  const given = await masterKeys.read(async () => true);
  const next = given.find((key) => checkOf(key) === announced.check);
  if (next === undefined) return { ...keys, data: new Map(own) };
  return { ...keys, data: new Map([...own, [announced.row.number, openStoredKey(announced.row, next)]]) };
}

async function noteEngine(
  db: Kysely<Schema>,
  { id, name }: KeyRingParts['engine'],
  { data, current }: SecretKeys,
): Promise<void> {
  const knows = Math.max(...data.keys());
  await sql`
    insert into engine_keys (engine, name, knows, sealing_with, seen_at)
    values (${id}, ${name}, ${knows}, ${current}, clock_timestamp())
    on conflict (engine) do update
      set knows = excluded.knows, sealing_with = excluded.sealing_with, seen_at = excluded.seen_at`.execute(db);
}

/** Until now this engine has sealed with an older key, perhaps after the values of others were sealed anew. */
async function resumeSealing(db: Kysely<Schema>, number: number): Promise<void> {
  await db.updateTable('key_rotations').set({ ended_at: null }).where('number', '=', number).execute();
}

/** An engine that was not seen for this long is dead, or will read the keys again before it works on. */
const LIVE_SECONDS = 10;

/** The names of engines at work that do not have this data key, or do not seal with it. */
export async function enginesWithout(
  db: Kysely<Schema>,
  column: 'knows' | 'sealing_with',
  number: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from engine_keys
    where ${sql.ref(column)} < ${number} and seen_at > clock_timestamp() - make_interval(secs => ${LIVE_SECONDS})
    order by name`.execute(db);
  return rows.map(({ name }) => name);
}
