// A job: a request to the REST API that is worked on after its client got 202, and whose answer the client fetches.
import type { CallbackState } from './callback.ts';
import type { Operation } from './usage.ts';

export const JOB_STATUSES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** The operations for which a client may ask with `Prefer: respond-async`. */
export const LONG_OPERATIONS = ['diagnose', 'transcribe', 'transcribe-conversation'] as const satisfies Operation[];
export type LongOperation = (typeof LONG_OPERATIONS)[number];

/** What the request would have been answered with if its client had waited. */
export type JobResult = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: unknown;
};

export type Job = {
  readonly id: string;
  readonly status: JobStatus;
  readonly operation: LongOperation;
  readonly createdAt: Date;
  /** The first time that an engine began. */
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  /** The time at which an ended job is deleted. */
  readonly expiresAt?: Date;
  readonly result?: JobResult;
  /** Absent if the client asked for no call-back. */
  readonly callback?: CallbackState;
};

/** The path of the job, relative to the base address. */
export function jobPath(id: string): string {
  return `/jobs/${id}`;
}
