// Polls the store for changes of runs, once for all watchers of the same scope in this process, and only while there are watchers. Each poll goes
// back a little, to find changes that were committed late with an earlier time, and sends no change twice.
import { AppError } from '../../../domain/errors.ts';
import type { RunScope } from '../../../domain/people/role.ts';
import type { RunChange, Runs } from '../../../ports/runs.ts';
import type { Runtime } from '../../../ports/runtime.ts';

export type RunListener = {
  readonly send: (change: RunChange) => void;
  /** Called when the engine stops. */
  readonly close: () => void;
};

export type RunFeed = {
  /** Every change after it resolves is sent. Throws `overloaded`, `shuttingDown`. The caller must call the returned function to leave. */
  readonly join: (scope: RunScope, listener: RunListener) => Promise<() => void>;
  /** Yields the changes since then, oldest first. A change close to that time can be one that was sent before. */
  readonly since: (scope: RunScope, time: Date) => AsyncIterable<RunChange>;
  readonly stop: () => void;
};

type FeedParts = {
  readonly runs: Pick<Runs, 'changesSince'>;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs'>;
  readonly isStopping: () => boolean;
  readonly onPollFailed: (thrown: unknown) => void;
  readonly everyMs?: number;
  readonly maxListeners?: number;
};

const EVERY_MS = 500;
const MAX_LISTENERS = 100;
const PAGE = 500;
/** Longer than any transaction that changes a run. */
const LATE_MS = 5_000;
/** The clocks of the engine and the database may differ by this much. */
const CLOCKS_MS = 60_000;

export function makeRunFeed(parts: FeedParts): RunFeed {
  const { runs, isStopping, maxListeners = MAX_LISTENERS } = parts;
  const feeds = new Map<string, ScopeFeed>();

  /** A feed without watchers is forgotten; one that its first watcher is still joining is not. */
  function feedOf(scope: RunScope): ScopeFeed {
    for (const [name, feed] of feeds) if (feed.count() === 0) feeds.delete(name);
    const name = JSON.stringify(scope);
    const feed = feeds.get(name) ?? makeScopeFeed(parts, scope);
    feeds.set(name, feed);
    return feed;
  }

  return {
    async join(scope, listener) {
      if (isStopping()) throw new AppError('shuttingDown', 'The service is restarting; try again in a moment');
      const count = [...feeds.values()].reduce((sum, feed) => sum + feed.count(), 0);
      if (count >= maxListeners) {
        throw new AppError('overloaded', 'There are too many watchers of runs', { retryAfterSeconds: 30 });
      }
      return feedOf(scope).join(listener);
    },

    since: (scope, time) =>
      changesFrom((from, limit) => runs.changesSince(scope, from, limit), startOf(time), new Map()),

    stop() {
      for (const feed of feeds.values()) feed.stop();
    },
  };
}

function startOf(time: Date): number {
  return time.getTime() - LATE_MS;
}

type ScopeFeed = {
  readonly join: (listener: RunListener) => Promise<() => void>;
  readonly count: () => number;
  readonly stop: () => void;
};

function makeScopeFeed(parts: FeedParts, scope: RunScope): ScopeFeed {
  const { runs, runtime, isStopping, onPollFailed, everyMs = EVERY_MS } = parts;
  const listeners = new Set<RunListener>();
  let timer: NodeJS.Timeout | undefined;
  let poll: ChangePoll | undefined;
  let starting: Promise<ChangePoll> | undefined;

  function endAll(): void {
    clearTimeout(timer);
    for (const listener of listeners) listener.close();
    listeners.clear();
    poll = undefined;
  }

  function leave(listener: RunListener): void {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearTimeout(timer);
    poll = undefined;
  }

  async function pollAgain(current: ChangePoll): Promise<void> {
    if (isStopping()) return endAll();
    try {
      for (const change of await current.next()) for (const listener of listeners) listener.send(change);
    } catch (thrown) {
      onPollFailed(thrown);
    }
    if (poll === current) timer = setTimeout(() => void pollAgain(current), everyMs);
  }

  /** Skips the changes from before the first watcher joined. */
  async function startPoll(): Promise<ChangePoll> {
    const started = makeChangePoll((from, limit) => runs.changesSince(scope, from, limit), runtime);
    await started.next();
    return started;
  }

  return {
    async join(listener) {
      listeners.add(listener);
      try {
        if (poll === undefined) {
          starting ??= startPoll().finally(() => {
            starting = undefined;
          });
          const started = await starting;
          if (poll === undefined && listeners.size > 0) {
            poll = started;
            timer = setTimeout(() => void pollAgain(started), everyMs);
          }
        }
      } catch (thrown) {
        leave(listener);
        throw thrown;
      }
      return () => leave(listener);
    },

    count: () => listeners.size,
    stop: endAll,
  };
}

type ReadChanges = (since: Date, limit: number) => Promise<readonly RunChange[]>;
type ChangePoll = { readonly next: () => Promise<readonly RunChange[]> };

/** Continues from the times of the changes it finds, which are the database's: the engine's clock can differ. */
function makeChangePoll(read: ReadChanges, runtime: FeedParts['runtime']): ChangePoll {
  const sent = new Map<string, number>();
  let newestMs = runtime.now().getTime() - CLOCKS_MS;
  let movedAtMs = runtime.monotonicMs();
  return {
    async next() {
      // If nothing has changed for a while, no late change can be older than the newest.
      const isQuiet = runtime.monotonicMs() - movedAtMs > 2 * LATE_MS;
      const found: RunChange[] = [];
      for await (const change of changesFrom(read, newestMs - (isQuiet ? 1 : LATE_MS), sent)) found.push(change);
      const lastMs = Math.max(newestMs, ...found.map(({ changedAt }) => changedAt.getTime()));
      if (lastMs > newestMs) movedAtMs = runtime.monotonicMs();
      newestMs = lastMs;
      for (const [name, atMs] of sent) if (atMs < newestMs - 2 * LATE_MS) sent.delete(name);
      return found;
    },
  };
}

/** Yields changes page by page, without those in `sent`, and adds each to `sent`. */
async function* changesFrom(read: ReadChanges, startMs: number, sent: Map<string, number>): AsyncGenerator<RunChange> {
  let [fromMs, limit] = [startMs, PAGE];
  for (;;) {
    const page = await read(new Date(fromMs), limit);
    for (const change of page) {
      const name = nameOf(change);
      if (sent.has(name)) continue;
      sent.set(name, change.changedAt.getTime());
      yield change;
    }
    if (page.length < limit) return;
    // One millisecond back, because other runs can have changed in the same one. If one millisecond fills a page, the page must grow.
    const nextMs = (page.at(-1)?.changedAt.getTime() ?? fromMs) - 1;
    if (nextMs > fromMs) [fromMs, limit] = [nextMs, PAGE];
    else limit *= 2;
  }
}

function nameOf({ id, status, reason, step, changedAt }: RunChange): string {
  return `${id} ${changedAt.getTime()} ${status} ${reason} ${step}`;
}
