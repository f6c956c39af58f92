// Opens the secrets of this engine and PostgreSQL, embedded or external. Both are closed last.
import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import path from 'node:path';
import { startRepeating } from '../inbound/clock/repeat.ts';
import { makeMasterKeys } from '../outbound/files/master-keys.ts';
import { type Database, openDatabase } from '../outbound/postgres/database.ts';
import { makePostgresEngineNames } from '../outbound/postgres/engine-names.ts';
import { type KeyRing, openKeyRing } from '../outbound/postgres/secrets/key-ring.ts';
import { makeKeyRotation } from '../outbound/postgres/secrets/rotate-keys.ts';
import { sealAnew } from '../outbound/postgres/secrets/seal-anew.ts';
import type { Secrets } from '../outbound/postgres/secrets/secrets.ts';
import { readOrMakeSecret } from '../platform/secret-file.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { KeyRotation } from '../ports/key-rotation.ts';
import type { EngineContext } from './engine-context.ts';
import { type DatabaseServer, openEmbedded } from './open-embedded.ts';

const MAX_DATABASE_CONNECTIONS = 20;
const REFRESH_EVERY_MS = 1_000;
const KEYS_GRACE_MS = 2_000;

export type Storage = {
  readonly database: Database;
  readonly secrets: Secrets;
  readonly keyRotation: KeyRotation;
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
  const masterKeys = makeMasterKeys({
    setting: config.MASTER_KEY,
    nextSetting: config.MASTER_KEY_NEXT,
    folder: config.DATA_DIR,
  });
  const database = await openDatabase({
    connectionString: server.connectionString,
    masterKeys,
    maxConnections: MAX_DATABASE_CONNECTIONS,
    onError: (thrown) => logger.warn('database connection lost', { thrown }),
  });
  shutdown.add({ name: 'database', close: database.close });
  const engine = { id: randomUUID(), name: `${hostname()} (process ${process.pid})` };
  const ring = await openKeyRing({ database, masterKeys, engine });
  const keyRotation = makeKeyRotation({ database, ring, masterKeys, runtime: systemRuntime });
  keepKeys(context, database, ring);
  const databaseIs =
    config.DATABASE_URL === undefined
      ? `embedded PostgreSQL in ${inDataDir('postgres')}`
      : `PostgreSQL at ${new URL(config.DATABASE_URL).host}`;
  return {
    database,
    secrets: ring.secrets,
    keyRotation,
    operatorKey,
    databaseIs,
    note: server.note,
    databaseOutage: server.outage,
  };
}

function external(connectionString: string): DatabaseServer {
  return { connectionString, note: undefined, outage: () => undefined };
}

/** Reads new keys, and seals values anew after the master key was replaced, until the engine stops. */
function keepKeys({ logger, shutdown }: EngineContext, database: Database, ring: KeyRing): void {
  const refreshing = startRepeating({
    runtime: systemRuntime,
    everyMs: REFRESH_EVERY_MS,
    work: ring.refresh,
    onFailed: (thrown) =>
      ring.isLocked()
        ? logger.error('the master key was replaced, and this engine does not have the new one', { thrown })
        : logger.warn('the keys of stored values could not be read', { thrown }),
    reportsOnce: true,
  });
  const onDamaged = (count: number) => logger.error('stored values are damaged and were not sealed anew', { count });
  const parts = { database, ring, engineNames: makePostgresEngineNames({ database }), onDamaged };
  const sealing = startRepeating({
    runtime: systemRuntime,
    everyMs: REFRESH_EVERY_MS,
    work: (signal) => sealAnew(parts, signal),
    onFailed: (thrown) => logger.warn('stored values could not be sealed anew', { thrown }),
    reportsOnce: true,
  });
  // Without a database this engine counts as one at work for a few seconds more; its stop does not wait for that.
  const close = async () => {
    const closing = Promise.all([refreshing.stop(), sealing.stop()])
      .then(ring.close)
      .catch(() => undefined);
    const over = new AbortController();
    const late = systemRuntime.pause(KEYS_GRACE_MS, over.signal).catch(() => undefined);
    await Promise.race([closing, late]);
    over.abort();
  };
  shutdown.add({ name: 'keys', close });
}
