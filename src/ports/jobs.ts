// Jobs: requests that are stored, encrypted, with their bodies, and that any engine on one database works on. The answer is kept for a day.
import type { Caller } from '../domain/access/api-key.ts';
import type { Job, JobResult, LongOperation } from '../domain/access/job.ts';

export type NewJob = {
  readonly id: string;
  readonly caller: Caller;
  readonly operation: LongOperation;
  /** The id of the HTTP request, under which its usage is recorded. */
  readonly requestId: string;
  /** The Idempotency-Key of the request. It may be made of anything: only a keyed hash of it is stored. */
  readonly clientKey?: string | undefined;
};

/** The stored request, without its body. */
export type JobRequest = {
  readonly headers: Readonly<Record<string, string>>;
  /** A hash of the body; undefined if the request has no Idempotency-Key. */
  readonly bodyDigest?: string | undefined;
  /** The address to call when the job has ended. */
  readonly callbackUrl?: string | undefined;
};

export type JobBody = () => AsyncIterable<Uint8Array>;

export type ClaimedJob = {
  readonly id: string;
  readonly keyId: string;
  readonly organization: string;
  readonly operation: LongOperation;
  readonly requestId: string;
  readonly createdAt: Date;
  /** How often an engine began with it, this time counted. */
  readonly attempts: number;
  readonly request: JobRequest;
  readonly open: JobBody;
};

export type RemovedJob = Pick<ClaimedJob, 'keyId' | 'organization' | 'operation' | 'requestId' | 'createdAt'> & {
  /** It had not ended: it is cancelled, and its usage is not recorded yet. */
  readonly isCancelled: boolean;
};

export type Jobs = {
  /** Throws `overloaded` if the key has too many jobs that have not ended. */
  ensureRoom(caller: Caller): Promise<void>;
  /** Stores the body. No engine works on the job before `queue`. Returns what reads the body again. */
  receive(job: NewJob, bytes: AsyncIterable<Uint8Array>): Promise<JobBody>;
  /** False if another job with the same Idempotency-Key came first: this one is deleted. */
  queue(id: string, request: JobRequest): Promise<boolean>;
  /** Deletes a job that was not queued. */
  discard(id: string): Promise<void>;
  /** The queued job of an Idempotency-Key, also if it has ended. */
  findByKey(
    caller: Caller,
    clientKey: string,
  ): Promise<{ readonly job: Job; readonly bodyDigest?: string } | undefined>;
  /** Undefined for a job of another key. */
  find(id: string, caller: Caller): Promise<Job | undefined>;
  /** Cancels a job that has not ended; deletes one that has. Undefined for an unknown one, and for a job of another key. */
  remove(id: string, caller: Caller): Promise<RemovedJob | undefined>;
  /** Takes jobs that are queued, or whose engine has died, for 15 seconds. `holder` is a UUID of the engine. */
  claim(holder: string, limit: number): Promise<readonly ClaimedJob[]>;
  /** Holds jobs for another 15 seconds. Returns those that are not the holder's any more. */
  renew(holder: string, ids: readonly string[]): Promise<readonly string[]>;
  /** Keeps the result for 24 hours and deletes the body. False, without keeping it, if the job is not the holder's any more. */
  finish(id: string, holder: string, result: JobResult): Promise<boolean>;
  /** Gives a job back that this engine cannot finish: another one begins at once, and the attempt does not count. */
  release(id: string, holder: string): Promise<void>;
  /** Deletes what is over, and of a key that keeps too much the oldest results; returns how many. Call it on a timer. */
  sweep(): Promise<number>;
};
