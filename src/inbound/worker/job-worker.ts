// Job worker: claims queued jobs, works on up to `size` at once, renews their leases, and gives the unfinished back at shutdown.
import { AppError } from '../../domain/errors.ts';
import type { WorkOnJob } from '../../flows/service/work-on-job.ts';
import type { ClaimedJob, Jobs } from '../../ports/jobs.ts';
import type { Runtime } from '../../ports/runtime.ts';

type JobWorkerParts = {
  readonly jobs: Pick<Jobs, 'claim' | 'renew'>;
  readonly workOnJob: WorkOnJob;
  readonly runtime: Pick<Runtime, 'pause' | 'makeUuid'>;
  readonly size?: number;
  readonly onTrouble: (thrown: unknown) => void;
};

export type JobWorker = {
  /** A job was queued by this engine. */
  readonly wake: () => void;
  readonly stop: () => Promise<void>;
};

const SIZE = 4;
/** How long a job that another engine has queued may wait before it is noticed. */
const IDLE_MS = 1_000;
const RENEW_EVERY_MS = 3_000;

export function startJobWorker({ jobs, workOnJob, runtime, size = SIZE, onTrouble }: JobWorkerParts): JobWorker {
  const holder = runtime.makeUuid();
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = new Map<string, { readonly ending: AbortController; readonly done: Promise<void> }>();
  let woken = Promise.withResolvers<void>();
  const wake = (): void => woken.resolve();

  function begin(job: ClaimedJob): void {
    // The lease ended while this process was blocked, and it claimed the job again: the earlier work must end.
    const earlier = work.get(job.id);
    earlier?.ending.abort(takenOver());
    const ending = new AbortController();
    const done = (earlier?.done ?? Promise.resolve()).then(() =>
      workOnJob(job, holder, AbortSignal.any([signal, ending.signal])),
    );
    const mine = { ending, done };
    work.set(job.id, mine);
    void done.finally(() => {
      if (work.get(job.id) === mine) work.delete(job.id);
      wake();
    });
  }

  async function take(): Promise<void> {
    const free = size - work.size;
    if (free <= 0) return;
    for (const job of await jobs.claim(holder, free)) begin(job);
  }

  async function takeJobs(): Promise<void> {
    while (!signal.aborted) {
      woken = Promise.withResolvers();
      await take().catch(onTrouble);
      const waiting = new AbortController();
      const pause = runtime.pause(IDLE_MS, AbortSignal.any([signal, waiting.signal])).catch(() => undefined);
      await Promise.race([pause, woken.promise]);
      waiting.abort();
    }
  }

  async function renewLeases(): Promise<void> {
    while (!signal.aborted) {
      await runtime.pause(RENEW_EVERY_MS, signal).catch(() => undefined);
      if (!signal.aborted && work.size > 0) await renew().catch(onTrouble);
    }
  }

  async function renew(): Promise<void> {
    for (const id of await jobs.renew(holder, [...work.keys()])) work.get(id)?.ending.abort(takenOver());
  }

  const running = Promise.all([takeJobs(), renewLeases()]);
  return {
    wake,
    async stop() {
      stopping.abort(new AppError('shuttingDown', 'The engine is stopping'));
      wake();
      await running;
      await Promise.all([...work.values()].map(({ done }) => done));
    },
  };
}

function takenOver(): AppError {
  return new AppError('inUse', 'The job was cancelled, or another engine has taken it over');
}
