// Starts the embedded PostgreSQL, and has it started again when it ends by itself. It is stopped after everything that uses it.
import { makeRestarter } from '../platform/embedded-postgres/restarter.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres/start.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { EngineContext } from './engine-context.ts';

export type DatabaseServer = {
  readonly connectionString: string;
  /** For the startup message. */
  readonly note: string | undefined;
  /** For /readyz: what is being done about a server that has ended; undefined while it runs, or if it is not ours. */
  readonly outage: () => string | undefined;
};

/** `onBroken`: the server has ended too often. */
export async function openEmbedded(
  { config, logger, shutdown }: EngineContext,
  onBroken: () => void,
): Promise<DatabaseServer> {
  const postgres = await startEmbeddedPostgres({
    dataDir: config.DATA_DIR,
    logger: { warn: (fields, message) => logger.warn(message, fields) },
    onUnexpectedExit: (_error, how) => restarter.hasEnded(how),
  });
  const restarter = makeRestarter({
    startAgain: postgres.startAgain,
    runtime: systemRuntime,
    logger,
    onGivenUp: onBroken,
  });
  const close = async () => {
    await restarter.stop();
    await postgres.stop();
  };
  shutdown.add({ name: 'embedded PostgreSQL', close, timeoutMs: 5_000 });
  return { connectionString: postgres.connectionString, note: postgres.note, outage: restarter.outage };
}
