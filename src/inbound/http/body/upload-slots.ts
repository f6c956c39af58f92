// How many uploads are taken in at once. Who comes later waits in line for a while, then is asked to come again.
import { AppError } from '../../../domain/errors.ts';

type UploadSlotsParts = {
  readonly max: number;
  readonly waitMs?: number;
  /** A longer line would only wait in vain. */
  readonly maxWaiting?: number;
};

export type UploadSlots = {
  /** Resolves with what gives the place back (once; more often does nothing). Throws `overloaded`, or the signal's reason. */
  readonly enter: (signal: AbortSignal) => Promise<() => void>;
  readonly inFlight: () => number;
  readonly waiting: () => number;
};

type Waiter = { readonly admit: () => void };

const RETRY_AFTER_SECONDS = 10;

export function makeUploadSlots({ max, waitMs = 30_000, maxWaiting = 64 }: UploadSlotsParts): UploadSlots {
  const line = new Set<Waiter>();
  let inFlight = 0;

  function take(): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = line;
      // The place goes from hand to hand, so that nobody can slip in between.
      if (next === undefined) inFlight -= 1;
      else next.admit();
    };
  }

  function standInLine(signal: AbortSignal): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const leave = (): void => {
      line.delete(waiter);
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
    line.add(waiter);
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
      if (line.size >= maxWaiting) throw tooMany();
      return standInLine(signal);
    },
    inFlight: () => inFlight,
    waiting: () => line.size,
  };
}

function tooMany(): AppError {
  return new AppError('overloaded', 'Too many uploads at once; try again in a moment', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
