// The entry point: configuration → storage → sites → flows → HTTP interface. Everything that is opened here is closed in reverse order,
// PostgreSQL last. This file and composition/ only connect the parts; the rules of the product are in domain/ and flows/.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { EngineContext } from './composition/engine-context.ts';
import { loadExtension } from './composition/load-extension.ts';
import { makeDoors } from './composition/make-doors.ts';
import { logRules, makeEngines, prepareEngines, rememberAnswers } from './composition/make-engines.ts';
import { makeStores } from './composition/make-stores.ts';
import { openCharts } from './composition/open-charts.ts';
import { openEvents } from './composition/open-events.ts';
import { openIdentityProvider } from './composition/open-identity-provider.ts';
import { openRuns } from './composition/open-runs.ts';
import { openSites } from './composition/open-sites.ts';
import { openStorage } from './composition/open-storage.ts';
import { openTracing } from './composition/open-tracing.ts';
import { reportReads } from './composition/report-reads.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { openDoor } from './inbound/http/server/open-door.ts';
import { commandName } from './platform/command-name.ts';
import { acquireDataDirLock } from './platform/data-dir-lock.ts';
import { makeLogger, type ProcessLogger } from './platform/logger.ts';
import { makeMetrics } from './platform/metrics.ts';
import { makeShutdown } from './platform/shutdown.ts';
import { startupMessage } from './startup-message.ts';

const RUNS_GRACE_MS = 4_000;
const EVENTS_GRACE_MS = 3_000;

await main();

async function main(): Promise<void> {
  const config = readConfigOrExit();
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const metrics = makeMetrics();
  const onFailed = (reason: string) => logger.warn('spans could not be exported', { component: 'traces', reason });
  const { tracing, stop: stopTracing } = openTracing({ config, version, metrics, onFailed });
  const logger = makeProcessLogger(config, { version, traceId: tracing.traceId });
  const shutdown = makeShutdown();
  let stopping: Promise<void> | undefined;
  const stop = (exitCode: number): Promise<void> => {
    stopping ??= shutdown.run().then((late) => {
      if (late.length > 0) logger.warn(`stopped, but not in time: ${late.join(', ')}`);
      process.exit(late.length > 0 ? 1 : exitCode);
    });
    return stopping;
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping === undefined) logger.info('shutting down: open requests may finish', { signal });
      void stop(0);
    });
  }
  // Node would open its inspector, through which anything of this process can be read.
  process.on('SIGUSR1', () =>
    logger.warn('the signal is ignored: the inspector of Node cannot be opened', { signal: 'SIGUSR1' }),
  );
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (thrown: unknown) => {
      logger.error('uncaught exception, shutting down', { thrown });
      void stop(1);
    });
  }
  shutdown.add({ name: 'traces', close: stopTracing });
  const context = {
    config,
    version,
    logger,
    metrics,
    tracing,
    shutdown,
    isStopping: () => stopping !== undefined,
  };
  try {
    const opening = open(context, () => stop(1));
    shutdown.opens(opening);
    await opening;
  } catch (thrown) {
    if (stopping === undefined) {
      const message = thrown instanceof Error ? thrown.message : 'unknown failure';
      process.stderr.write(`Chartwright cannot start: ${message}\n`);
    }
    await stop(1);
  }
}

function readConfigOrExit(): Config {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    return readConfig(process.env);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    process.stderr.write(`${thrown.message}\n`);
    process.exit(1);
  }
}

function makeProcessLogger(
  { LOG_LEVEL: level, LOG_FORMAT, OTEL_SERVICE_NAME: name }: Config,
  { version, traceId }: { readonly version: string; readonly traceId: () => string | undefined },
): ProcessLogger {
  const isTerminal = process.stderr.isTTY === true;
  const format = LOG_FORMAT === 'auto' ? (isTerminal ? 'text' : 'json') : LOG_FORMAT;
  const isColored = isTerminal && !process.env['NO_COLOR'];
  return makeLogger({ level, format, isColored, service: { name, version }, traceId });
}

async function open(context: EngineContext & { readonly logger: ProcessLogger }, onBroken: () => void): Promise<void> {
  const { config, shutdown, version } = context;
  // The lock and the port come first, so that a second engine on this folder or a taken port is reported at once.
  const lock = await acquireDataDirLock(config.DATA_DIR);
  shutdown.add({ name: 'lock', close: lock.release });
  const door = await openDoor({ host: config.HOST, port: config.PORT });
  shutdown.add({ name: 'door', close: () => door.server.closeAllConnections() });
  // Broken knowledge files are reported before a database is started.
  const loaded = loadExtension(context);
  const engines = await makeEngines(context, loaded);
  const identityProvider = await openIdentityProvider(context);
  if (context.isStopping()) return;
  const storage = await openStorage(context, onBroken);
  if (context.isStopping()) return;
  const extension = loaded.withStorage(storage);
  const allStores = makeStores(storage, context.tracing);
  engines.useCodes(allStores.codes);
  await rememberAnswers(engines, allStores.runs);
  const sites = await openSites(context, { ledger: allStores.ledger, ...engines, extension });
  if (context.isStopping()) return;
  const publicUrl = config.PUBLIC_URL ?? door.url;
  const stores = reportReads(allStores, { sites, publicUrl });
  const charts = openCharts(context, { stores, sites, reasoner: engines.reasoner });
  const runs = await openRuns(context, { stores, sites, ...engines, engines: extension.wrapEngines(engines), charts });
  const events = openEvents(context, { stores, sites, ehrs: charts.ehrs, publicUrl, onAccepted: runs.wake });
  extension.attach({ ...stores, sites, charts, events, publicUrl, localUrl: door.url });
  const opened = { storage, stores, sites, engines, charts, runs, events, publicUrl };
  door.answerWith(
    await makeDoors(context, {
      ...opened,
      identityProvider,
      extension: extension.http(),
      extensionSite: extension.site,
      server: door.server,
    }),
  );
  // Closed first: no further work is started while open requests finish, and unfinished work is released.
  shutdown.add({ name: 'runs', close: runs.stop, timeoutMs: RUNS_GRACE_MS });
  shutdown.add({ name: 'events', close: events.stop, timeoutMs: EVENTS_GRACE_MS });
  logRules(context, engines);
  const { databaseIs, note: databaseNote } = storage;
  const operatorKeyPlace = config.OPERATOR_KEY === undefined ? path.join(config.DATA_DIR, 'operator.key') : undefined;
  const command = commandName(process.env);
  // Plain lines on stdout for the person who started the engine; the log goes to stderr.
  const write = (text: string) => process.stdout.write(text);
  write(
    startupMessage({
      version,
      publicUrl,
      ...engines,
      sites: sites.current(),
      extra: extension.startupLines(),
      databaseIs,
      databaseNote,
      operatorKeyPlace,
      command,
    }),
  );
  extension.afterStart({ write, command, setQuiet: context.logger.setQuiet });
  prepareEngines();
}
