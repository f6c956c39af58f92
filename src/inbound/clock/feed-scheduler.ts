// Schedules the work on the event feeds of all sites: Subscriptions, searches for missed events, polling, watching for silence. Of the
// engines that share a database, the one with the lease of a site does this work; if it dies, another takes over within a minute. A site
// that fails or is slow delays no other site.
import type { CatchUp } from '../../flows/feeds/catch-up.ts';
import type { MaintainSubscription } from '../../flows/feeds/maintain-subscription.ts';
import type { PollSite } from '../../flows/feeds/poll-site.ts';
import type { WatchFeeds } from '../../flows/feeds/watch-feeds.ts';
import type { Feeds } from '../../ports/feeds.ts';
import type { Lease, Ledger } from '../../ports/ledger.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';
import { startRepeating } from './repeat.ts';

export type FeedScheduler = {
  /** Starts nothing further; resolves when the tasks under way have ended. */
  readonly stop: () => Promise<void>;
};

export type FeedTask = 'subscription' | 'catch-up' | 'poll' | 'watch';

type SchedulerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly ledger: Pick<Ledger, 'acquire' | 'renew' | 'release'>;
  readonly feeds: Pick<Feeds, 'note'>;
  readonly maintainSubscription: MaintainSubscription;
  readonly catchUp: CatchUp;
  readonly pollSite: PollSite;
  readonly watchFeeds: WatchFeeds;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs' | 'pause' | 'chance' | 'makeUuid'>;
  /** Called for the first of several failures in a row of one task. */
  readonly onFailed: (site: string, task: FeedTask, thrown: unknown) => void;
  /** Called once for each text. */
  readonly onWarning: (site: string, warning: string) => void;
};

const TICK_MS = 1000;
/** Spreads the first requests of engines that were started together. */
const MAX_FIRST_PAUSE_MS = 5_000;
const MINUTE_MS = 60_000;
const CATCH_UP_MS = 5 * MINUTE_MS;
const LEASE_MS = 45_000;
const RENEW_AFTER_MS = 15_000;

/** The state of one site's tasks. */
type SiteTasks = {
  site: LoadedSite;
  /** Set while this engine is the one that works on the site's feeds. */
  lease?: Lease;
  leaseDueMs: number;
  /** The next time for each task. A task without an entry is due now. */
  readonly dueMs: Map<FeedTask, number>;
  readonly underWay: Map<string, Promise<void>>;
  readonly failing: Set<FeedTask>;
};
type SchedulerContext = SchedulerParts & {
  readonly tasks: Tasks;
  readonly holder: string;
  readonly signal: AbortSignal;
};

export function startFeedScheduler(parts: SchedulerParts): FeedScheduler {
  const { runtime, sites, ledger } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const known = new Map<string, SiteTasks>();
  const onWarning = reportOnce(parts.onWarning);
  const context: SchedulerContext = {
    ...parts,
    onWarning,
    tasks: makeTasks(parts),
    holder: `feeds ${runtime.makeUuid()}`,
    signal,
  };
  const leave = async ({ site, lease }: SiteTasks): Promise<void> => {
    known.delete(site.name);
    // If this fails, the lease expires.
    if (lease) await ledger.release(lease).catch(() => undefined);
  };

  const marked = markFirstSeen(parts);
  const schedule = startRepeating({
    runtime,
    everyMs: TICK_MS,
    maxFirstPauseMs: MAX_FIRST_PAUSE_MS,
    work: async () => {
      await marked;
      const current = sites.current().sites;
      for (const [name, site] of current) {
        const tasks = known.get(name) ?? newSiteTasks(site);
        known.set(name, tasks);
        startDueTasks(context, tasks, site);
      }
      const gone = [...known.values()].filter(({ site, underWay }) => !current.has(site.name) && underWay.size === 0);
      for (const tasks of gone) await leave(tasks);
    },
    onFailed: () => undefined,
  });
  return {
    async stop() {
      stopping.abort(new Error('the engine is stopping'));
      await schedule.stop();
      await Promise.all([...known.values()].flatMap(({ underWay }) => [...underWay.values()]));
      for (const tasks of [...known.values()]) await leave(tasks);
    },
  };
}

/** Searches for missed events begin at this moment, also if the first search comes much later. */
async function markFirstSeen({ sites, feeds }: Pick<SchedulerParts, 'sites' | 'feeds'>): Promise<void> {
  const seen = [...sites.current().sites.values()].filter(({ settings }) => settings.mode !== 'off');
  await Promise.allSettled(seen.map(({ name }) => feeds.note(name, 'catch-up', {})));
}

function newSiteTasks(site: LoadedSite): SiteTasks {
  return { site, leaseDueMs: 0, dueMs: new Map(), underWay: new Map(), failing: new Set() };
}

function startDueTasks(context: SchedulerContext, tasks: SiteTasks, site: LoadedSite): void {
  const nowMs = context.runtime.monotonicMs();
  if (tasks.site.version !== site.version) tasks.dueMs.clear();
  tasks.site = site;
  if (nowMs >= tasks.leaseDueMs) {
    tasks.leaseDueMs = nowMs + RENEW_AFTER_MS;
    begin(tasks, 'lease', () => holdLease(context, tasks));
  }
  if (!tasks.lease) return;
  for (const [task, everyMs] of intervalsOf(site)) {
    if (tasks.underWay.has(task) || nowMs < (tasks.dueMs.get(task) ?? 0)) continue;
    tasks.dueMs.set(task, nowMs + everyMs);
    begin(tasks, task, () => runTask(context, tasks, task));
  }
}

function begin({ underWay }: SiteTasks, name: string, work: () => Promise<void>): void {
  if (!underWay.has(name))
    underWay.set(
      name,
      work().finally(() => underWay.delete(name)),
    );
}

/** A new lease makes all tasks due: the engine that had the lease before may have been dead for a while. */
async function holdLease({ ledger, holder }: SchedulerContext, tasks: SiteTasks): Promise<void> {
  try {
    if (tasks.lease) return await ledger.renew(tasks.lease, LEASE_MS);
    const lease = await ledger.acquire(`${tasks.site.name}/feeds`, holder, LEASE_MS);
    if (!lease) return;
    tasks.lease = lease;
    tasks.dueMs.clear();
  } catch {
    // Another engine has the lease, or the database is unavailable.
    delete tasks.lease;
  }
}

async function runTask(context: SchedulerContext, siteTasks: SiteTasks, task: FeedTask): Promise<void> {
  const { ledger, tasks, signal, onFailed, onWarning } = context;
  const { site, lease } = siteTasks;
  const confirm = async () => {
    if (lease) await ledger.renew(lease, LEASE_MS);
  };
  try {
    const { mustSearch, isComplete, warnings } = await tasks[task]({ site, confirm }, signal);
    siteTasks.failing.delete(task);
    for (const warning of warnings) onWarning(site.name, warning);
    if (mustSearch) siteTasks.dueMs.delete('catch-up');
    if (!isComplete) siteTasks.dueMs.delete(task);
  } catch (thrown) {
    if (signal.aborted || siteTasks.failing.has(task)) return;
    siteTasks.failing.add(task);
    onFailed(site.name, task, thrown);
  }
}

function intervalsOf({ settings }: LoadedSite): readonly (readonly [FeedTask, number])[] {
  const { poll } = settings.events;
  return [
    ['subscription', MINUTE_MS],
    ['catch-up', CATCH_UP_MS],
    ...(poll === undefined || settings.mode === 'off' ? [] : [['poll', poll.everyMs] as const]),
    ['watch', MINUTE_MS],
  ];
}

type TaskReport = { readonly mustSearch: boolean; readonly isComplete: boolean; readonly warnings: readonly string[] };
type Task = (
  order: { readonly site: LoadedSite; readonly confirm: () => Promise<void> },
  signal: AbortSignal,
) => Promise<TaskReport>;
type Tasks = Readonly<Record<FeedTask, Task>>;

const COMPLETE: TaskReport = { mustSearch: false, isComplete: true, warnings: [] };

function makeTasks({ maintainSubscription, catchUp, pollSite, watchFeeds, feeds, runtime }: SchedulerParts): Tasks {
  return {
    subscription: async (order, signal) => ({ ...COMPLETE, ...(await maintainSubscription(order, signal)) }),
    'catch-up': async ({ site }, signal) => {
      if (site.settings.mode !== 'off') return { ...COMPLETE, ...(await catchUp({ site }, signal)) };
      // Encounters that end while a site is off are not documented, not even later.
      await feeds.note(site.name, 'catch-up', { searchedUntil: runtime.now() });
      return COMPLETE;
    },
    poll: async ({ site }, signal) => ({ ...COMPLETE, ...(await pollSite({ site }, signal)) }),
    watch: async ({ site }, signal) => {
      await watchFeeds({ site }, signal);
      return COMPLETE;
    },
  };
}

function reportOnce(report: SchedulerParts['onWarning']): SchedulerParts['onWarning'] {
  const reported = new Set<string>();
  return (site, warning) => {
    const name = `${site} ${warning}`;
    if (reported.has(name)) return;
    reported.add(name);
    report(site, warning);
  };
}
