// The HTTP door as a whole: what comes in by which route, with what around it. Knows flows and ports, no outlet.
import type { RequestListener } from 'node:http';
import type { AppError } from '../../domain/errors.ts';
import type { AdmitRequest } from '../../flows/admit-request.ts';
import type { Diagnose } from '../../flows/diagnose.ts';
import type { ListSites } from '../../flows/list-sites.ts';
import type { ManageKeys } from '../../flows/manage-keys.ts';
import type { ManagePlans } from '../../flows/manage-plans.ts';
import type { PrepareStream } from '../../flows/prepare-stream.ts';
import type { ProbeSite } from '../../flows/probe-site.ts';
import type { ReconcileSite } from '../../flows/reconcile-site.ts';
import type { ReportUsage } from '../../flows/report-usage.ts';
import type { StreamDiagnosis } from '../../flows/stream-diagnosis.ts';
import type { TranscribeRecording } from '../../flows/transcribe-recording.ts';
import type { WriteNote } from '../../flows/write-note.ts';
import { makeAttachmentCheck } from '../../platform/file-check/attachment-check.ts';
import { checkAudioHead } from '../../platform/file-check/audio-head.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { HealthCheck } from '../../ports/health.ts';
import type { Keys } from '../../ports/keys.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import type { Spool } from '../../ports/spool.ts';
import type { Usage } from '../../ports/usage.ts';
import { makeApiOperation } from './api-operation.ts';
import { makeApp } from './app.ts';
import { makeReceiveRecording } from './audio-upload.ts';
import { makeDiagnoseRouter } from './diagnose-routes.ts';
import { makeDocsRouter } from './docs-routes.ts';
import { makeEhrRouter } from './ehr-routes.ts';
import { EVENT_STREAM_LIMITS } from './event-stream.ts';
import { makeReceiveAttachments } from './form-files.ts';
import { makeHealthRouter } from './health-routes.ts';
import { makeOpenStreams } from './open-streams.ts';
import { makeOpenApiDocument } from './openapi.ts';
import { makeOpsRouter } from './ops-routes.ts';
import { makeStreamAnswer } from './stream-answer.ts';
import { makeTranscribeRouter } from './transcribe-routes.ts';
import { makeUploadSlots } from './upload-slots.ts';
import { makeWrongKeyThrottle } from './wrong-keys.ts';

const KEY_WATCH_INTERVAL_MS = 2_000;
const UPLOAD_WAIT_MS = 30_000;
const WRONG_KEYS = { maxFailures: 20, windowSeconds: 60 } as const;

type HttpDoorParts = {
  readonly flows: {
    readonly admission: AdmitRequest;
    readonly diagnose: Diagnose;
    readonly streamDiagnosis: StreamDiagnosis;
    readonly prepareStream: PrepareStream;
    readonly transcribeRecording: TranscribeRecording;
    readonly writeNote: WriteNote;
    readonly manageKeys: ManageKeys;
    readonly managePlans: ManagePlans;
    readonly reportUsage: ReportUsage;
    readonly listSites: ListSites;
    readonly probeSite: ProbeSite;
    readonly reconcileSite: ReconcileSite;
  };
  readonly sites: Sites;
  readonly ehrs: Pick<Ehrs, 'jwks'>;
  readonly keys: Pick<Keys, 'findEnded'>;
  readonly usage: Usage;
  readonly spool: Spool;
  readonly runtime: Runtime;
  readonly healthChecks: readonly HealthCheck[];
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly isStopping: () => boolean;
  readonly operatorKey: string;
  readonly publicUrl: string;
  readonly version: string;
  readonly corsOrigins: readonly string[];
  readonly trustProxyHops: number;
  readonly maxUploads: number;
  readonly maxStreams: number;
  readonly maxStreamsPerOrganization: number;
};

export type HttpDoor = {
  readonly listener: RequestListener;
  /** Ends the open streams with an `error` event. */
  readonly abortStreams: (reason: AppError) => void;
  /** Stops what runs by itself; requests are the server's. */
  readonly stop: () => void;
};

export function makeHttpDoor(parts: HttpDoorParts): HttpDoor {
  const { flows, sites, ehrs, spool, runtime, metrics, logger, isStopping } = parts;
  const openStreams = makeOpenStreams({
    keys: parts.keys,
    maxInAll: parts.maxStreams,
    maxPerOrganization: parts.maxStreamsPerOrganization,
    watchIntervalMs: KEY_WATCH_INTERVAL_MS,
    onWatchFailed: (thrown) => logger.warn('the keys of open streams could not be looked at', { thrown }),
  });
  const slots = makeUploadSlots({ max: parts.maxUploads, waitMs: UPLOAD_WAIT_MS });
  metrics.watch('chartwright_streams_open', 'Diagnosis streams that are open', openStreams.count);
  metrics.watch('chartwright_uploads_in_flight', 'Uploads that are being taken in', slots.inFlight);

  const apiOperation = makeApiOperation({
    admission: flows.admission,
    usage: parts.usage,
    runtime,
    wrongKeys: makeWrongKeyThrottle(WRONG_KEYS),
    isStopping,
    logger,
  });
  const { streamDiagnosis } = flows;
  const openApiDocument = makeOpenApiDocument({ serverUrl: parts.publicUrl, version: parts.version });
  const listener = makeApp({
    routers: {
      health: makeHealthRouter({ checks: parts.healthChecks, isStopping, metrics }),
      docs: makeDocsRouter({ openApiDocument }),
      ops: makeOpsRouter({
        ...flows,
        sites,
        operatorKeyDigest: runtime.digest(parts.operatorKey),
        runtime,
      }),
      diagnose: makeDiagnoseRouter({
        apiOperation,
        diagnose: flows.diagnose,
        prepareStream: flows.prepareStream,
        streamAnswer: makeStreamAnswer({ streamDiagnosis, openStreams, limits: EVENT_STREAM_LIMITS, logger }),
        receiveAttachments: makeReceiveAttachments({ spool, slots, checkAttachment: makeAttachmentCheck() }),
      }),
      transcribe: makeTranscribeRouter({
        apiOperation,
        transcribeRecording: flows.transcribeRecording,
        writeNote: flows.writeNote,
        receiveRecording: makeReceiveRecording({ spool, slots, checkAudioHead }),
        runtime,
      }),
      ehr: makeEhrRouter({ sites, ehrs }),
    },
    corsOrigins: parts.corsOrigins,
    trustProxyHops: parts.trustProxyHops,
    metrics,
    logger,
    monotonicMs: runtime.monotonicMs,
  });
  return { listener, abortStreams: openStreams.abortAll, stop: openStreams.stop };
}
