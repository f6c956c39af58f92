// Something that is done again and again, by this process alone: never twice at once, and ended by `stop`.
import type { Runtime } from '../../ports/runtime.ts';

export type Repetition = {
  /** The next round begins at once. */
  readonly hurry: () => void;
  /** Nothing is begun any more; resolves when what was going on has ended. */
  readonly stop: () => Promise<void>;
};

type RepetitionParts = {
  readonly runtime: Pick<Runtime, 'pause' | 'chance'>;
  readonly everyMs: number;
  /** Gives true where there is more to be done at once. */
  readonly work: (signal: AbortSignal) => Promise<boolean>;
  readonly onFailed: (thrown: unknown) => void;
};

export function startRepeating({ runtime, everyMs, work, onFailed }: RepetitionParts): Repetition {
  const stopping = new AbortController();
  const { signal } = stopping;
  let hurried = Promise.withResolvers<void>();

  async function run(): Promise<void> {
    while (!signal.aborted) {
      hurried = Promise.withResolvers();
      const hasMore = await work(signal).catch((thrown) => {
        if (!signal.aborted) onFailed(thrown);
        return false;
      });
      if (!hasMore && !signal.aborted) await idle();
    }
  }

  /** Engines that were started together do not stay together. */
  async function idle(): Promise<void> {
    const waiting = new AbortController();
    const ms = everyMs * (0.9 + runtime.chance() * 0.2);
    await Promise.race([
      runtime.pause(ms, AbortSignal.any([signal, waiting.signal])).catch(() => undefined),
      hurried.promise,
    ]);
    waiting.abort();
  }

  const running = run();
  return {
    hurry: () => hurried.resolve(),
    async stop() {
      stopping.abort(new Error('the engine is stopping'));
      await running;
    },
  };
}
