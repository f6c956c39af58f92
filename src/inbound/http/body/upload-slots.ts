// Limits the number of concurrent uploads. The organizations share it fairly; further uploads wait in a queue for a while, then the client
// must try again.
import { AppError } from '../../../domain/errors.ts';
import { makeFairSlots } from '../../../platform/fair-slots.ts';

type UploadSlotsParts = {
  readonly max: number;
  /** Uploads beyond `max` of owners that have none in progress, so that none waits for the uploads of another. */
  readonly maxBeyond?: number;
  readonly waitMs?: number;
  /** Maximum length of the queue of one owner; further uploads would only time out. */
  readonly maxWaiting?: number;
};

export type UploadSlots = {
  /** Resolves with a function that releases the slot; a second call does nothing. Throws `overloaded`, or the signal's reason. */
  readonly enter: (owner: string, signal: AbortSignal) => Promise<() => void>;
  readonly inFlight: () => number;
  readonly waiting: () => number;
};

const RETRY_AFTER_SECONDS = 10;

export function makeUploadSlots(parts: UploadSlotsParts): UploadSlots {
  const { max, maxBeyond = 64, waitMs = 30_000, maxWaiting = 64 } = parts;
  const slots = makeFairSlots({ shared: max, most: max + maxBeyond });
  return {
    async enter(owner, signal) {
      if (slots.waiting(owner) >= maxWaiting) throw tooMany();
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(tooMany()), waitMs);
      try {
        return await slots.take(owner, AbortSignal.any([signal, late.signal]));
      } finally {
        clearTimeout(timer);
      }
    },
    inFlight: slots.inUse,
    waiting: () => slots.waiting(),
  };
}

function tooMany(): AppError {
  return new AppError('overloaded', 'Too many uploads at once; try again in a moment', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
