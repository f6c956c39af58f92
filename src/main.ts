// The composition root: configuration → resources → outlets → flows → doors. What is opened here is closed in reverse
// order, PostgreSQL last. No rule of the product lives here; the parts of the house are put together in composition/.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { EngineContext } from './composition/engine-context.ts';
import { type DoorParts, makeDoors } from './composition/make-doors.ts';
import { logRules, makeEngines } from './composition/make-engines.ts';
import { makeStores } from './composition/make-stores.ts';
import { openCharts } from './composition/open-charts.ts';
import { openEvents } from './composition/open-events.ts';
import { openRuns } from './composition/open-runs.ts';
import { makeSandboxHouse } from './composition/open-sandbox.ts';
import { openSites } from './composition/open-sites.ts';
import { openStorage } from './composition/open-storage.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { openDoor } from './inbound/http/server/starting.ts';
import { acquireDataDirLock } from './platform/data-dir-lock.ts';
import { makeLogger } from './platform/logger.ts';
import { makeMetrics } from './platform/metrics.ts';
import { makeShutdown } from './platform/shutdown.ts';
import { systemRuntime } from './platform/system-runtime.ts';
import { narrateFirstRun } from './sandbox/narrate-first-run.ts';
import { readScenarios } from './sandbox/scenarios.ts';
import { startupMessage } from './startup-message.ts';

const RUNS_GRACE_MS = 4_000;
const EVENTS_GRACE_MS = 3_000;

await main();

async function main(): Promise<void> {
  const config = readConfigOrExit();
  const logger = makeLogger({ level: config.LOG_LEVEL });
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
      if (stopping === undefined) logger.info('stopping: running requests may finish', { signal });
      void stop(0);
    });
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (thrown: unknown) => {
      logger.error('something was thrown that nobody expected: stopping', { thrown });
      void stop(1);
    });
  }
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const house: EngineContext = {
    config,
    version,
    logger,
    metrics: makeMetrics(),
    shutdown,
    isStopping: () => stopping !== undefined,
  };
  try {
    const opening = open(house, () => stop(1));
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

async function open(house: EngineContext, onBroken: () => void): Promise<void> {
  const { config, shutdown } = house;
  // Before everything else: a second engine on this folder, or a port that is taken, is told at once.
  const lock = await acquireDataDirLock(config.DATA_DIR);
  shutdown.add({ name: 'lock', close: lock.release });
  const door = await openDoor({ host: config.HOST, port: config.PORT });
  shutdown.add({ name: 'door', close: () => door.server.closeAllConnections() });
  // What they know may be wrong: that is told before a database is started.
  const stories = readScenarios();
  const engines = makeEngines(house, stories);
  if (house.isStopping()) return;
  const storage = await openStorage(house, onBroken);
  if (house.isStopping()) return;
  const hospital = makeSandboxHouse(house, { ...storage, stories });
  const sites = await openSites(house, { ...engines, sandbox: hospital });
  if (house.isStopping()) return;
  const stores = makeStores(storage);
  const charts = openCharts(house, { stores, sites, reasoner: engines.reasoner });
  const publicUrl = config.PUBLIC_URL ?? door.url;
  const runs = await openRuns(house, { stores, sites, engines: hospital.inFrontOf(engines), charts });
  const events = openEvents(house, { stores, sites, ehrs: charts.ehrs, publicUrl, onAccepted: runs.wake });
  const sandbox = hospital.complete({ runs: stores.runs, sites, charts, events });
  const forgetSandbox = hospital.forget;
  const opened = { storage, stores, sites, engines, charts, runs, events, sandbox, forgetSandbox, publicUrl };
  door.answerWith(await makeDoors(house, { ...opened, server: door.server }));
  // First of all: nothing more is begun while requests may still finish, and what is begun is given back.
  shutdown.add({ name: 'runs', close: runs.stop, timeoutMs: RUNS_GRACE_MS });
  shutdown.add({ name: 'events', close: events.stop, timeoutMs: EVENTS_GRACE_MS });
  logRules(house, engines);
  greet(house, { storage, sites, engines, sandbox, publicUrl });
  if (sandbox === undefined) return;
  const first = narrateFirstRun({
    runs: stores.runs,
    runtime: systemRuntime,
    write: (text) => process.stdout.write(text),
  });
  shutdown.add({ name: 'first run', close: first.stop });
}

/** For the person who started it: plain lines on stdout, apart from the log. */
function greet(
  { config, version }: EngineContext,
  {
    storage,
    sites,
    engines,
    sandbox,
    publicUrl,
  }: Pick<DoorParts, 'storage' | 'sites' | 'engines' | 'sandbox' | 'publicUrl'>,
): void {
  const operatorKeyPlace = config.OPERATOR_KEY === undefined ? path.join(config.DATA_DIR, 'operator.key') : undefined;
  const { databaseIs, note: databaseNote } = storage;
  process.stdout.write(
    startupMessage({
      version,
      publicUrl,
      reasoner: engines.reasoner,
      speech: engines.speech,
      sites: sites.current(),
      sandbox,
      databaseIs,
      databaseNote,
      operatorKeyPlace,
    }),
  );
}
