// A few at once, the others in the order in which they came. Whoever is aborted while waiting leaves the line.

export type Slots = {
  /** Resolves with what gives the place back; call it exactly once. */
  readonly take: (signal: AbortSignal) => Promise<() => void>;
};

export function makeSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  function giveBack(): void {
    free += 1;
    const [next] = waiting;
    next?.();
  }

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free === 0 || waiting.size > 0) await wait(signal, waiting);
      free -= 1;
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
