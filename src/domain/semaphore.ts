// Limits how many tasks run at once. Waiting tasks start in the order of their arrival.

export type Semaphore = {
  /** Resolves with the function that frees the slot. Rejects with the signal's reason, and leaves the queue at once. */
  readonly take: (signal: AbortSignal) => Promise<() => void>;
};

export function makeSemaphore(max: number): Semaphore {
  let free = Math.max(1, max);
  const waiting = new Set<() => void>();
  const release = () => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else {
      // The slot is handed to the next task directly: a task that arrives now cannot overtake it.
      waiting.delete(next);
      next();
    }
  };
  const queue = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(start);
        reject(signal.reason);
      };
      const start = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      waiting.add(start);
      signal.addEventListener('abort', leave, { once: true });
    });
  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) free -= 1;
      else await queue(signal);
      let isReleased = false;
      return () => {
        if (!isReleased) release();
        isReleased = true;
      };
    },
  };
}
