// The composition root: configuration → resources → outlets → flows → doors. What is opened here is closed in reverse
// order, PostgreSQL last. No rule of the product lives here.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import path from 'node:path';
import { type Config, ConfigError, DEFAULT_MAPPINGS_DIR, readConfig } from './config.ts';
import { AppError } from './domain/errors.ts';
import { describeProblem } from './domain/mapping.ts';
import { makeAdmitRequest } from './flows/admit-request.ts';
import { makeDiagnose } from './flows/diagnose.ts';
import { makeManageKeys } from './flows/manage-keys.ts';
import { makeManagePlans } from './flows/manage-plans.ts';
import { makePrepareStream } from './flows/prepare-stream.ts';
import { makeReportUsage } from './flows/report-usage.ts';
import { makeStreamDiagnosis } from './flows/stream-diagnosis.ts';
import { makeTranscribeRecording } from './flows/transcribe-recording.ts';
import { makeWriteNote } from './flows/write-note.ts';
import { greeting } from './greeting.ts';
import { makeHttpDoor } from './inbound/http/http-door.ts';
import { openDoor } from './inbound/http/starting.ts';
import { makeAbsentReasoner } from './outbound/builtin/absent-reasoner.ts';
import { makeAbsentSpeech } from './outbound/builtin/absent-speech.ts';
import { makeDeepgramSpeech } from './outbound/deepgram/deepgram-speech.ts';
import { parseDeepgramModels } from './outbound/deepgram/models.ts';
import { openSiteRegistry } from './outbound/files/site-registry.ts';
import { makeSitesHealth } from './outbound/files/sites-health.ts';
import type { LoadReport } from './outbound/files/sites-snapshot.ts';
import { openSpool } from './outbound/files/spool.ts';
import { makeOpenAiReasoner } from './outbound/openai/openai-reasoner.ts';
import { type Database, openDatabase } from './outbound/postgres/database.ts';
import { makePostgresHealth } from './outbound/postgres/health.ts';
import { makePostgresKeys } from './outbound/postgres/keys.ts';
import { makePostgresLimits } from './outbound/postgres/limits.ts';
import { ensureSameMasterKey } from './outbound/postgres/master-key.ts';
import { makePostgresPlans } from './outbound/postgres/plans.ts';
import { makePostgresPreparedStreams } from './outbound/postgres/prepared-streams.ts';
import { makePostgresUsage } from './outbound/postgres/usage.ts';
import { acquireDataDirLock } from './platform/data-dir-lock.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres/start.ts';
import { drainHttp } from './platform/http-drain.ts';
import { makeHttpFetch } from './platform/http-fetch.ts';
import { type Logger, makeLogger } from './platform/logger.ts';
import { type Metrics, makeMetrics } from './platform/metrics.ts';
import { readOrMakeSecret } from './platform/secret-file.ts';
import { makeShutdown, type Shutdown } from './platform/shutdown.ts';
import { systemRuntime } from './platform/system-runtime.ts';
import type { ComponentHealth } from './ports/health.ts';
import type { PreparedStreams } from './ports/prepared-streams.ts';
import type { Reasoner } from './ports/reasoner.ts';
import type { Sites } from './ports/sites.ts';
import type { Speech } from './ports/speech.ts';

const DRAIN = { graceMs: 15_000, goodbyeMs: 1_000 } as const;
const SWEEP_INTERVAL_MS = 60_000;
const MAX_DATABASE_CONNECTIONS = 20;
const MEBIBYTE = 1_048_576;

const NO_REASONER =
  'No reasoner is configured: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, and start again';
const NO_SPEECH =
  'No speech recognition is configured: set DEEPGRAM_API_KEY, or DEEPGRAM_BASE_URL for a server of your own, and start again';

type House = {
  readonly config: Config;
  readonly version: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly shutdown: Shutdown;
  readonly isStopping: () => boolean;
};

type Storage = {
  readonly database: Database;
  readonly masterKey: Uint8Array;
  readonly operatorKey: string;
  /** For the start-up message. */
  readonly databaseIs: string;
  readonly note: string | undefined;
};

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
  const house: House = {
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

async function open(house: House, onBroken: () => void): Promise<void> {
  const { config, shutdown } = house;
  // Before everything else: a second engine on this folder, or a port that is taken, is told at once.
  const lock = await acquireDataDirLock(config.DATA_DIR);
  shutdown.add({ name: 'lock', close: lock.release });
  const door = await openDoor({ host: config.HOST, port: config.PORT });
  shutdown.add({ name: 'door', close: () => door.server.closeAllConnections() });
  if (house.isStopping()) return;
  const storage = await openStorage(house, onBroken);
  if (house.isStopping()) return;
  const sites = await openSites(house);
  if (house.isStopping()) return;
  const reasoner = makeReasoner(house);
  const speech = makeSpeech(house);
  const publicUrl = config.PUBLIC_URL ?? door.url;
  door.answerWith(await makeDoors(house, { storage, sites, reasoner, speech, publicUrl, server: door.server }));
  greet(house, { storage, sites, reasoner, speech, publicUrl });
}

async function openStorage({ config, logger, shutdown }: House, onBroken: () => void): Promise<Storage> {
  const inDataDir = (name: string) => path.join(config.DATA_DIR, name);
  const operatorKey =
    config.OPERATOR_KEY ??
    (await readOrMakeSecret({
      path: inDataDir('operator.key'),
      make: () => randomBytes(32).toString('base64url'),
    }));
  const masterKey =
    config.MASTER_KEY ??
    Buffer.from(
      await readOrMakeSecret({ path: inDataDir('master.key'), make: () => randomBytes(32).toString('base64') }),
      'base64',
    );
  if (masterKey.length !== 32) throw new Error(`${inDataDir('master.key')} must hold 32 bytes in base64`);

  let connectionString = config.DATABASE_URL;
  let note: string | undefined;
  if (connectionString === undefined) {
    const postgres = await startEmbeddedPostgres({
      dataDir: config.DATA_DIR,
      logger: { warn: (fields, message) => logger.warn(message, fields) },
      onUnexpectedExit: (thrown) => {
        logger.error('the embedded database ended by itself: stopping', { thrown });
        onBroken();
      },
    });
    shutdown.add({ name: 'embedded PostgreSQL', close: postgres.stop, timeoutMs: 5_000 });
    ({ connectionString, note } = postgres);
  }
  const database = await openDatabase({
    connectionString,
    maxConnections: MAX_DATABASE_CONNECTIONS,
    onError: (thrown) => logger.warn('a database connection was lost', { thrown }),
  });
  shutdown.add({ name: 'database', close: database.close });
  await ensureSameMasterKey(database, masterKey);
  const databaseIs =
    config.DATABASE_URL === undefined
      ? `embedded PostgreSQL in ${inDataDir('postgres')}`
      : `PostgreSQL at ${new URL(config.DATABASE_URL).host}`;
  return { database, masterKey, operatorKey, databaseIs, note };
}

function makeReasoner({ config, metrics }: House): Reasoner {
  if (config.OPENAI_API_KEY === undefined && config.OPENAI_BASE_URL === undefined) {
    return makeAbsentReasoner(NO_REASONER);
  }
  return makeOpenAiReasoner({
    apiKey: config.OPENAI_API_KEY,
    baseUrl: config.OPENAI_BASE_URL,
    model: config.OPENAI_MODEL,
    timeouts: {
      firstByteMs: config.REASONER_FIRST_BYTE_SECONDS * 1000,
      idleMs: config.REASONER_IDLE_SECONDS * 1000,
      totalMs: config.REASONER_TOTAL_SECONDS * 1000,
    },
    fetch: makeHttpFetch(),
    onCall: (call) => metrics.vendorCalled({ vendor: 'openai', ...call }),
  });
}

function makeSpeech({ config, metrics }: House): Speech {
  if (config.DEEPGRAM_API_KEY === undefined && config.DEEPGRAM_BASE_URL === undefined) {
    return makeAbsentSpeech(NO_SPEECH);
  }
  return makeDeepgramSpeech({
    apiKey: config.DEEPGRAM_API_KEY,
    baseUrl: config.DEEPGRAM_BASE_URL,
    models: parseDeepgramModels(config.DEEPGRAM_MODEL),
    baseTimeoutMs: config.SPEECH_BASE_SECONDS * 1000,
    fetch: makeHttpFetch(),
    onCall: metrics.vendorCalled,
  });
}

/** The hospitals' files, read again whenever they change. One that has problems keeps nobody from starting. */
async function openSites({ config, logger, shutdown }: House): Promise<Sites> {
  const registry = await openSiteRegistry({
    directory: config.MAPPINGS_DIR,
    environment: process.env,
    isOptional: config.MAPPINGS_DIR === DEFAULT_MAPPINGS_DIR,
    onLoad: (report) => logLoad(logger, report),
  });
  shutdown.add({ name: 'mappings', close: registry.close });
  return registry;
}

function logLoad(logger: Logger, { loaded, stale, unavailable, recovered, removed, problems }: LoadReport): void {
  const from = { component: 'mappings' };
  for (const problem of problems) logger.warn(describeProblem(problem), from);
  for (const site of stale) logger.warn(`the last good mappings of ${site} stay in force`, from);
  for (const site of unavailable) logger.warn(`the site ${site} is not in force: its files have problems`, from);
  for (const site of recovered) logger.info(`the files of ${site} are good again`, from);
  for (const { name, mode } of loaded) logger.info(`the mappings of ${name} are in force (${mode})`, from);
  for (const site of removed) logger.info(`the site ${site} is gone`, from);
}

type DoorParts = {
  readonly storage: Storage;
  readonly sites: Sites;
  readonly reasoner: Reasoner;
  readonly speech: Speech;
  readonly publicUrl: string;
  readonly server: Server;
};

async function makeDoors(house: House, parts: DoorParts): Promise<RequestListener> {
  const { config, logger, metrics, shutdown, isStopping, version } = house;
  const { storage, sites, reasoner, speech, publicUrl, server } = parts;
  const { database, masterKey } = storage;
  const runtime = systemRuntime;
  const keys = makePostgresKeys({ database });
  const plans = makePostgresPlans({ database });
  const usage = makePostgresUsage({ database });
  const limits = makePostgresLimits({ database });
  const preparedStreams = makePostgresPreparedStreams({ database, masterKey });
  keepSwept(house, preparedStreams);
  const spool = await openSpool({
    folder: path.join(config.DATA_DIR, 'spool'),
    minFreeBytes: config.MIN_FREE_DISK_MIB * MEBIBYTE,
  });
  shutdown.add({ name: 'spool', close: spool.close });

  const door = makeHttpDoor({
    flows: {
      admission: makeAdmitRequest({ keys, plans, limits, runtime }),
      diagnose: makeDiagnose({ reasoner, runtime }),
      streamDiagnosis: makeStreamDiagnosis({ reasoner, runtime }),
      prepareStream: makePrepareStream({ preparedStreams, runtime }),
      transcribeRecording: makeTranscribeRecording({ speech, runtime }),
      writeNote: makeWriteNote({ reasoner, runtime }),
      manageKeys: makeManageKeys({ keys, plans, runtime }),
      managePlans: makeManagePlans({ plans }),
      reportUsage: makeReportUsage({ usage, runtime }),
    },
    keys,
    usage,
    spool,
    runtime,
    healthChecks: [
      makePostgresHealth({ database }),
      async () => engineHealth('reasoner', reasoner.engine, NO_REASONER),
      async () => engineHealth('speech', speech.engine, NO_SPEECH),
      makeSitesHealth({ sites }),
    ],
    metrics,
    logger,
    isStopping,
    operatorKey: storage.operatorKey,
    publicUrl,
    version,
    corsOrigins: config.CORS_ORIGINS,
    trustProxyHops: config.TRUST_PROXY_HOPS,
    maxUploads: config.MAX_UPLOADS,
    maxStreams: config.MAX_STREAMS,
    maxStreamsPerOrganization: config.MAX_STREAMS_PER_ORGANIZATION,
  });
  shutdown.add({ name: 'stream watch', close: door.stop });
  const onGraceOver = () => door.abortStreams(new AppError('shuttingDown', 'The service is restarting'));
  shutdown.add({
    name: 'requests',
    close: () => drainHttp({ server, ...DRAIN, onGraceOver }),
    timeoutMs: DRAIN.graceMs + DRAIN.goodbyeMs + 500,
  });
  return door.listener;
}

/** What expired while no engine ran goes at the start, the rest on a timer. */
function keepSwept({ logger, shutdown }: House, preparedStreams: PreparedStreams): void {
  const sweep = () =>
    void preparedStreams.sweep().catch((thrown) => logger.warn('expired streams were not swept', { thrown }));
  sweep();
  const timer = setInterval(sweep, SWEEP_INTERVAL_MS);
  shutdown.add({ name: 'sweeper', close: () => clearInterval(timer) });
}

function engineHealth(name: string, engine: string | undefined, absence: string): ComponentHealth {
  return engine === undefined
    ? { name, status: 'degraded', detail: `${absence}.` }
    : { name, status: 'ok', detail: `${engine} is configured.` };
}

/** For the person who started it: plain lines on stdout, apart from the log. */
function greet({ config, version }: House, { storage, sites, ...parts }: Omit<DoorParts, 'server'>): void {
  const operatorKeyPlace = config.OPERATOR_KEY === undefined ? path.join(config.DATA_DIR, 'operator.key') : undefined;
  const { databaseIs, note: databaseNote } = storage;
  process.stdout.write(
    greeting({ ...parts, version, sites: sites.current(), databaseIs, databaseNote, operatorKeyPlace }),
  );
}
