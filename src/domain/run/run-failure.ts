// Decides how a run ends whose step has failed: it is tried again later, skipped, or parked for a person. The error code decides, never the
// text of the error.
import { backoffMs, spreadMs } from '../backoff.ts';
import { LookAgain } from '../chart/look-again.ts';
import { EhrLimit } from '../ehr-limit.ts';
import type { AppError, ErrorCode } from '../errors.ts';
import { LinkRefusal } from '../recording/link-refusal.ts';
import type { ParkedReason, Run, ServiceName, StepName, WaitReason } from './run.ts';
import type { RunEnd } from './run-end.ts';

export const MAX_TRIES = 5;
export const MAX_CRASHES = 3;
const BACKOFF = { firstMs: 1_000, longestMs: 300_000 };
/** A service may ask for a wait of up to this time. */
const LONGEST_ASKED_MS = 3_600_000;
/** How often a missing setting is checked again. */
const UNCONFIGURED_PAUSE_MS = 60_000;
/** Another process works on the same chart. */
const IN_USE_PAUSE_MS = 2_000;
/** Runs that wait for the same limit return over this time. */
const LIMIT_SPREAD_MS = 5_000;

/** The verdict of the service's circuit on the failure. */
export type CircuitVerdict = { readonly isOwnFault: boolean; readonly retryInMs: number };

export type FailureParts = {
  readonly error: AppError;
  readonly run: Pick<Run, 'tries' | 'site'>;
  /** Absent if the encounter could not be resolved. */
  readonly step: StepName | undefined;
  readonly service?: ServiceName | undefined;
  readonly circuit?: CircuitVerdict | undefined;
  readonly now: Date;
  /** From 0 up to but not 1. */
  readonly chance: number;
};

/**
 * `try`: it may work next time, and counts as an attempt. `service`: the circuit of the service decides whether it counts. `later`: it does
 * not count. `park`: a person must act. The other classes end or release the run.
 */
type FailureClass = 'try' | 'service' | 'later' | 'unconfigured' | 'park' | 'release' | 'no-speech' | 'not-medical';

const CLASSES = {
  invalidRequest: 'park',
  unauthorized: 'park',
  forbidden: 'park',
  notFound: 'park',
  methodNotAllowed: 'park',
  conflict: 'try',
  keyReused: 'park',
  payloadTooLarge: 'park',
  unsupportedMedia: 'park',
  rateLimited: 'try',
  authThrottled: 'try',
  quotaExceeded: 'park',
  notMedical: 'not-medical',
  noSpeech: 'no-speech',
  slowRequest: 'try',
  cancelled: 'release',
  overloaded: 'later',
  shuttingDown: 'release',
  notConfigured: 'unconfigured',
  vendorUnavailable: 'service',
  // A vendor that refuses every run is down for the engine; one that refuses only this run will refuse it again.
  vendorRejected: 'service',
  vendorAnswer: 'try',
  ehrUnavailable: 'service',
  ehrAnswer: 'try',
  ehrRefused: 'park',
  ehrUncertain: 'try',
  inUse: 'later',
  internal: 'try',
} as const satisfies Record<ErrorCode, FailureClass>;

export function endOfFailure(parts: FailureParts): RunEnd {
  const { error, now } = parts;
  const kind: FailureClass = CLASSES[error.code];
  switch (kind) {
    case 'release':
      return { status: 'queued' };
    case 'no-speech':
      return { status: 'skipped', reason: 'no-speech', message: 'The recording has no speech.' };
    case 'not-medical':
      return { status: 'skipped', reason: 'not-medical', message: 'The recording has no medical content.' };
    case 'park':
      return { status: 'parked', reason: parkReasonOf(parts), message: error.message, advice: adviceOf(parts) };
    case 'unconfigured':
      return {
        status: 'waiting',
        reason: 'engines',
        message: error.message,
        until: after(now, askedMs(error) ?? UNCONFIGURED_PAUSE_MS),
        countsAsTry: false,
      };
    case 'later':
      return waitFor(parts, { delayMs: askedMs(error) ?? IN_USE_PAUSE_MS, countsAsTry: false });
    case 'service':
      if (parts.circuit !== undefined && !parts.circuit.isOwnFault) {
        return waitFor(parts, { delayMs: Math.max(parts.circuit.retryInMs, askedMs(error) ?? 0), countsAsTry: false });
      }
      return tryAgain(parts);
    case 'try':
      // The resource is looked for until its absence is certain: only the last look counts.
      if (error instanceof LookAgain) return waitFor(parts, { delayMs: askedMs(error) ?? 0, countsAsTry: false });
      return tryAgain(parts);
  }
}

/** Parks the run after the last attempt. */
function tryAgain(parts: FailureParts): RunEnd {
  const { error, run } = parts;
  if (run.tries + 1 >= MAX_TRIES) {
    return {
      status: 'parked',
      reason: 'tries',
      message: `The run failed ${MAX_TRIES} times. The last error: ${error.message}`,
      advice: adviceOf(parts),
    };
  }
  return waitFor(parts, { delayMs: Math.max(backoffMs(run.tries, BACKOFF), askedMs(error) ?? 0), countsAsTry: true });
}

type Wait = { readonly delayMs: number; readonly countsAsTry: boolean };

/** The wait varies a little, so that runs that failed together are not tried again together. */
function waitFor({ error, service, now, chance }: FailureParts, { delayMs, countsAsTry }: Wait): RunEnd {
  // Of a short wait a share is too little for an EHR that limits requests.
  const aroundMs = error instanceof EhrLimit ? chance * LIMIT_SPREAD_MS : 0;
  const until = after(now, spreadMs(delayMs, [1, 1.2], chance) + aroundMs);
  const reason = countsAsTry ? 'retry' : waitReasonOf(service);
  return {
    status: 'waiting',
    reason,
    message: error.message,
    until,
    countsAsTry,
    ...(service !== undefined && !countsAsTry && { waitsFor: service }),
  };
}

function waitReasonOf(service: ServiceName | undefined): WaitReason {
  if (service === 'reasoner' || service === 'speech') return service;
  return service === undefined ? 'retry' : 'ehr';
}

function parkReasonOf({ error, step, service }: FailureParts): ParkedReason {
  if (isElsewhere(error)) return 'recording';
  if (error.code === 'ehrRefused') return 'ehr-refused';
  if (step === 'fetch-recording' || step === 'transcribe') return 'recording';
  if (step === 'map' || step === 'write-chart') return 'mapping';
  return service === 'reasoner' ? 'vendor' : 'ehr-refused';
}

/** A refusal of another server than the EHR: the credentials of the site are not sent there. */
function isElsewhere(error: AppError): error is LinkRefusal {
  return error instanceof LinkRefusal && error.owner !== 'ehr';
}

function adviceOf({ error, step, run }: FailureParts): string {
  if (isElsewhere(error)) return adviceElsewhere(error, run.site);
  if (error.code === 'ehrRefused') {
    return `Check ehr.auth and the permissions of the engine's client (npm run cli -- sites probe ${run.site}), then replay the run.`;
  }
  if (error.code === 'internal') return 'Look at the log of the engine, and replay the run when the cause is fixed.';
  if (step === 'fetch-recording' || step === 'transcribe') {
    return 'Look at the recording in the chart. Replay the run if it can be used; otherwise document by hand.';
  }
  return 'Replay the run when the cause is fixed; otherwise document by hand.';
}

function adviceElsewhere({ owner }: LinkRefusal, site: string): string {
  if (owner === 'unlisted') {
    return `If recordings of this EHR are stored there, add that origin to recording.origins in mappings/${site}/site.yaml, then replay the run; otherwise correct the link in the chart.`;
  }
  return 'Ask the EHR’s administrators why the links that it gives out do not open there, then replay the run; otherwise document by hand.';
}

function askedMs({ retryAfterSeconds }: AppError): number | undefined {
  return retryAfterSeconds === undefined ? undefined : Math.min(LONGEST_ASKED_MS, retryAfterSeconds * 1_000);
}

function after(now: Date, delayMs: number): Date {
  return new Date(now.getTime() + Math.round(delayMs));
}
