// The routes below /ehr/{site} in a small engine: the real app, gate and server, with fake flows or real ones on fake ports.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Router } from 'express';
import type { RawDelivery } from '../../../../src/domain/event/delivery.ts';
import type { EventSettings, SiteSettings } from '../../../../src/domain/site/site.ts';
import { makeManageKeys } from '../../../../src/flows/admin/manage-keys.ts';
import type { AcceptAnswer } from '../../../../src/flows/intake/accept-answer.ts';
import type { AcceptEvent } from '../../../../src/flows/intake/accept-event.ts';
import type { TakeUpload } from '../../../../src/flows/intake/take-upload.ts';
import type { ShowRun } from '../../../../src/flows/operations/show-run.ts';
import { makeAdmitRequest } from '../../../../src/flows/service/admit-request.ts';
import { makeReceiveRecording } from '../../../../src/inbound/http/body/audio-upload.ts';
import type { MinimumRate } from '../../../../src/inbound/http/body/body-pace.ts';
import { makeReadRawBody, type RawBodyLimits } from '../../../../src/inbound/http/body/raw-body.ts';
import { makeUploadSlots } from '../../../../src/inbound/http/body/upload-slots.ts';
import { makeEhrRouter } from '../../../../src/inbound/http/ehr/ehr-routes.ts';
import { makeAuthenticateSender } from '../../../../src/inbound/http/ehr/ehr-sender.ts';
import type { ApiCall, Handle } from '../../../../src/inbound/http/server/api-call.ts';
import { makeApiOperation, makeAuthenticateKey } from '../../../../src/inbound/http/server/api-operation.ts';
import { makeApp } from '../../../../src/inbound/http/server/app.ts';
import { HTTP_LIMITS, makeHttpServer } from '../../../../src/inbound/http/server/http-server.ts';
import { makeWrongKeyThrottle } from '../../../../src/inbound/http/server/wrong-keys.ts';
import { checkAudioHead } from '../../../../src/platform/file-check/audio-head.ts';
import { makeLogger } from '../../../../src/platform/logger.ts';
import { makeMetrics } from '../../../../src/platform/metrics.ts';
import { makeTracing } from '../../../../src/platform/tracing/tracing.ts';
import type { Ehrs } from '../../../../src/ports/ehr.ts';
import type { LoadedSite } from '../../../../src/ports/sites.ts';
import { makeFakeKeys } from '../../../fakes/keys.ts';
import { makeFakeLimits } from '../../../fakes/limits.ts';
import { makeFakePlans } from '../../../fakes/plans.ts';
import { type FakeRuntime, makeFakeRuntime } from '../../../fakes/runtime.ts';
import { makeFakeSpool } from '../../../fakes/spool.ts';
import { makeFakeUsage } from '../../../fakes/usage.ts';
import { aSite } from '../../../support/chart-facts.ts';

export const HOOK_SECRET = 'made-up-hook-secret-0123456789';
export const PUSH_SECRET = 'made-up-push-secret-0123456789';

type SiteChanges = Partial<Pick<SiteSettings, 'mode' | 'organization' | 'upload' | 'write' | 'identifiers'>> & {
  readonly events?: EventSettings;
};

export function siteNamed(name: string, changes: SiteChanges = {}): LoadedSite {
  const site = aSite();
  const ehr = {
    baseUrl: 'https://ehr.example.org/fhir/R4',
    auth: { type: 'none' },
    maxConcurrentWrites: 2,
    headers: {},
  } as const;
  return { ...site, name, settings: { ...site.settings, mode: 'live', ehr, ...changes } };
}

export type EhrDoorOptions = {
  readonly sites?: readonly LoadedSite[];
  /** By default every event is accepted. */
  readonly acceptEvent?: (delivery: RawDelivery, site: LoadedSite) => Promise<AcceptAnswer>;
  readonly takeUpload?: TakeUpload;
  readonly showRun?: ShowRun;
  readonly jwks?: Ehrs['jwks'];
  readonly runtime?: FakeRuntime;
  readonly isStopping?: () => boolean;
  readonly bodyLimits?: Partial<RawBodyLimits>;
  readonly largeBodies?: number;
  readonly maxWrongKeys?: number;
  readonly maxRecordingBytes?: number;
};

export type EhrDoor = Awaited<ReturnType<typeof openEhrDoor>>;

export const NO_RATE: MinimumRate = { bytesPerSecond: 0, windowMs: 1_000, graceMs: 1_000 };

export const ACCEPTED: AcceptAnswer = {
  outcome: 'accepted',
  content: { kind: 'encounters', key: 'id:1', encounters: [{ encounter: 'Encounter/1', isUrgent: false }] },
  runs: ['run-1'],
};

export async function openEhrDoor(options: EhrDoorOptions = {}) {
  const runtime = options.runtime ?? makeFakeRuntime();
  const { now } = runtime;
  const [plans, usage, spool] = [makeFakePlans(), makeFakeUsage({ now }), makeFakeSpool()];
  await plans.put({ name: 'no-audio', audioSecondsPerMonth: 0 });
  await plans.put({ name: 'one-a-minute', requestsPerMinute: 1 });
  const keys = makeFakeKeys({ plans, now });
  const admission = makeAdmitRequest({ keys, plans, limits: makeFakeLimits({ usage, now }), runtime });
  const wrongKeys = makeWrongKeyThrottle({ maxFailures: options.maxWrongKeys ?? 1_000, windowSeconds: 60 });
  const logged: string[] = [];
  const logger = makeLogger({ level: 'info', destination: { write: (line: string) => void logged.push(line) } });
  const isStopping = options.isStopping ?? (() => false);
  const sites = new Map((options.sites ?? []).map((site) => [site.name, site]));
  const deliveries: RawDelivery[] = [];
  const acceptEvent: AcceptEvent = async ({ site, delivery }) => {
    deliveries.push(delivery);
    return options.acceptEvent === undefined ? ACCEPTED : options.acceptEvent(delivery, site);
  };
  // Uploads of recordings have no Idempotency-Key: the same recording has the same run.
  const keyedRequests = { answer: (call: ApiCall, _operation: string, handle: Handle) => handle(call) };
  const apiOperation = makeApiOperation({ keyedRequests, admission, usage, runtime, wrongKeys, isStopping, logger });
  const uploadSlots = makeUploadSlots({ max: 8 });
  const bodySlots = makeUploadSlots({ max: options.largeBodies ?? 8, waitMs: 50 });
  const limits = { maxBytes: 16 * 1_048_576, smallBytes: 262_144, deadlineMs: 60_000, minimumRate: NO_RATE };
  const app = makeApp({
    routers: {
      health: Router(),
      home: Router(),
      docs: Router(),
      signIn: Router(),
      ops: Router(),
      diagnose: Router(),
      transcribe: Router(),
      jobs: Router(),
      launch: Router(),
      review: Router(),
      device: Router(),
      cds: Router(),
      ehr: makeEhrRouter({
        sites: { current: () => ({ sites, problems: [], stale: new Set(), unavailable: new Set() }) },
        ehrs: { jwks: options.jwks ?? (async () => undefined) },
        apiOperation,
        authenticateKey: makeAuthenticateKey({ admission, wrongKeys }),
        receiveRecording: makeReceiveRecording({
          spool,
          slots: uploadSlots,
          checkAudioHead,
          ...(options.maxRecordingBytes !== undefined && { maxBytes: options.maxRecordingBytes }),
        }),
        takeUpload: options.takeUpload ?? notPlayed,
        showRun: options.showRun ?? notPlayed,
        acceptEvent,
        checkSender: makeAuthenticateSender({ runtime, wrongKeys, logger }),
        readRawBody: makeReadRawBody({ slots: bodySlots, limits: { ...limits, ...options.bodyLimits } }),
        runtime,
        isStopping,
        logger,
      }),
    },
    corsOrigins: [],
    trustProxyHops: 0,
    metrics: makeMetrics(),
    logger,
    tracing: makeTracing(),
    monotonicMs: runtime.monotonicMs,
  });
  const server = makeHttpServer(app, { ...HTTP_LIMITS, lingerMs: 200 }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const manageKeys = makeManageKeys({ keys, plans, runtime });
  return {
    port,
    runtime,
    /** What the flow received, after authentication. */
    deliveries,
    logged,
    usage,
    filesLeft: spool.fileCount,
    uploadsInFlight: uploadSlots.inFlight,
    largeBodies: bodySlots.inFlight,
    makeKey: async (organization: string, plan = 'unlimited') =>
      (await manageKeys.create({ organization, plan })).keyText,
    async ask(path: string, init: RequestInit = {}) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function notPlayed(): Promise<never> {
  throw new Error('the test has no fake for this flow');
}

/** The signature of an EHR: hex HMAC-SHA256 of the raw bytes. */
export function signature(body: string | Uint8Array, secret = HOOK_SECRET): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
