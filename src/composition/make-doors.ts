// Connects all flows to the HTTP interface, and ends open requests at shutdown.
import type { RequestListener, Server } from 'node:http';
import path from 'node:path';
import { AppError } from '../domain/errors.ts';
import { makeManageCallbacks } from '../flows/admin/manage-callbacks.ts';
import { makeManageKeys } from '../flows/admin/manage-keys.ts';
import { makeManagePlans } from '../flows/admin/manage-plans.ts';
import { makeReportUsage } from '../flows/admin/report-usage.ts';
import { makeRotateMasterKey } from '../flows/admin/rotate-master-key.ts';
import { makeCheckDisk } from '../flows/health/check-disk.ts';
import { makeCheckEngines } from '../flows/health/check-engines.ts';
import { makeCheckKeys } from '../flows/health/check-keys.ts';
import { makeShowEngineHealth } from '../flows/operations/show-engine-health.ts';
import { makeIdentifyCaller } from '../flows/people/identify-caller.ts';
import { makeLaunch } from '../flows/people/launch.ts';
import { makeOpenSession } from '../flows/people/open-session.ts';
import { makeAdmitRequest } from '../flows/service/admit-request.ts';
import { makeAnswerOnce } from '../flows/service/answer-once.ts';
import { makeDeliverCallbacks } from '../flows/service/deliver-callbacks.ts';
import { makeDiagnose } from '../flows/service/diagnose.ts';
import { makePrepareStream } from '../flows/service/prepare-stream.ts';
import { makeStreamDiagnosis } from '../flows/service/stream-diagnosis.ts';
import { makeTranscribeRecording } from '../flows/service/transcribe-recording.ts';
import { makeVerifyNote } from '../flows/service/verify-note.ts';
import { makeRemoveJob, makeWorkOnJob } from '../flows/service/work-on-job.ts';
import { makeWriteCheckedNote } from '../flows/service/write-checked-note.ts';
import { makeWriteNote } from '../flows/service/write-note.ts';
import { startRepeating } from '../inbound/clock/repeat.ts';
import { makeHttpDoor } from '../inbound/http/http-door.ts';
import type { HttpExtension } from '../inbound/http/http-extension.ts';
import { type JobWorker, startJobWorker } from '../inbound/worker/job-worker.ts';
import { makeSendCallback } from '../outbound/callbacks/send-callback.ts';
import { readDefaultSettings } from '../outbound/files/default-settings.ts';
import { readShippedSources } from '../outbound/files/shipped-sources.ts';
import { makeSitesHealth } from '../outbound/files/sites-health.ts';
import { openSpool } from '../outbound/files/spool.ts';
import { makePostgresCallbacks } from '../outbound/postgres/access/callbacks.ts';
import { makePostgresJobs } from '../outbound/postgres/access/jobs.ts';
import { makePostgresKeyedAnswers } from '../outbound/postgres/access/keyed-answers.ts';
import { makePostgresKeys } from '../outbound/postgres/access/keys.ts';
import { makePostgresLimits } from '../outbound/postgres/access/limits.ts';
import { makePostgresPlans } from '../outbound/postgres/access/plans.ts';
import { makePostgresHealth } from '../outbound/postgres/health.ts';
import { makePostgresPreparedStreams } from '../outbound/postgres/streams/prepared-streams.ts';
import { makeSmartSignIn } from '../outbound/smart/smart-sign-in.ts';
import { commandName, withCommandName } from '../platform/command-name.ts';
import { drainHttp } from '../platform/http-drain.ts';
import { openHttpFetch } from '../platform/http-fetch.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { HealthCheck } from '../ports/health.ts';
import type { Sites } from '../ports/sites.ts';
import { makeCountRemoved } from './count-removed.ts';
import type { EngineContext } from './engine-context.ts';
import { makeAccounts } from './make-accounts.ts';
import { makeCds } from './make-cds.ts';
import type { Engines } from './make-engines.ts';
import { makeOversight } from './make-oversight.ts';
import { makeSignIn } from './make-sign-in.ts';
import type { Stores } from './make-stores.ts';
import type { Charts } from './open-charts.ts';
import type { EventWays } from './open-events.ts';
import type { ConfiguredProvider } from './open-identity-provider.ts';
import type { RunWork } from './open-runs.ts';
import type { Storage } from './open-storage.ts';
import { startAuditEvents } from './start-audit-events.ts';
import { startNotices } from './start-notices.ts';
import { sweepPeople } from './sweep-people.ts';
import { makeWatchVerifier } from './watch-vendors.ts';

const DRAIN = { graceMs: 15_000, goodbyeMs: 1_000 } as const;
const PROBES_GRACE_MS = 3_000;
const JOBS_GRACE_MS = 3_000;
const DELIVER_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 60_000;
const MEBIBYTE = 1_048_576;

export type DoorParts = {
  readonly storage: Storage;
  readonly stores: Stores;
  readonly sites: Sites;
  readonly engines: Engines;
  readonly charts: Charts;
  readonly runs: RunWork;
  readonly events: EventWays;
  readonly identityProvider: ConfiguredProvider | undefined;
  readonly extension: HttpExtension;
  readonly extensionSite: string;
  readonly publicUrl: string;
  readonly server: Server;
};

export async function makeDoors(context: EngineContext, parts: DoorParts): Promise<RequestListener> {
  const { config, logger, metrics, shutdown, isStopping, version } = context;
  const { storage, stores, sites, engines, charts, runs, events, extension, publicUrl, server } = parts;
  const { reasoner, speech } = engines;
  const { database, secrets } = storage;
  const runtime = systemRuntime;
  const keys = makePostgresKeys({ database });
  const plans = makePostgresPlans({ database });
  const { usage } = stores;
  const limits = makePostgresLimits({ database });
  const preparedStreams = makePostgresPreparedStreams({ database, secrets });
  const keyedAnswers = makePostgresKeyedAnswers({ database, secrets });
  const jobs = makePostgresJobs({ database, secrets });
  const callbacks = makePostgresCallbacks({ database, secrets });
  const onFailed = ({ jobId, thrown }: { readonly jobId: string; readonly thrown: unknown }) =>
    logger.error('a job failed', { job: jobId, thrown });
  const jobParts = { jobs, usage, runtime, onFailed };
  let jobWorker: JobWorker | undefined;
  const sweeper = startRepeating({
    runtime,
    everyMs: SWEEP_EVERY_MS,
    work: async () => {
      await preparedStreams.sweep();
      await keyedAnswers.sweep();
      await jobs.sweep();
      await sweepPeople(stores);
    },
    onFailed: (thrown) => logger.warn('what has expired could not be deleted', { thrown }),
  });
  shutdown.add({ name: 'sweeper', close: sweeper.stop });
  const spool = await openSpool({
    folder: path.join(config.DATA_DIR, 'spool'),
    minFreeBytes: config.MIN_FREE_DISK_MIB * MEBIBYTE,
  });
  shutdown.add({ name: 'spool', close: spool.close });

  const checks = [
    makePostgresHealth({ database, outage: storage.databaseOutage }),
    makeCheckKeys(storage),
    makeCheckDisk({ spool, folder: config.DATA_DIR, minFreeMib: config.MIN_FREE_DISK_MIB }),
    ...makeCheckEngines({ ...engines, sites, builtinSite: parts.extensionSite }),
    makeSitesHealth({ sites }),
    charts.health,
    ...runs.health,
    ...events.health,
  ];
  // Messages name commands as in a checkout.
  const healthChecks = checks.map((check) => inCommandsOf(process.env, check));
  const shippedSources = readShippedSources();
  const service = {
    reasoner,
    runtime,
    sources: () => sites.current().sources ?? shippedSources,
    findNames: engines.findNames,
    ...makeCountRemoved(metrics),
  };
  const oversight = makeOversight({ stores, sites, charts, runs, acceptEvent: events.acceptEvent, reasoner });
  const operatorKeyDigest = runtime.digest(storage.operatorKey);
  const door = makeHttpDoor({
    showEngineHealth: {
      admission: makeAdmitRequest({ keys, plans, limits, runtime }),
      answerOnce: makeAnswerOnce({
        keyedAnswers,
        runtime,
        onStorageFailed: (thrown) => logger.warn('an answer by Idempotency-Key could not be kept', { thrown }),
      }),
      diagnose: makeDiagnose(service),
      removeJob: makeRemoveJob(jobParts),
      streamDiagnosis: makeStreamDiagnosis(service),
      prepareStream: makePrepareStream({ preparedStreams, runtime }),
      transcribeRecording: makeTranscribeRecording({ speech, runtime }),
      writeCheckedNote: makeWriteCheckedNote({
        writeNote: makeWriteNote(service),
        reasoner,
        noteChecker: engines.noteChecker,
        verifyNote: makeVerifyNote({
          verifier: engines.verifier,
          runtime,
          onVerified: makeWatchVerifier(context),
        }),
        runtime,
        check: readDefaultSettings().check,
        totalMs: config.REASONER_TOTAL_SECONDS * 1000,
      }),
      manageKeys: makeManageKeys({ keys, plans, runtime }),
      manageCallbacks: makeManageCallbacks({ callbacks, audit: stores.audit, runtime }),
      managePlans: makeManagePlans({ plans }),
      rotateMasterKey: makeRotateMasterKey({ keyRotation: storage.keyRotation, audit: stores.audit }),
      reportUsage: makeReportUsage({ usage, runtime }),
      listSites: charts.listSites,
      probeSite: charts.probeSite,
      reconcileSite: charts.reconcileSite,
      acceptEvent: events.acceptEvent,
      showEngineHealth: makeShowEngineHealth({ healthChecks, runs: stores.runs, runtime }),
      ...oversight,
      launch: makeLaunch({
        ...stores,
        sites,
        runtime,
        publicUrl,
        ehrSignIn: makeSmartSignIn(runtime),
        openSession: makeOpenSession({ ...stores, runtime }),
      }),
      ...makeAccounts({ stores, sites, charts, publicUrl }),
      cds: makeCds(context, { stores, sites, publicUrl }),
    },
    sites,
    runs: stores.runs,
    audit: stores.audit,
    ehrs: charts.ehrs,
    keys,
    jobs,
    callbacks,
    onJobQueued: () => jobWorker?.wake(),
    usage,
    spool,
    runtime,
    healthChecks,
    command: commandName(process.env),
    metrics,
    logger,
    tracing: context.tracing,
    isStopping,
    operatorKeyDigest,
    identifyCaller: makeIdentifyCaller({
      ...stores,
      manageReviewers: oversight.manageReviewers,
      operatorKeyDigest,
      runtime,
    }),
    signIn: makeSignIn({ stores, secrets, configured: parts.identityProvider, publicUrl }),
    status: { isPublic: config.PUBLIC_STATUS === 'on', token: config.STATUS_TOKEN },
    publicUrl,
    version,
    extension,
    corsOrigins: config.CORS_ORIGINS,
    trustProxyHops: config.TRUST_PROXY_HOPS,
    maxUploads: config.MAX_UPLOADS,
    maxStreams: config.MAX_STREAMS,
    maxStreamsPerOrganization: config.MAX_STREAMS_PER_ORGANIZATION,
  });
  const worker = startJobWorker({
    jobs,
    workOnJob: makeWorkOnJob({ ...jobParts, answerJob: door.answerJob }),
    runtime,
    onTrouble: (thrown) => logger.warn('jobs could not be claimed', { thrown }),
  });
  jobWorker = worker;
  shutdown.add({ name: 'stream watch', close: door.stop });
  const restarting = () => new AppError('shuttingDown', 'The service is restarting');
  const onGraceOver = () => door.abortStreams(restarting());
  shutdown.add({
    name: 'requests',
    close: async () => {
      await drainHttp({ server, ...DRAIN, onGraceOver });
      await door.abortKeyedWork(restarting());
    },
    timeoutMs: DRAIN.graceMs + DRAIN.goodbyeMs + 1_500,
  });
  // Before the drain: a caller that waits for a probe gets its report, and the probe deletes its test data in the EHR.
  shutdown.add({ name: 'probes', close: charts.stopProbes, timeoutMs: PROBES_GRACE_MS });
  const http = openHttpFetch({ tracing: context.tracing });
  const sendCallback = makeSendCallback(http);
  const notices = startNotices(context, { stores, sendCallback, publicUrl });
  const auditEvents = startAuditEvents(context, { stores, sites, ehrs: charts.ehrs });
  const delivery = startRepeating({
    runtime,
    everyMs: DELIVER_EVERY_MS,
    work: makeDeliverCallbacks({ callbacks, sendCallback, runtime, publicUrl }),
    onFailed: (thrown) => logger.warn('call-backs could not be delivered', { thrown }),
    reportsOnce: true,
  });
  shutdown.add({
    name: 'call-backs and notices',
    close: async () => {
      await Promise.all([delivery.stop(), notices.stop(), auditEvents.stop()]);
      http.close();
    },
    timeoutMs: JOBS_GRACE_MS,
  });
  // Jobs that are under way are given back, so that another engine begins with them while open requests finish here.
  shutdown.add({ name: 'jobs', close: worker.stop, timeoutMs: JOBS_GRACE_MS });
  return door.listener;
}

/** What to do, in commands that work here: `chartwright …` in the image. */
function inCommandsOf(environment: NodeJS.ProcessEnv, check: HealthCheck): HealthCheck {
  const said = (text: string) => withCommandName(text, environment);
  return async () => {
    const { summary, detail, ...health } = await check();
    return { ...health, detail: said(detail), ...(summary !== undefined && { summary: said(summary) }) };
  };
}
