// Lets a few callers in at once, the others in their order. A caller that is aborted while it waits leaves the queue.

export type Slots = {
  /** Resolves with the function that returns the place; call it exactly once. */
  readonly take: (signal: AbortSignal) => Promise<() => void>;
};

export function makeSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  function giveBack(): void {
    const [next] = waiting;
    // The place is handed over without becoming free in between: a caller that comes in that moment would be one too many.
    if (next === undefined) free += 1;
    else next();
  }

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) free -= 1;
      else await wait(signal, waiting);
      return giveBack;
    },
  };
}

function wait(signal: AbortSignal, waiting: Set<() => void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.delete(enter);
      signal.removeEventListener('abort', refuse);
    };
    const enter = () => {
      leave();
      resolve();
    };
    const refuse = () => {
      leave();
      reject(signal.reason);
    };
    waiting.add(enter);
    signal.addEventListener('abort', refuse);
  });
}
