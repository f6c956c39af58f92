// Names of engines, as advisory locks: each on its own connection, so that the database releases a name as soon as its process is dead.
// A lost connection is made again, and the name is locked again.
import { setTimeout as pause } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { ClaimedName, EngineNames } from '../../ports/engine-names.ts';
import type { Database } from './database.ts';
import { guarded } from './errors.ts';

type NameParts = { readonly database: Pick<Database, 'pool'>; readonly againMs?: number };

/** Marks advisory locks that are names; the other half of the number identifies the name. */
const NAMES = 0x43_57_45_4e;
const AGAIN_MS = 1_000;
/** A database that does not answer must not delay the end of a process. */
const UNLOCK_MS = 500;
const UNLOCK = 'select pg_advisory_unlock($1, hashtext($2))';

export function makePostgresEngineNames({ database, againMs = AGAIN_MS }: NameParts): EngineNames {
  return {
    async claim(name) {
      const client = await guarded(() => lockName(database, name));
      return client && keepName(database, { name, client, againMs });
    },
  };
}

type Lent = { readonly name: string; readonly client: PoolClient; readonly againMs: number };

function keepName(database: NameParts['database'], { name, client: first, againMs }: Lent): ClaimedName {
  let client: PoolClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  const hold = (held: PoolClient): void => {
    client = held;
    held.once('end', () => {
      if (isOver) return;
      client = undefined;
      held.release(true);
      takeLater();
    });
  };
  const takeLater = (): void => {
    timer = setTimeout(() => void takeAgain(), againMs);
    timer.unref();
  };
  const takeAgain = async (): Promise<void> => {
    const held = await lockName(database, name).catch(() => undefined);
    if (isOver) return held?.release(true);
    if (held === undefined) takeLater();
    else hold(held);
  };

  hold(first);
  return {
    async release() {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      // Unlocked here, so that the next claim need not wait until the server has noticed the end of the connection, which ends the lock, too.
      await Promise.race([client?.query(UNLOCK, [NAMES, name]), pause(UNLOCK_MS, undefined, { ref: false })]).catch(
        () => undefined,
      );
      client?.release(true);
    },
  };
}

async function lockName({ pool }: NameParts['database'], name: string): Promise<PoolClient | undefined> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query('select pg_try_advisory_lock($1, hashtext($2)) as is_ours', [NAMES, name]);
    if (rows[0]?.is_ours === true) return client;
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
  return undefined;
}
