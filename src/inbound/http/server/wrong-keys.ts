// Limits wrong keys per client address, against guessing. A valid key always works, whatever came from the same address before.
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../../../domain/errors.ts';

export type WrongKeyThrottle = {
  /** Counts a wrong key. Throws `authThrottled` after too many in the last minute. */
  readonly failed: (address: string) => Promise<void>;
};

type ThrottleParts = { readonly maxFailures: number; readonly windowSeconds: number };

export function makeWrongKeyThrottle({ maxFailures, windowSeconds }: ThrottleParts): WrongKeyThrottle {
  const failures = new RateLimiterMemory({ points: maxFailures, duration: windowSeconds });
  return {
    async failed(address) {
      try {
        await failures.consume(address);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw new AppError('authThrottled', 'Too many requests with a wrong API key', {
          retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)),
        });
      }
    },
  };
}
