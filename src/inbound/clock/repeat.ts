// Repeats a piece of work in this process until it is stopped. Two rounds of the same work never overlap.
import { spreadMs } from '../../domain/backoff.ts';
import type { Runtime } from '../../ports/runtime.ts';

export type Repetition = {
  /** Ends the current pause, so that the next round begins now. */
  readonly runNow: () => void;
  /** Starts no further round; resolves when the current one has ended. */
  readonly stop: () => Promise<void>;
};

type RepetitionParts = {
  readonly runtime: Pick<Runtime, 'pause' | 'chance'>;
  readonly everyMs: number;
  /** The first round begins after a random part of this time; the default is 0. */
  readonly maxFirstPauseMs?: number;
  /** The next round begins without a pause if this resolves with true. */
  readonly work: (signal: AbortSignal) => Promise<unknown>;
  readonly onFailed: (thrown: unknown) => void;
  /** True: `onFailed` is called for the first of several failures in a row only. */
  readonly reportsOnce?: boolean;
};

export function startRepeating(parts: RepetitionParts): Repetition {
  const { runtime, everyMs, maxFirstPauseMs = 0, work, onFailed, reportsOnce = false } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let wanted = Promise.withResolvers<void>();
  let isFailing = false;

  async function run(): Promise<void> {
    if (maxFirstPauseMs > 0) await pause(runtime.chance() * maxFirstPauseMs);
    while (!signal.aborted) {
      wanted = Promise.withResolvers();
      const hasMore = await runOnce();
      // The random part keeps engines that were started together from working at the same moments.
      if (!hasMore && !signal.aborted) await pause(spreadMs(everyMs, [0.9, 1.1], runtime.chance()));
    }
  }

  async function runOnce(): Promise<boolean> {
    try {
      const hasMore = (await work(signal)) === true;
      isFailing = false;
      return hasMore;
    } catch (thrown) {
      if (!signal.aborted && !(isFailing && reportsOnce)) onFailed(thrown);
      isFailing = true;
      return false;
    }
  }

  async function pause(ms: number): Promise<void> {
    const waiting = new AbortController();
    const paused = runtime.pause(ms, AbortSignal.any([signal, waiting.signal])).catch(() => undefined);
    await Promise.race([paused, wanted.promise]);
    waiting.abort();
  }

  const running = run();
  return {
    runNow: () => wanted.resolve(),
    async stop() {
      stopping.abort(new Error('the engine is stopping'));
      await running;
    },
  };
}
