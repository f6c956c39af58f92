// What changes of runs, for all who watch in this process: the store is asked at short intervals while somebody listens, and only then.
// What is committed late, with an earlier time on it, is told too: each look goes back a little, and tells nothing twice.
import { AppError } from '../../../domain/errors.ts';
import type { RunChange, Runs } from '../../../ports/runs.ts';
import type { Runtime } from '../../../ports/runtime.ts';

export type RunListener = {
  readonly send: (change: RunChange) => void;
  /** The engine stops. */
  readonly close: () => void;
};

export type RunFeed = {
  /** From when it resolves, every change is told. Throws `overloaded`, `shuttingDown`. Call what it gives when nobody listens any more. */
  readonly join: (listener: RunListener) => Promise<() => void>;
  /** What changed since then, the oldest first; a change around that time may come although it was told before. */
  readonly since: (time: Date) => AsyncIterable<RunChange>;
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
/** Our clock may differ so much from the database's. */
const CLOCKS_MS = 60_000;

export function makeRunFeed(parts: FeedParts): RunFeed {
  const {
    runs,
    runtime,
    isStopping,
    onPollFailed: onLookFailed,
    everyMs = EVERY_MS,
    maxListeners = MAX_LISTENERS,
  } = parts;
  const listeners = new Set<RunListener>();
  let timer: NodeJS.Timeout | undefined;
  let look: ChangePoll | undefined;
  let beginning: Promise<ChangePoll> | undefined;

  function endAll(): void {
    clearTimeout(timer);
    for (const listener of listeners) listener.close();
    listeners.clear();
    look = undefined;
  }

  function leave(listener: RunListener): void {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearTimeout(timer);
    look = undefined;
  }

  async function lookAgain(current: ChangePoll): Promise<void> {
    if (isStopping()) return endAll();
    try {
      for (const change of await current.next()) for (const { send: tell } of listeners) tell(change);
    } catch (thrown) {
      onLookFailed(thrown);
    }
    if (look === current) timer = setTimeout(() => void lookAgain(current), everyMs);
  }

  /** What there was before anybody listened is nobody's news. */
  async function begin(): Promise<ChangePoll> {
    const begun = makeLook(runs, runtime);
    await begun.next();
    return begun;
  }

  return {
    async join(listener) {
      if (isStopping()) throw new AppError('shuttingDown', 'The service is restarting; try again in a moment');
      if (listeners.size >= maxListeners) {
        throw new AppError('overloaded', 'Too many watch the runs already', { retryAfterSeconds: 30 });
      }
      listeners.add(listener);
      try {
        if (look === undefined) {
          beginning ??= begin().finally(() => {
            beginning = undefined;
          });
          const begun = await beginning;
          if (look === undefined && listeners.size > 0) {
            look = begun;
            timer = setTimeout(() => void lookAgain(begun), everyMs);
          }
        }
      } catch (thrown) {
        leave(listener);
        throw thrown;
      }
      return () => leave(listener);
    },

    since: (time) => changesFrom(runs, time.getTime() - LATE_MS, new Map()),
    stop: endAll,
  };
}

type ChangePoll = { readonly next: () => Promise<readonly RunChange[]> };

/** Goes on by the times of what it finds: they are the database's, which our clock need not agree with. */
function makeLook(runs: FeedParts['runs'], runtime: FeedParts['runtime']): ChangePoll {
  const told = new Map<string, number>();
  let newestMs = runtime.now().getTime() - CLOCKS_MS;
  let movedAtMs = runtime.monotonicMs();
  return {
    async next() {
      // Once nothing has moved for a while, nothing late can come before the newest.
      const isQuiet = runtime.monotonicMs() - movedAtMs > 2 * LATE_MS;
      const found: RunChange[] = [];
      for await (const change of changesFrom(runs, newestMs - (isQuiet ? 1 : LATE_MS), told)) found.push(change);
      const lastMs = Math.max(newestMs, ...found.map(({ changedAt }) => changedAt.getTime()));
      if (lastMs > newestMs) movedAtMs = runtime.monotonicMs();
      newestMs = lastMs;
      for (const [name, atMs] of told) if (atMs < newestMs - 2 * LATE_MS) told.delete(name);
      return found;
    },
  };
}

/** Page by page; without what is in `told`, to which it adds. */
async function* changesFrom(
  runs: FeedParts['runs'],
  startMs: number,
  told: Map<string, number>,
): AsyncGenerator<RunChange> {
  let [fromMs, limit] = [startMs, PAGE];
  for (;;) {
    const page = await runs.changesSince(new Date(fromMs), limit);
    for (const change of page) {
      const name = nameOf(change);
      if (told.has(name)) continue;
      told.set(name, change.changedAt.getTime());
      yield change;
    }
    if (page.length < limit) return;
    // A moment back: others may have changed in the same millisecond. Where one of them fills a page, only a longer one leads on.
    const nextMs = (page.at(-1)?.changedAt.getTime() ?? fromMs) - 1;
    if (nextMs > fromMs) [fromMs, limit] = [nextMs, PAGE];
    else limit *= 2;
  }
}

function nameOf({ id, status, reason, step, changedAt }: RunChange): string {
  return `${id} ${changedAt.getTime()} ${status} ${reason} ${step}`;
}
