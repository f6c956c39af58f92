// Limits the number of concurrent uploads. Further uploads wait in a queue for a while; then the client must try again.
import { AppError } from '../../../domain/errors.ts';

type UploadSlotsParts = {
  readonly max: number;
  readonly waitMs?: number;
  /** Maximum length of the queue; further uploads would only time out. */
  readonly maxWaiting?: number;
};

export type UploadSlots = {
  /** Resolves with a function that releases the slot; a second call does nothing. Throws `overloaded`, or the signal's reason. */
  readonly enter: (signal: AbortSignal) => Promise<() => void>;
  readonly inFlight: () => number;
  readonly waiting: () => number;
};

type Waiter = { readonly admit: () => void };

const RETRY_AFTER_SECONDS = 10;

export function makeUploadSlots({ max, waitMs = 30_000, maxWaiting = 64 }: UploadSlotsParts): UploadSlots {
  const queue = new Set<Waiter>();
  let inFlight = 0;

  function take(): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = queue;
      // The slot passes directly to the next in the queue, so that a newcomer cannot take it.
      if (next === undefined) inFlight -= 1;
      else next.admit();
    };
  }

  function waitForSlot(signal: AbortSignal): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const leave = (): void => {
      queue.delete(waiter);
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => {
      leave();
      reject(signal.reason);
    };
    const waiter: Waiter = {
      admit: () => {
        leave();
        resolve(take());
      },
    };
    const timer = setTimeout(() => {
      leave();
      reject(tooMany());
    }, waitMs);
    queue.add(waiter);
    signal.addEventListener('abort', onAbort);
    return promise;
  }

  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (inFlight < max) {
        inFlight += 1;
        return take();
      }
      if (queue.size >= maxWaiting) throw tooMany();
      return waitForSlot(signal);
    },
    inFlight: () => inFlight,
    waiting: () => queue.size,
  };
}

function tooMany(): AppError {
  return new AppError('overloaded', 'Too many uploads at once; try again in a moment', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
