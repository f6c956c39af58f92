// The usage of one request: counts, times and names from closed sets, never content.

export const OPERATIONS = [
  'diagnose',
  'diagnose-stream',
  'prepare-stream',
  'connect-stream',
  'transcribe',
  'transcribe-conversation',
  /** A recording that is uploaded for an encounter. */
  'upload-recording',
  /** A run; it counts for the organization of the site. */
  'run',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** `cancelled`: the client closed the connection before the answer was complete. */
export type Outcome = 'success' | 'failure' | 'cancelled';

export type UsageRecord = {
  readonly requestId: string;
  readonly keyId: string;
  readonly organization: string;
  readonly operation: Operation;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly aiMs: number;
  readonly audioSeconds: number;
  readonly outcome: Outcome;
  /** The HTTP status of the response. */
  readonly status: number;
  readonly language?: string;
  /** A template or note type of the interface, or `custom`. */
  readonly template?: string;
};

/** Counts usage while a request runs, so that it is known even if the request fails half way. */
export class Meter {
  audioSeconds = 0;
  aiMs = 0;
}
