// Deadlines in tests. On a slow machine a short one would end a call before its request has arrived, so the timers of the code under test do
// not run: the test lets the time pass when the other side has seen what it waits for. The network and `until` go on meanwhile.
import { jest } from '@jest/globals';
import { until } from './until.ts';

type Deadline = {
  /** Becomes true when only the deadline can end the call. */
  readonly after: () => boolean | Promise<boolean>;
  readonly ms: number;
};

export function holdTimers(): void {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
}

/** Makes a call that nothing but its deadline ends, and returns its result. */
export async function passDeadline<Result>(call: () => Promise<Result>, { after, ms }: Deadline): Promise<Result> {
  holdTimers();
  try {
    const result = call();
    // It is awaited below; until then a failure is no unhandled one.
    result.catch(() => undefined);
    await until(after);
    jest.advanceTimersByTime(ms);
    return await result;
  } finally {
    jest.useRealTimers();
  }
}
