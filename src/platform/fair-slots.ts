// Lets a few callers in at once, the others in their order. Owners share the slots: one that has none of them is let in also if others
// have taken them all, so that no owner waits for the work of another.

export type FairSlots = {
  /** Resolves with the function that gives the slot back; a second call does nothing. Rejects with the signal's reason. */
  readonly take: (owner: string, signal: AbortSignal) => Promise<() => void>;
  readonly inUse: () => number;
  /** Of this owner, or of all. */
  readonly waiting: (owner?: string) => number;
};

type SlotLimits = {
  /** How many are let in at once, of one owner or of several. */
  readonly shared: number;
  /** The limit with those that were let in because their owner had no slot. */
  readonly most: number;
};

type Waiter = { readonly owner: string; readonly admit: () => void };

export function makeFairSlots({ shared, most }: SlotLimits): FairSlots {
  const held = new Map<string, number>();
  const queue = new Set<Waiter>();
  let inUse = 0;

  const heldBy = (owner: string): number => held.get(owner) ?? 0;
  const mayEnter = (owner: string): boolean => inUse < shared || (heldBy(owner) === 0 && inUse < most);

  function change(owner: string, by: 1 | -1): void {
    inUse += by;
    const count = heldBy(owner) + by;
    if (count > 0) held.set(owner, count);
    else held.delete(owner);
  }

  /** The first in the queue among the owners that have the fewest slots. */
  function nextWaiter(): Waiter | undefined {
    let best: Waiter | undefined;
    for (const waiter of queue) {
      if (mayEnter(waiter.owner) && (best === undefined || heldBy(waiter.owner) < heldBy(best.owner))) best = waiter;
    }
    return best;
  }

  function enter(owner: string): () => void {
    let isHeld = true;
    change(owner, 1);
    return () => {
      if (!isHeld) return;
      isHeld = false;
      change(owner, -1);
      for (let next = nextWaiter(); next !== undefined; next = nextWaiter()) next.admit();
    };
  }

  function wait(owner: string, signal: AbortSignal): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const leave = (): void => {
      queue.delete(waiter);
      signal.removeEventListener('abort', refuse);
    };
    const refuse = (): void => {
      leave();
      reject(signal.reason);
    };
    const waiter: Waiter = {
      owner,
      admit: () => {
        leave();
        resolve(enter(owner));
      },
    };
    queue.add(waiter);
    signal.addEventListener('abort', refuse);
    return promise;
  }

  return {
    async take(owner, signal) {
      signal.throwIfAborted();
      return mayEnter(owner) ? enter(owner) : await wait(owner, signal);
    },
    inUse: () => inUse,
    waiting: (owner) =>
      owner === undefined ? queue.size : [...queue].filter((waiter) => waiter.owner === owner).length,
  };
}
