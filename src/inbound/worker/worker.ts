// Run worker: claims due runs, processes up to `size` at once, renews their leases, stops runs that another process has taken over, and
// releases the unfinished at shutdown.
import { AppError } from '../../domain/errors.ts';
import type { Run } from '../../domain/run/run.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import { MAX_CRASHES } from '../../domain/run/run-failure.ts';
import type { DocumentSession, RunReport } from '../../flows/document-session.ts';
import type { Tracing } from '../../platform/tracing/tracing.ts';
import type { PauseKind, Pauses } from '../../ports/feeds.ts';
import type { Claim, Queue } from '../../ports/queue.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';

export type Worker = {
  /** Call it after this process has put a run into the queue, so that it is claimed without a pause. */
  readonly wake: () => void;
  readonly underWay: () => number;
  /** Claims nothing further; runs under way stop at their next await and are released. */
  readonly stop: () => Promise<void>;
};

export type WorkerParts = {
  readonly queue: Pick<Queue, 'claim' | 'renewLeases' | 'leave'>;
  readonly documentSession: DocumentSession;
  readonly sites: Pick<Sites, 'current'>;
  readonly pauses: Pick<Pauses, 'current'>;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs' | 'pause'>;
  readonly tracing: Pick<Tracing, 'inSpan'>;
  /** The identity of this process: `<engine id>/<start id>`. */
  readonly holder: string;
  /** How many runs are processed at once. */
  readonly size: number;
  readonly onReport: (report: RunReport) => void;
  /** Called if the queue is unavailable or a run could not be released. */
  readonly onTrouble: (thrown: unknown) => void;
  readonly leaseMs?: number;
  readonly idleMs?: number;
};

/** A dead process is detected after this time; a living one renews its leases four times within it. */
const LEASE_MS = 20_000;
const KEEPS_A_LEASE = 4;
/** How long a run that another process has queued may wait before it is noticed. */
const IDLE_MS = 500;
const TROUBLE_PAUSE_MS = 2_000;
/** While there is more to do than this process can, it looks this often for runs whose time has come. */
const LOOK_MS = 250;
const LAST_CRASH = MAX_CRASHES - 1;
const APART_PAUSE_MS = 10_000;

type AtWork = { readonly ending: AbortController; readonly done: Promise<void>; readonly crashes: number };

export function startWorker(parts: WorkerParts): Worker {
  const { queue, runtime, holder, size, leaseMs = LEASE_MS, idleMs = IDLE_MS, onTrouble } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = new Map<string, AtWork>();
  let woken = Promise.withResolvers<void>();
  let wasQueueAway = false;
  let lookedMs = Number.NEGATIVE_INFINITY;
  let isPlenty = false;

  const wake = (): void => woken.resolve();

  const begin = (claim: Claim): void => {
    const { id } = claim.run;
    // This process was blocked for so long that its own lease expired and it claimed the run again: the earlier work must end.
    const earlier = work.get(id);
    earlier?.ending.abort(takenOver());
    const ending = new AbortController();
    const isOver = AbortSignal.any([signal, ending.signal]);
    const done = (earlier?.done ?? Promise.resolve()).then(() => workOn(parts, claim, isOver));
    const mine = { ending, done, crashes: claim.run.crashes };
    work.set(id, mine);
    void done.finally(() => {
      if (work.get(id) === mine) work.delete(id);
      wake();
    });
  };

  async function beginAll(claims: readonly Claim[]): Promise<void> {
    const { apart, together } = shareOut(claims, [...work.values()]);
    // First the ones that must wait: a run that is started may be the one that ends this process.
    for (const claim of apart) await queue.leave(claim, waitForOthers(runtime.now())).catch(onTrouble);
    for (const claim of together) begin(claim);
  }

  async function takeRuns(): Promise<void> {
    while (!signal.aborted) {
      woken = Promise.withResolvers();
      const free = size - work.size;
      const isAgain = isPlenty && runtime.monotonicMs() - lookedMs < LOOK_MS;
      const taken = free > 0 ? await take(free, isAgain) : 0;
      if (free > 0) isPlenty = taken === free;
      // All free places were filled, so there may be more; or runs whose time has come since the last look.
      if (free > 0 && (isPlenty || isAgain)) continue;
      await idle(idleMs);
    }
  }

  async function take(limit: number, isAgain: boolean): Promise<number> {
    try {
      if (!isAgain) lookedMs = runtime.monotonicMs();
      // The leases may have ended meanwhile: a claim would take this process's own runs, and count a crash of each.
      if (wasQueueAway) await renewLeases();
      wasQueueAway = false;
      const names = await claimableSites(parts);
      if (names.sites.length === 0) return 0;
      const claims = await queue.claim({ holder, limit, leaseMs, ...names, ...(isAgain && { isAgain }) });
      await beginAll(claims);
      return claims.length;
    } catch (thrown) {
      wasQueueAway = true;
      onTrouble(thrown);
      await idle(TROUBLE_PAUSE_MS);
      return 0;
    }
  }

  /** Waits until a run ends, a run is queued, or the time is over. */
  async function idle(ms: number): Promise<void> {
    const waiting = new AbortController();
    const pause = runtime.pause(ms, AbortSignal.any([signal, waiting.signal])).catch(() => undefined);
    await Promise.race([pause, woken.promise]);
    waiting.abort();
  }

  async function sayAlive(): Promise<void> {
    while (!signal.aborted) {
      await runtime.pause(leaseMs / KEEPS_A_LEASE, signal).catch(() => undefined);
      if (!signal.aborted) await renewLeases().catch(onTrouble);
    }
  }

  async function renewLeases(): Promise<void> {
    if (work.size === 0) return;
    const lost = await queue.renewLeases({ holder, leaseMs, ids: [...work.keys()] });
    for (const id of lost) work.get(id)?.ending.abort(takenOver());
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

/**
 * When a process crashes, each run that it worked on counts one crash more. A run with one crash left is not processed together with
 * another run that has crashed before, so that the run that causes the crashes is the one that is parked.
 */
function shareOut(claims: readonly Claim[], atWork: readonly Pick<Run, 'crashes'>[]) {
  const going = atWork.map(({ crashes }) => crashes);
  const apart: Claim[] = [];
  const together: Claim[] = [];
  for (const claim of claims) {
    const { crashes } = claim.run;
    const isApart = crashes === LAST_CRASH ? going.some((one) => one > 0) : crashes > 0 && going.includes(LAST_CRASH);
    (isApart ? apart : together).push(claim);
    if (!isApart) going.push(crashes);
  }
  return { apart, together };
}

function waitForOthers(now: Date): RunEnd {
  return {
    status: 'waiting',
    reason: 'retry',
    message:
      'The engine ended while it worked on this run: it is worked on apart from others of which the same is true.',
    until: new Date(now.getTime() + APART_PAUSE_MS),
    countsAsTry: false,
  };
}

function takenOver(): AppError {
  return new AppError('inUse', 'The run was taken over');
}

/** The run continues the trace of its event, whichever process works on it. */
async function workOn(parts: WorkerParts, claim: Claim, signal: AbortSignal): Promise<void> {
  const { id, site, traceparent } = claim.run;
  const attributes = { 'chartwright.run.id': id, 'chartwright.site': site };
  try {
    await parts.tracing.inSpan({ name: 'run', parent: { traceparent }, attributes }, async () => {
      const report = await parts.documentSession(claim, signal);
      if (report !== undefined) parts.onReport(report);
    });
  } catch (thrown) {
    parts.onTrouble(thrown);
  }
}

const ALL_STOPPED: ReadonlySet<PauseKind> = new Set<PauseKind>(['all']);
const LOOK_STOPPED: ReadonlySet<PauseKind> = new Set<PauseKind>(['all', 'intake']);

/** The runs of a site that is off, paused or unreadable stay in the queue until the site is back. */
export async function claimableSites({ sites, pauses }: Pick<WorkerParts, 'sites' | 'pauses'>): Promise<{
  readonly sites: readonly string[];
  readonly intakeSites: readonly string[];
}> {
  const paused = await pauses.current();
  const isStopped = (name: string, by: ReadonlySet<PauseKind>) =>
    paused.some(({ site, what }) => site === name && by.has(what));
  const known = [...sites.current().sites.values()].filter(({ settings }) => settings.mode !== 'off');
  const names = known.map(({ name }) => name).filter((name) => !isStopped(name, ALL_STOPPED));
  return { sites: names, intakeSites: names.filter((name) => !isStopped(name, LOOK_STOPPED)) };
}
