// Waiting that can be ended from outside, and that keeps no process alive.

export type Waits = {
  readonly wait: (ms: number) => Promise<void>;
  /** Everything that waits goes on. */
  readonly release: () => void;
};

export function makeWaits(): Waits {
  const waiting = new Set<() => void>();
  return {
    wait: (ms) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = () => {
        clearTimeout(timer);
        waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      timer.unref();
      waiting.add(end);
      return promise;
    },
    release: () => {
      for (const end of [...waiting]) end();
    },
  };
}
