// Only so many at once; the others wait in the order in which they came.

/** Gives what ends the turn. */
export type Turns = { readonly take: (signal: AbortSignal) => Promise<() => void> };

/** In the order in which they came; who gives up waiting leaves the queue at once. */
export function makeTurns(max: number): Turns {
  let free = Math.max(1, max);
  const waiting = new Set<() => void>();
  const end = () => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else {
      // Handed on directly: nobody who comes now can slip in between.
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
      let isOver = false;
      return () => {
        if (!isOver) end();
        isOver = true;
      };
    },
  };
}
