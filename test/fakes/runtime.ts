// Time and randomness that the test sets. No test waits for a pause: the clock moves to its end as soon as nothing else is running, and longer
// pauses end later. Random numbers and uuids are the same in every run.
import { createHash } from 'node:crypto';
import type { Runtime } from '../../src/ports/runtime.ts';

export type FakeRuntime = Runtime & {
  /** Lets time pass without a pause. */
  readonly advance: (ms: number) => void;
  /** Every requested pause, in order. */
  readonly pauses: readonly number[];
};

export function makeFakeRuntime({ start = '2026-03-02T10:00:00.000Z', seed = 1 } = {}): FakeRuntime {
  const startMs = Date.parse(start);
  const pauses: number[] = [];
  const sleepers: { readonly wakesAtMs: number; readonly wake: () => void }[] = [];
  let elapsedMs = 0;
  let state = seed;
  let count = 0;
  const wakeNext = () => {
    const next = sleepers.toSorted((one, other) => one.wakesAtMs - other.wakesAtMs)[0];
    if (next === undefined) return;
    sleepers.splice(sleepers.indexOf(next), 1);
    elapsedMs = Math.max(elapsedMs, next.wakesAtMs);
    next.wake();
    if (sleepers.length > 0) setImmediate(wakeNext);
  };
  const nextState = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return {
    pauses,
    advance(ms) {
      elapsedMs += ms;
    },
    now: () => new Date(startMs + elapsedMs),
    monotonicMs: () => elapsedMs,
    async pause(ms, signal) {
      signal.throwIfAborted();
      pauses.push(ms);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const abort = () => reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      sleepers.push({ wakesAtMs: elapsedMs + Math.max(0, ms), wake: resolve });
      if (sleepers.length === 1) setImmediate(wakeNext);
      await promise.finally(() => signal.removeEventListener('abort', abort));
    },
    chance: () => nextState() / 2 ** 32,
    makeUuid() {
      count += 1;
      return `00000000-0000-4000-8000-${String(seed).padStart(4, '0')}${String(count).padStart(8, '0')}`;
    },
    makeSecret: (sizeBytes) => Uint8Array.from({ length: sizeBytes }, () => nextState() >>> 24),
    digest: (text) => createHash('sha256').update(text).digest(),
    isSameDigest: (a, b) => Buffer.compare(a, b) === 0,
  };
}
