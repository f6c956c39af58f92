// Composes the HTTP door: routers, limits and streams around the flows. It knows flows and ports, but no outlet.
import type { RequestListener } from 'node:http';
import type { AppError } from '../../domain/errors.ts';
import type { AcceptEvent } from '../../flows/intake/accept-event.ts';
import type { TakeUpload } from '../../flows/intake/take-upload.ts';
import type { ShowEngineHealth } from '../../flows/operations/show-engine-health.ts';
import type { ShowRun } from '../../flows/operations/show-run.ts';
import type { IdentifyCaller } from '../../flows/people/identify-caller.ts';
import type { Launch } from '../../flows/people/launch.ts';
import type { SignInDevice } from '../../flows/people/sign-in-device.ts';
import type { ReadDraft } from '../../flows/reviews/read-draft.ts';
import type { AdmitRequest } from '../../flows/service/admit-request.ts';
import type { AnswerOnce } from '../../flows/service/answer-once.ts';
import type { Diagnose } from '../../flows/service/diagnose.ts';
import type { PrepareStream } from '../../flows/service/prepare-stream.ts';
import type { StreamDiagnosis } from '../../flows/service/stream-diagnosis.ts';
import type { TranscribeRecording } from '../../flows/service/transcribe-recording.ts';
import type { AnswerJob, RemoveJob } from '../../flows/service/work-on-job.ts';
import type { WriteCheckedNote } from '../../flows/service/write-checked-note.ts';
import { makeAttachmentCheck } from '../../platform/file-check/attachment-check.ts';
import { checkAudioHead } from '../../platform/file-check/audio-head.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Tracing } from '../../platform/tracing/tracing.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Callbacks } from '../../ports/callbacks.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { HealthCheck } from '../../ports/health.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Keys } from '../../ports/keys.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import type { Spool } from '../../ports/spool.ts';
import type { Usage } from '../../ports/usage.ts';
import { makeDiagnoseRouter } from './api/diagnose-routes.ts';
import { makeJobRouter } from './api/job-routes.ts';
import { makeStreamAnswer } from './api/stream-answer.ts';
import { makeAuthenticateStream } from './api/stream-ticket.ts';
import { makeTranscribeRouter } from './api/transcribe-routes.ts';
import { makeReceiveRecording } from './body/audio-upload.ts';
import { makeReceiveAttachments } from './body/form-files.ts';
import { makeReadRawBody } from './body/raw-body.ts';
import { makeUploadSlots } from './body/upload-slots.ts';
import { type CdsFlows, makeCdsRouter } from './cds/cds-routes.ts';
import { makeEhrRouter } from './ehr/ehr-routes.ts';
import { makeAuthenticateSender } from './ehr/ehr-sender.ts';
import type { HttpExtension } from './http-extension.ts';
import { makeLaunchRouter } from './launch/launch-routes.ts';
import { makeRefusedLaunches } from './launch/refused-launches.ts';
import { makeOpsRouter, type OpsFlows } from './ops/ops-routes.ts';
import { makeRunFeed } from './ops/ops-runs-feed.ts';
import { makeRefusedKeys } from './ops/refused-keys.ts';
import { makeDocsRouter } from './pages/docs-routes.ts';
import { makeHomeRouter } from './pages/home-routes.ts';
import { makeStatusGuard } from './pages/status-guard.ts';
import { makeDeviceRouter } from './people/device-routes.ts';
import { makeRefusedSignIns } from './people/refused-sign-ins.ts';
import { makeSignInRouter, type SignInRouterParts } from './people/sign-in-routes.ts';
import { makeReviewRouter } from './review/review-routes.ts';
import { makeApiOperation, makeAuthenticateKey } from './server/api-operation.ts';
import { makeApp } from './server/app.ts';
import { makeAsyncRequests } from './server/async-requests.ts';
import { EVENT_STREAM_LIMITS } from './server/event-stream.ts';
import { makeHealthRouter } from './server/health-routes.ts';
import { makeKeyedRequests } from './server/keyed-requests.ts';
import { makeOpenStreams } from './server/open-streams.ts';
import { makeWrongKeyThrottle } from './server/wrong-keys.ts';

const KEY_WATCH_INTERVAL_MS = 2_000;
const UPLOAD_WAIT_MS = 30_000;
/** The number of notifications of more than a few kilobytes that may be in memory at once. */
const LARGE_NOTIFICATIONS = { max: 8, waitMs: 10_000 } as const;
const WRONG_KEYS = { maxFailures: 20, windowSeconds: 60 } as const;
/** Of refused keys of operators and reviewers, and of refused sign-ins, in the audit trail. */
const KEPT_REFUSALS = { maxFailures: 600, windowSeconds: 3_600 } as const;

type HttpDoorParts = {
  readonly showEngineHealth: OpsFlows & {
    readonly admission: AdmitRequest;
    readonly answerOnce: AnswerOnce;
    readonly diagnose: Diagnose;
    readonly removeJob: RemoveJob;
    readonly streamDiagnosis: StreamDiagnosis;
    readonly prepareStream: PrepareStream;
    readonly transcribeRecording: TranscribeRecording;
    readonly writeCheckedNote: WriteCheckedNote;
    readonly acceptEvent: AcceptEvent;
    readonly takeUpload: TakeUpload;
    readonly cds: CdsFlows;
    readonly showRun: ShowRun;
    readonly showEngineHealth: ShowEngineHealth;
    readonly launch: Launch;
    readonly readDraft: ReadDraft;
    readonly signInDevice: SignInDevice;
  };
  readonly sites: Sites;
  readonly runs: Pick<Runs, 'changesSince'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly ehrs: Pick<Ehrs, 'jwks'>;
  readonly keys: Pick<Keys, 'findEnded'>;
  readonly jobs: Jobs;
  readonly callbacks: Pick<Callbacks, 'find' | 'repeat'>;
  readonly onJobQueued: () => void;
  readonly usage: Usage;
  readonly spool: Spool;
  readonly runtime: Runtime;
  readonly healthChecks: readonly HealthCheck[];
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly tracing: Tracing;
  readonly isStopping: () => boolean;
  readonly operatorKeyDigest: Uint8Array;
  readonly identifyCaller: IdentifyCaller;
  readonly signIn: Pick<
    SignInRouterParts,
    | 'visitPage'
    | 'closeSession'
    | 'signInProvider'
    | 'endByProvider'
    | 'signInLocal'
    | 'useLink'
    | 'ownPasskeys'
    | 'publicUrl'
  >;
  readonly status: { readonly isPublic: boolean; readonly token: string | undefined };
  readonly publicUrl: string;
  readonly version: string;
  /** How a person runs the command line here: `chartwright`, or `npm run cli --`. */
  readonly command: string;
  readonly extension: HttpExtension;
  readonly corsOrigins: readonly string[];
  readonly trustProxyHops: number;
  readonly maxUploads: number;
  readonly maxStreams: number;
  readonly maxStreamsPerOrganization: number;
};

export type HttpDoor = {
  readonly listener: RequestListener;
  /** Works on a request that was stored as a job. */
  readonly answerJob: AnswerJob;
  /** Ends the open streams with an `error` event. */
  readonly abortStreams: (reason: AppError) => void;
  /** Ends the work for clients that have left and may come again with their Idempotency-Key. */
  readonly abortKeyedWork: (reason: AppError) => Promise<void>;
  /** Stops timers and feeds; the server ends the requests. */
  readonly stop: () => void;
};

export function makeHttpDoor(parts: HttpDoorParts): HttpDoor {
  const { showEngineHealth: flows, sites, ehrs, spool, runtime, metrics, logger, isStopping } = parts;
  const openStreams = makeOpenStreams({
    keys: parts.keys,
    maxInAll: parts.maxStreams,
    maxPerOrganization: parts.maxStreamsPerOrganization,
    watchIntervalMs: KEY_WATCH_INTERVAL_MS,
    onWatchFailed: (thrown) => logger.warn('the keys of open streams could not be checked', { thrown }),
  });
  const runFeed = makeRunFeed({
    runs: parts.runs,
    runtime,
    isStopping,
    onPollFailed: (thrown) => logger.warn('changes of runs could not be read', { thrown }),
  });
  // Apart from each other, because a recording is passed on while files are still checked.
  const soundSlots = makeUploadSlots({ max: parts.maxUploads, waitMs: UPLOAD_WAIT_MS });
  const fileSlots = makeUploadSlots({ max: parts.maxUploads, waitMs: UPLOAD_WAIT_MS });
  const uploadsInFlight = () => soundSlots.inFlight() + fileSlots.inFlight();
  metrics.watch('chartwright_streams_open', 'Open diagnosis streams', openStreams.count);
  metrics.watch('chartwright_uploads_in_flight', 'Uploads in progress', uploadsInFlight);

  const { admission } = flows;
  const wrongKeys = makeWrongKeyThrottle(WRONG_KEYS);
  /** Each door counts for itself. */
  const refusals = () => ({
    throttle: makeWrongKeyThrottle(WRONG_KEYS),
    mostKept: makeWrongKeyThrottle(KEPT_REFUSALS),
    audit: parts.audit,
    logger,
  });
  const refusedKeys = makeRefusedKeys(refusals());
  const guard = makeStatusGuard({
    isPublic: parts.status.isPublic,
    keyDigests: [
      parts.operatorKeyDigest,
      ...(parts.status.token === undefined ? [] : [runtime.digest(parts.status.token)]),
    ],
    refusedKeys,
    runtime,
  });
  const keyedRequests = makeKeyedRequests({ answerOnce: flows.answerOnce, onEnded: metrics.keyedRequestEnded });
  const { usage } = parts;
  const apiOperation = makeApiOperation({ keyedRequests, admission, usage, runtime, wrongKeys, isStopping, logger });
  const authenticateKey = makeAuthenticateKey({ admission, wrongKeys });
  const asyncRequests = makeAsyncRequests({
    jobs: parts.jobs,
    callbacks: parts.callbacks,
    runtime,
    admission,
    slots: makeUploadSlots({ max: parts.maxUploads, waitMs: UPLOAD_WAIT_MS }),
    onQueued: parts.onJobQueued,
  });
  const receiveRecording = makeReceiveRecording({ spool, slots: soundSlots, checkAudioHead });
  const { streamDiagnosis } = flows;
  const { site: extraSite, opsRoutes: extraRoutes, openApiPaths: extraPaths } = parts.extension;
  const { publicUrl: serverUrl, version, command } = parts;
  const makeDocument = async () => {
    const { makeOpenApiDocument } = await import('./docs/openapi.ts');
    return makeOpenApiDocument({ serverUrl, version, extraPaths });
  };
  const listener = makeApp({
    routers: {
      health: makeHealthRouter({ checks: parts.healthChecks, isStopping, metrics, guard }),
      home: makeHomeRouter({ version, serverUrl, command, showEngineHealth: flows.showEngineHealth, runtime, guard }),
      docs: makeDocsRouter({ makeDocument }),
      signIn: makeSignInRouter({
        ...parts.signIn,
        ownAccount: flows.ownAccount,
        refused: makeRefusedSignIns(refusals()),
        runtime,
        logger,
        command,
      }),
      ops: makeOpsRouter({
        ...flows,
        sites,
        runFeed,
        audit: parts.audit,
        extraRoutes,
        extraSite,
        identifyCaller: parts.identifyCaller,
        refusedKeys,
        ownOrigin: new URL(parts.publicUrl).origin,
        runtime,
      }),
      device: makeDeviceRouter({
        ...parts.signIn,
        signInDevice: flows.signInDevice,
        throttles: { codes: makeWrongKeyThrottle(WRONG_KEYS), tries: makeWrongKeyThrottle(WRONG_KEYS) },
        refused: makeRefusedSignIns(refusals()),
        runtime,
        logger,
      }),
      diagnose: makeDiagnoseRouter({
        apiOperation,
        asyncRequests,
        authenticateStream: makeAuthenticateStream({ ...flows, authenticateKey, wrongKeys }),
        diagnose: flows.diagnose,
        prepareStream: flows.prepareStream,
        streamAnswer: makeStreamAnswer({ streamDiagnosis, openStreams, limits: EVENT_STREAM_LIMITS, logger }),
        receiveAttachments: makeReceiveAttachments({ spool, slots: fileSlots, checkAttachment: makeAttachmentCheck() }),
      }),
      transcribe: makeTranscribeRouter({
        apiOperation,
        asyncRequests,
        transcribeRecording: flows.transcribeRecording,
        writeCheckedNote: flows.writeCheckedNote,
        receiveRecording,
        runtime,
      }),
      jobs: makeJobRouter({
        jobs: parts.jobs,
        callbacks: parts.callbacks,
        removeJob: flows.removeJob,
        authenticateKey,
        logger,
      }),
      cds: makeCdsRouter({ ...flows.cds, sites, wrongKeys, logger }),
      ehr: makeEhrRouter({
        ...flows,
        sites,
        ehrs,
        apiOperation,
        receiveRecording,
        authenticateKey,
        checkSender: makeAuthenticateSender({ runtime, wrongKeys, logger }),
        readRawBody: makeReadRawBody({ slots: makeUploadSlots(LARGE_NOTIFICATIONS) }),
        runtime,
        isStopping,
        logger,
      }),
      launch: makeLaunchRouter({
        ...parts.signIn,
        launch: flows.launch,
        refusedLaunches: makeRefusedLaunches(refusals()),
        sites,
        logger,
        runtime,
      }),
      review: makeReviewRouter({
        ...flows,
        ...parts,
        ...parts.signIn,
        ownOrigin: new URL(parts.publicUrl).origin,
        base: new URL(parts.publicUrl).pathname.replace(/\/+$/, ''),
      }),
    },
    corsOrigins: parts.corsOrigins,
    trustProxyHops: parts.trustProxyHops,
    metrics,
    logger,
    tracing: parts.tracing,
    monotonicMs: runtime.monotonicMs,
  });
  return {
    listener,
    answerJob: asyncRequests.answerJob,
    abortStreams: (reason) => {
      openStreams.abortAll(reason);
      runFeed.stop();
    },
    abortKeyedWork: keyedRequests.stop,
    stop: () => {
      openStreams.stop();
      runFeed.stop();
    },
  };
}
