// Waiting that can be ended from outside, and that keeps no process alive.

export type Waits = {
  readonly wait: (ms: number) => Promise<void>;
  /** Everything that waits goes on. */
  readonly release: () => void;
};

/** Calls back after that time; gives what calls it off. */
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
