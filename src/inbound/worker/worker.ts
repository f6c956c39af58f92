// The door that nobody knocks at: takes runs whose time has come and works on so many of them at once. Says all the while that it
// lives; lets go of what somebody else has taken over; and gives back at the end what it has not finished.
import { AppError } from '../../domain/errors.ts';
import type { DocumentSession, RunReport } from '../../flows/document-session.ts';
import type { PauseKind, Pauses } from '../../ports/feeds.ts';
import type { Claim, Queue } from '../../ports/queue.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';

export type Worker = {
  /** Something was put into the queue by this process: it need not be waited for. */
  readonly wake: () => void;
  readonly underWay: () => number;
  /** Takes nothing any more; what is going on stops at its next await, and is given back. */
  readonly stop: () => Promise<void>;
};

export type WorkerParts = {
  readonly queue: Pick<Queue, 'claim' | 'keep'>;
  readonly documentSession: DocumentSession;
  readonly sites: Pick<Sites, 'current'>;
  readonly pauses: Pick<Pauses, 'current'>;
  readonly runtime: Pick<Runtime, 'pause'>;
  /** `<house>/<start>`: who it is. */
  readonly holder: string;
  /** How many runs at once. */
  readonly size: number;
  readonly onReport: (report: RunReport) => void;
  /** The queue could not be asked, or a run not be left. */
  readonly onTrouble: (thrown: unknown) => void;
  readonly leaseMs?: number;
  readonly idleMs?: number;
};

/** A process that died is noticed after this time; one that lives says so four times in it. */
const LEASE_MS = 20_000;
const KEEPS_A_LEASE = 4;
/** How long a run of another process may lie before it is noticed. */
const IDLE_MS = 500;
const TROUBLE_PAUSE_MS = 2_000;

export function startWorker(parts: WorkerParts): Worker {
  const { queue, runtime, holder, size, leaseMs = LEASE_MS, idleMs = IDLE_MS, onTrouble } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = new Map<string, { readonly ending: AbortController; readonly done: Promise<void> }>();
  let woken = Promise.withResolvers<void>();

  const wake = (): void => woken.resolve();

  const begin = (claim: Claim): void => {
    const ending = new AbortController();
    const done = workOn(parts, claim, AbortSignal.any([signal, ending.signal]));
    work.set(claim.run.id, { ending, done });
    void done.finally(() => {
      work.delete(claim.run.id);
      wake();
    });
  };

  async function takeRuns(): Promise<void> {
    while (!signal.aborted) {
      woken = Promise.withResolvers();
      const free = size - work.size;
      const taken = free > 0 ? await take(free) : 0;
      // As many as there was room for: there may be more.
      if (taken > 0 && taken === free) continue;
      await idle(idleMs);
    }
  }

  async function take(limit: number): Promise<number> {
    try {
      const names = await claimableSites(parts);
      if (names.sites.length === 0) return 0;
      const claims = await queue.claim({ holder, limit, leaseMs, ...names });
      for (const claim of claims) begin(claim);
      return claims.length;
    } catch (thrown) {
      onTrouble(thrown);
      await idle(TROUBLE_PAUSE_MS);
      return 0;
    }
  }

  /** Until something ends or comes, or so long. */
  async function idle(ms: number): Promise<void> {
    const waiting = new AbortController();
    const pause = runtime.pause(ms, AbortSignal.any([signal, waiting.signal])).catch(() => undefined);
    await Promise.race([pause, woken.promise]);
    waiting.abort();
  }

  async function sayAlive(): Promise<void> {
    while (!signal.aborted) {
      await runtime.pause(leaseMs / KEEPS_A_LEASE, signal).catch(() => undefined);
      if (work.size === 0 || signal.aborted) continue;
      try {
        const lost = await queue.keep({ holder, leaseMs, ids: [...work.keys()] });
        for (const id of lost) work.get(id)?.ending.abort(new AppError('inUse', 'The run was taken over'));
      } catch (thrown) {
        onTrouble(thrown);
      }
    }
  }

  const running = Promise.all([takeRuns(), sayAlive()]);
  return {
    wake,
    underWay: () => work.size,
    async stop() {
      stopping.abort(new AppError('shuttingDown', 'The engine is stopping'));
      wake();
      await running;
      await Promise.all([...work.values()].map(({ done }) => done));
    },
  };
}

async function workOn(parts: WorkerParts, claim: Claim, signal: AbortSignal): Promise<void> {
  try {
    const report = await parts.documentSession(claim, signal);
    if (report !== undefined) parts.onReport(report);
  } catch (thrown) {
    parts.onTrouble(thrown);
  }
}

const ALL_STOPPED: ReadonlySet<PauseKind> = new Set<PauseKind>(['all']);
const LOOK_STOPPED: ReadonlySet<PauseKind> = new Set<PauseKind>(['all', 'intake']);

/** A site that is off, paused or not to be read at this moment keeps its runs until it is back. */
async function claimableSites({
  sites,
  pauses,
}: WorkerParts): Promise<{ readonly sites: readonly string[]; readonly lookSites: readonly string[] }> {
  const paused = await pauses.current();
  const isStopped = (name: string, by: ReadonlySet<PauseKind>) =>
    paused.some(({ site, what }) => site === name && by.has(what));
  const known = [...sites.current().sites.values()].filter(({ settings }) => settings.mode !== 'off');
  const names = known.map(({ name }) => name).filter((name) => !isStopped(name, ALL_STOPPED));
  return { sites: names, lookSites: names.filter((name) => !isStopped(name, LOOK_STOPPED)) };
}
