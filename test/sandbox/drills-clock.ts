// A clock for drills that only the test moves.

export type DrillClock = {
  readonly now: () => Date;
  readonly monotonicMs: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Moves the clock in small steps, so that shorter pauses end on the way. */
  readonly pass: (seconds: number) => Promise<void>;
  /** The number of current pauses. */
  readonly waiting: () => number;
};

const STEP_MS = 250;
const START = Date.parse('2026-03-02T10:00:00.000Z');

export function makeDrillClock(): DrillClock {
  let elapsedMs = 0;
  const sleepers = new Set<{ readonly wakesAtMs: number; readonly wake: () => void }>();
  return {
    now: () => new Date(START + elapsedMs),
    monotonicMs: () => elapsedMs,
    async pause(ms, signal) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { wakesAtMs: elapsedMs + ms, wake: resolve };
      const abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      sleepers.add(sleeper);
      await promise.finally(() => {
        sleepers.delete(sleeper);
        signal.removeEventListener('abort', abort);
      });
    },
    async pass(seconds) {
      for (const untilMs = elapsedMs + seconds * 1_000; elapsedMs < untilMs; ) {
        elapsedMs += STEP_MS;
        for (const { wakesAtMs, wake } of [...sleepers]) if (wakesAtMs <= elapsedMs) wake();
        await new Promise(setImmediate);
      }
    },
    waiting: () => sleepers.size,
  };
}
