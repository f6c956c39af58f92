// What one request used: never content, only counts, times and names from closed sets.

export const OPERATIONS = [
  'diagnose',
  'diagnose-stream',
  'prepare-stream',
  'connect-stream',
  'transcribe',
  'transcribe-conversation',
  /** A recording handed over for an encounter. */
  'upload-recording',
  /** Of an event: counted to the site's organization. */
  'run',
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** `cancelled`: the client went away before the answer was complete. */
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
  /** The HTTP status that the caller saw. */
  readonly status: number;
  readonly language?: string;
  /** A template or note type of the interface, or `custom`. */
  readonly template?: string;
};

/** Counts what a request uses while it runs, so that it is known also where the request fails half way. */
export class Meter {
  audioSeconds = 0;
  aiMs = 0;
}
