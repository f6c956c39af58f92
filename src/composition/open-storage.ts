// Opens the secrets of this engine and PostgreSQL, embedded or external. Both are closed last.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type Database, openDatabase } from '../outbound/postgres/database.ts';
import { hasMasterKey, MasterKeyError, type MasterKeys, openKeys } from '../outbound/postgres/master-key.ts';
import { makeSecrets, type Secrets } from '../outbound/postgres/secrets/secrets.ts';
import { readOrMakeSecret, readSecret } from '../platform/secret-file.ts';
import type { EngineContext } from './engine-context.ts';
import { type DatabaseServer, openEmbedded } from './open-embedded.ts';

const MAX_DATABASE_CONNECTIONS = 20;

export type Storage = {
  readonly database: Database;
  readonly secrets: Secrets;
  readonly operatorKey: string;
  /** For the startup message. */
  readonly databaseIs: string;
  readonly note: string | undefined;
  /** For /readyz: what is being done about an embedded database that has ended. */
  readonly databaseOutage: () => string | undefined;
};

export async function openStorage(context: EngineContext, onBroken: () => void): Promise<Storage> {
  const { config, logger, shutdown } = context;
  const inDataDir = (name: string) => path.join(config.DATA_DIR, name);
  const operatorKey =
    config.OPERATOR_KEY ??
    (await readOrMakeSecret({
      path: inDataDir('operator.key'),
      make: () => randomBytes(32).toString('base64url'),
    }));
  const server =
    config.DATABASE_URL === undefined ? await openEmbedded(context, onBroken) : external(config.DATABASE_URL);
  const masterKeys = masterKeysOf(config.MASTER_KEY, inDataDir('master.key'));
  const database = await openDatabase({
    connectionString: server.connectionString,
    masterKeys,
    maxConnections: MAX_DATABASE_CONNECTIONS,
    onError: (thrown) => logger.warn('database connection lost', { thrown }),
  });
  shutdown.add({ name: 'database', close: database.close });
  const { keys } = await openKeys(database, masterKeys);
  const databaseIs =
    config.DATABASE_URL === undefined
      ? `embedded PostgreSQL in ${inDataDir('postgres')}`
      : `PostgreSQL at ${new URL(config.DATABASE_URL).host}`;
  return {
    database,
    secrets: makeSecrets(() => keys),
    operatorKey,
    databaseIs,
    note: server.note,
    databaseOutage: server.outage,
  };
}

function external(connectionString: string): DatabaseServer {
  return { connectionString, note: undefined, outage: () => undefined };
}

function masterKeysOf(setting: Uint8Array | undefined, file: string): MasterKeys {
  return async (db) => [setting ?? (await readMasterKey(file, () => hasMasterKey(db)))];
}

/** A new key would make all that is stored unreadable: none is made beside a database that was begun with another one. */
async function readMasterKey(file: string, isBegun: () => Promise<boolean>): Promise<Uint8Array> {
  const isLost = (await readSecret(file)) === undefined && (await isBegun());
  if (isLost) {
    throw new MasterKeyError(
      `The master key is missing: there is no ${file}, and the database was begun with another MASTER_KEY than a new one would be. Put the file back from a backup, or give all engines on the database the same MASTER_KEY; without it nothing that is stored can be read.`,
    );
  }
  const key = Buffer.from(
    await readOrMakeSecret({ path: file, make: () => randomBytes(32).toString('base64') }),
    'base64',
  );
  if (key.length !== 32) throw new MasterKeyError(`${file} must hold 32 bytes in base64`);
  return key;
}
