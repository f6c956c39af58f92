// Looks after the ways in which events of all sites come, again and again: their Subscriptions, catching up, polling, silence. Of engines
// that share a database one does it for each site, by a lease; one that dies is followed within a minute. One site that fails, or takes
// long, keeps no other waiting.
import type { CatchUp } from '../../flows/feeds/catch-up.ts';
import type { KeepSubscription } from '../../flows/feeds/maintain-subscription.ts';
import type { PollSite } from '../../flows/feeds/poll-site.ts';
import type { WatchFeeds } from '../../flows/feeds/watch-feeds.ts';
import type { Feeds } from '../../ports/feeds.ts';
import type { Lease, Ledger } from '../../ports/ledger.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';

export type FeedScheduler = {
  /** Nothing is begun any more; resolves when what was going on has ended. */
  readonly stop: () => Promise<void>;
};

export type FeedTask = 'subscription' | 'catch-up' | 'poll' | 'watch';

type SchedulerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly ledger: Pick<Ledger, 'acquire' | 'renew' | 'release'>;
  readonly feeds: Pick<Feeds, 'note'>;
  readonly keepSubscription: KeepSubscription;
  readonly catchUp: CatchUp;
  readonly pollSite: PollSite;
  readonly watchFeeds: WatchFeeds;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs' | 'pause' | 'chance' | 'makeUuid'>;
  /** Once for each trouble, until it works again. */
  readonly onFailed: (site: string, task: FeedTask, thrown: unknown) => void;
  /** Once for each text. */
  readonly onWarning: (site: string, warning: string) => void;
};

const TICK_MS = 1000;
/** Engines that are started together must not ask together. */
const MAX_FIRST_PAUSE_MS = 5_000;
const MINUTE_MS = 60_000;
const CATCH_UP_MS = 5 * MINUTE_MS;
const LEASE_MS = 45_000;
const RENEW_AFTER_MS = 15_000;

/** Of one site. */
type Watch = {
  site: LoadedSite;
  /** As long as this engine looks after it. */
  lease?: Lease;
  leaseDueMs: number;
  /** When each is to be done the next time; what is not in it: now. */
  readonly dueMs: Map<FeedTask, number>;
  readonly underWay: Map<string, Promise<void>>;
  readonly troubles: Set<FeedTask>;
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
  const watches = new Map<string, Watch>();
  const onWarning = makeTeller(parts.onWarning);
  const rounds: SchedulerContext = {
    ...parts,
    onWarning,
    tasks: makeTasks(parts),
    holder: `feeds ${runtime.makeUuid()}`,
    signal,
  };
  const leave = async ({ site, lease }: Watch): Promise<void> => {
    watches.delete(site.name);
    // It ends by itself where this fails.
    if (lease) await ledger.release(lease).catch(() => undefined);
  };

  async function run(): Promise<void> {
    await seeSites(parts);
    await runtime.pause(runtime.chance() * MAX_FIRST_PAUSE_MS, signal);
    for (;;) {
      const current = sites.current().sites;
      for (const [name, site] of current) {
        const watch = watches.get(name) ?? newWatch(site);
        watches.set(name, watch);
        look(rounds, watch, site);
      }
      const left = [...watches.values()].filter(({ site, underWay }) => !current.has(site.name) && underWay.size === 0);
      for (const watch of left) await leave(watch);
      await runtime.pause(TICK_MS, signal);
    }
  }

  // It ends by the signal alone.
  const running = run().catch(() => undefined);
  return {
    async stop() {
      stopping.abort(new Error('the engine is stopping'));
      await running;
      await Promise.all([...watches.values()].flatMap(({ underWay }) => [...underWay.values()]));
      for (const watch of [...watches.values()]) await leave(watch);
    },
  };
}

/** What happens from now on is caught up with, also where it is a while until somebody asks. */
async function seeSites({ sites, feeds }: Pick<SchedulerParts, 'sites' | 'feeds'>): Promise<void> {
  const seen = [...sites.current().sites.values()].filter(({ settings }) => settings.mode !== 'off');
  await Promise.allSettled(seen.map(({ name }) => feeds.note(name, 'catch-up', {})));
}

function newWatch(site: LoadedSite): Watch {
  return { site, leaseDueMs: 0, dueMs: new Map(), underWay: new Map(), troubles: new Set() };
}

function look(rounds: SchedulerContext, watch: Watch, site: LoadedSite): void {
  const nowMs = rounds.runtime.monotonicMs();
  if (watch.site.version !== site.version) watch.dueMs.clear();
  watch.site = site;
  if (nowMs >= watch.leaseDueMs) {
    watch.leaseDueMs = nowMs + RENEW_AFTER_MS;
    begin(watch, 'lease', () => holdLease(rounds, watch));
  }
  if (!watch.lease) return;
  for (const [task, everyMs] of intervalsOf(site)) {
    if (watch.underWay.has(task) || nowMs < (watch.dueMs.get(task) ?? 0)) continue;
    watch.dueMs.set(task, nowMs + everyMs);
    begin(watch, task, () => runTask(rounds, watch, task));
  }
}

function begin({ underWay }: Watch, name: string, work: () => Promise<void>): void {
  if (!underWay.has(name))
    underWay.set(
      name,
      work().finally(() => underWay.delete(name)),
    );
}

/** Who has just got it looks at everything at once: whoever had it before may have been dead for a while. */
async function holdLease({ ledger, holder }: SchedulerContext, watch: Watch): Promise<void> {
  try {
    if (watch.lease) return await ledger.renew(watch.lease, LEASE_MS);
    const lease = await ledger.acquire(`${watch.site.name}/feeds`, holder, LEASE_MS);
    if (!lease) return;
    watch.lease = lease;
    watch.dueMs.clear();
  } catch {
    // Somebody else has it, or nobody can say: then it is not ours until we get it again.
    delete watch.lease;
  }
}

async function runTask(rounds: SchedulerContext, watch: Watch, task: FeedTask): Promise<void> {
  const { ledger, tasks, signal, onFailed, onWarning } = rounds;
  const { site, lease } = watch;
  const confirm = async () => {
    if (lease) await ledger.renew(lease, LEASE_MS);
  };
  try {
    const { mustSearch, isComplete, warnings } = await tasks[task]({ site, confirm }, signal);
    watch.troubles.delete(task);
    for (const warning of warnings) onWarning(site.name, warning);
    if (mustSearch) watch.dueMs.delete('catch-up');
    if (!isComplete) watch.dueMs.delete(task);
  } catch (thrown) {
    if (signal.aborted || watch.troubles.has(task)) return;
    watch.troubles.add(task);
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

type Done = { readonly mustSearch: boolean; readonly isComplete: boolean; readonly warnings: readonly string[] };
type Task = (
  order: { readonly site: LoadedSite; readonly confirm: () => Promise<void> },
  signal: AbortSignal,
) => Promise<Done>;
type Tasks = Readonly<Record<FeedTask, Task>>;

const DONE: Done = { mustSearch: false, isComplete: true, warnings: [] };

function makeTasks({ keepSubscription, catchUp, pollSite, watchFeeds, feeds, runtime }: SchedulerParts): Tasks {
  return {
    subscription: async (order, signal) => ({ ...DONE, ...(await keepSubscription(order, signal)) }),
    'catch-up': async ({ site }, signal) => {
      if (site.settings.mode !== 'off') return { ...DONE, ...(await catchUp({ site }, signal)) };
      // What happens while a site is off is nobody's to document, not even later.
      await feeds.note(site.name, 'catch-up', { searchedUntil: runtime.now() });
      return DONE;
    },
    poll: async ({ site }, signal) => ({ ...DONE, ...(await pollSite({ site }, signal)) }),
    watch: async ({ site }, signal) => {
      await watchFeeds({ site }, signal);
      return DONE;
    },
  };
}

function makeTeller(tell: SchedulerParts['onWarning']): SchedulerParts['onWarning'] {
  const told = new Set<string>();
  return (site, warning) => {
    const name = `${site} ${warning}`;
    if (told.has(name)) return;
    told.add(name);
    tell(site, warning);
  };
}
