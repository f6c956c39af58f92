// What becomes of a run whose step failed: tried again later, skipped, or parked for a person. Decided by the class of the failure,
// never by its words.
import type { AppError, ErrorCode } from '../errors.ts';
import type { ParkedReason, Run, ServiceName, StepName, WaitReason } from './run.ts';
import type { RunEnd } from './run-end.ts';

export const MAX_TRIES = 5;
export const MAX_CRASHES = 3;
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 300_000;
/** What somebody else asks us to wait is believed up to here. */
const LONGEST_ASKED_MS = 3_600_000;
/** A setting that is missing is looked for again. */
const UNCONFIGURED_PAUSE_MS = 60_000;
/** Somebody else is at the same chart. */
const IN_USE_PAUSE_MS = 2_000;

/** What the service's own line says to this failure. */
export type CircuitVerdict = { readonly isOwnFault: boolean; readonly retryInMs: number };

export type FailureParts = {
  readonly error: AppError;
  readonly run: Pick<Run, 'tries' | 'site'>;
  /** Absent: while the encounter was looked at. */
  readonly step: StepName | undefined;
  readonly service?: ServiceName | undefined;
  readonly circuit?: CircuitVerdict | undefined;
  readonly now: Date;
  /** From 0 up to but not 1. */
  readonly chance: number;
};

/**
 * `try`: it may work next time, and counts. `service`: the line of the service decides whether it counts. `later`: it was nobody's fault.
 * `park`: it will not work by itself. The others end the run.
 */
type FailureClass = 'try' | 'service' | 'later' | 'unconfigured' | 'park' | 'release' | 'no-speech' | 'not-medical';

const CLASSES = {
  invalidRequest: 'park',
  unauthorized: 'park',
  forbidden: 'park',
  notFound: 'park',
  methodNotAllowed: 'park',
  conflict: 'try',
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
  // One that refuses everybody is down for us; one that refuses this run alone will go on doing so.
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
      return { status: 'skipped', reason: 'no-speech', message: 'Nobody speaks in the recording.' };
    case 'not-medical':
      return { status: 'skipped', reason: 'not-medical', message: 'Nothing medical is said in the recording.' };
    case 'park':
      return { status: 'parked', reason: parkReasonOf(parts), message: error.message, advice: adviceOf(parts) };
    case 'unconfigured':
      return {
        status: 'waiting',
        reason: 'engines',
        message: error.message,
        until: after(now, UNCONFIGURED_PAUSE_MS),
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
      return tryAgain(parts);
  }
}

/** The fifth failure is the last. */
function tryAgain(parts: FailureParts): RunEnd {
  const { error, run } = parts;
  if (run.tries + 1 >= MAX_TRIES) {
    return {
      status: 'parked',
      reason: 'tries',
      message: `It failed ${MAX_TRIES} times, the last time with: ${error.message}`,
      advice: adviceOf(parts),
    };
  }
  const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** run.tries);
  return waitFor(parts, { delayMs: Math.max(backoffMs, askedMs(error) ?? 0), countsAsTry: true });
}

type Wait = { readonly delayMs: number; readonly countsAsTry: boolean };

/** A little more or less, so that what failed together does not come back together. */
function waitFor({ error, service, now, chance }: FailureParts, { delayMs, countsAsTry }: Wait): RunEnd {
  const until = after(now, delayMs * (1 + chance * 0.2));
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
  if (error.code === 'ehrRefused') return 'ehr-refused';
  if (step === 'fetch-recording' || step === 'transcribe') return 'recording';
  if (step === 'map' || step === 'write-chart') return 'mapping';
  return service === 'reasoner' ? 'vendor' : 'ehr-refused';
}

function adviceOf({ error, step, run }: FailureParts): string {
  if (error.code === 'ehrRefused') {
    return `Look at ehr.auth and the rights of the engine's client (npm run cli -- sites probe ${run.site}), then replay the run.`;
  }
  if (error.code === 'internal') return 'Look at the log of the engine; replay the run when the cause is gone.';
  if (step === 'fetch-recording' || step === 'transcribe') {
    return 'Look at the recording in the chart. Replay the run when it can be used; else document by hand.';
  }
  return 'Replay the run when the cause is gone; else document by hand.';
}

function askedMs({ retryAfterSeconds }: AppError): number | undefined {
  return retryAfterSeconds === undefined ? undefined : Math.min(LONGEST_ASKED_MS, retryAfterSeconds * 1_000);
}

function after(now: Date, delayMs: number): Date {
  return new Date(now.getTime() + Math.round(delayMs));
}
