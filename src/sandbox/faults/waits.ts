// Pauses that can be ended from outside and that do not keep the process running.

export type Waits = {
  readonly wait: (ms: number) => Promise<void>;
  /** Ends all pauses. */
  readonly release: () => void;
};

/** Calls `end` after that time; the returned function cancels the call. */
export type After = (ms: number, end: () => void) => () => void;

const byTimer: After = (ms, end) => {
  const timer = setTimeout(end, ms).unref();
  return () => clearTimeout(timer);
};

export function makeWaits(after = byTimer): Waits {
  const waiting = new Set<() => void>();
  return {
    wait: (ms) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = () => {
        callOff();
        waiting.delete(end);
        resolve();
      };
      const callOff = after(ms, end);
      waiting.add(end);
      return promise;
    },
    release: () => {
      for (const end of [...waiting]) end();
    },
  };
}
