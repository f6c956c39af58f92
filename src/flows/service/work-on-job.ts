// Works on a job until its result is kept, and records its usage once. An engine that dies leaves the job to another one; a job with which engines
// end again and again is given up.
import type { Caller } from '../../domain/access/api-key.ts';
import type { JobResult } from '../../domain/access/job.ts';
import type { Outcome, UsageRecord } from '../../domain/access/usage.ts';
import { AppError, asAppError } from '../../domain/errors.ts';
import type { ClaimedJob, Jobs, RemovedJob } from '../../ports/jobs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Usage } from '../../ports/usage.ts';

export type JobUsage = Pick<UsageRecord, 'aiMs' | 'audioSeconds' | 'language' | 'template'>;
export type JobAnswer = { readonly result: JobResult; readonly usage: JobUsage; readonly failure?: AppError };

/** Makes the answer that a client that waits would have got. Throws only if this engine cannot: another one may. */
export type AnswerJob = (job: ClaimedJob, signal: AbortSignal) => Promise<JobAnswer>;

type WorkParts = {
  readonly jobs: Pick<Jobs, 'finish' | 'release' | 'remove'>;
  readonly usage: Pick<Usage, 'record'>;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly answerJob: AnswerJob;
  /** The result could not be stored, or the usage, or the handler had an error of its own: ids only. */
  readonly onFailed: (what: { readonly jobId: string; readonly thrown: unknown }) => void;
};

/** Never throws. */
export type WorkOnJob = (job: ClaimedJob, holder: string, signal: AbortSignal) => Promise<void>;
/** Cancels or deletes a job. False if the caller has no such job. */
export type RemoveJob = (id: string, caller: Caller) => Promise<boolean>;

const MOST_ATTEMPTS = 5;
const NO_USAGE: JobUsage = { aiMs: 0, audioSeconds: 0 };
const CANCELLED_STATUS = 499;

export function makeWorkOnJob(parts: WorkParts): WorkOnJob {
  const { jobs, answerJob, onFailed } = parts;
  return async (job, holder, signal) => {
    const { id: jobId } = job;
    try {
      const { result, usage, failure } = job.attempts > MOST_ATTEMPTS ? givenUp() : await answerJob(job, signal);
      if (failure?.code === 'internal') onFailed({ jobId, thrown: failure });
      // It was this engine that was busy, or its database: the job is begun again when its lease ends.
      if (failure?.code === 'overloaded' && job.attempts < MOST_ATTEMPTS) return;
      const isKept = await jobs.finish(jobId, holder, result);
      if (isKept) await recordUsage(parts, job, { usage, status: result.status });
    } catch (thrown) {
      if (!signal.aborted) onFailed({ jobId, thrown });
      // If it is not ours any more, this does nothing.
      if (isOfThisEngine(thrown)) await jobs.release(jobId, holder).catch((late) => onFailed({ jobId, thrown: late }));
    }
  };
}

export function makeRemoveJob(parts: Pick<WorkParts, 'jobs' | 'usage' | 'runtime' | 'onFailed'>): RemoveJob {
  return async (id, caller) => {
    const removed = await parts.jobs.remove(id, caller);
    if (removed?.isCancelled === true) {
      await recordUsage(parts, { id, ...removed }, { usage: NO_USAGE, status: CANCELLED_STATUS });
    }
    return removed !== undefined;
  };
}

/** The engine is stopping: the job itself is not at fault. After any other failure the lease ends, and the attempt counts. */
function isOfThisEngine(thrown: unknown): boolean {
  return asAppError(thrown).code === 'shuttingDown';
}

function givenUp(): JobAnswer {
  const message = 'The engine ended each time that it worked on this request';
  const failure = new AppError('internal', message);
  const body = { statusCode: 500, message: 'Internal server error', error: 'Internal Server Error' };
  return { result: { status: 500, body }, usage: NO_USAGE, failure };
}

type Recorded = Pick<RemovedJob, 'keyId' | 'organization' | 'operation' | 'requestId' | 'createdAt'> & {
  readonly id: string;
};

async function recordUsage(
  { usage: records, runtime, onFailed }: Pick<WorkParts, 'usage' | 'runtime' | 'onFailed'>,
  { id, requestId, keyId, organization, operation, createdAt }: Recorded,
  { usage, status }: { readonly usage: JobUsage; readonly status: number },
): Promise<void> {
  const outcome: Outcome = status === CANCELLED_STATUS ? 'cancelled' : status < 400 ? 'success' : 'failure';
  const durationMs = Math.max(0, runtime.now().getTime() - createdAt.getTime());
  const of = { requestId, keyId, organization, operation, startedAt: createdAt };
  try {
    await records.record({ ...of, ...usage, aiMs: Math.round(usage.aiMs), durationMs, outcome, status });
  } catch (thrown) {
    onFailed({ jobId: id, thrown });
  }
}
