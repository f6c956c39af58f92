// Pauses before another attempt. Every room uses these two functions, so that retries differ only in their numbers. Pure: the random
// number (from 0 up to but not 1) is handed in.

/** The factors of a pause at the random numbers 0 and 1; the factor in between is proportional. */
export type Spread = readonly [atZero: number, atOne: number];

export type BackoffLimits = {
  readonly firstMs: number;
  readonly longestMs?: number;
  /** Without a spread the pause is exact. */
  readonly spread?: Spread;
};

/** Beyond this number of doublings the pause stays the same, so that it is always finite. */
const MAX_DOUBLINGS = 30;

/** Doubles the pause with each attempt. Attempt 0 waits `firstMs`. */
export function backoffMs(attempt: number, { firstMs, longestMs, spread }: BackoffLimits, random = 0): number {
  const exactMs = Math.min(longestMs ?? Number.POSITIVE_INFINITY, firstMs * 2 ** Math.min(attempt, MAX_DOUBLINGS));
  return spread === undefined ? exactMs : spreadMs(exactMs, spread, random);
}

/** Varies a pause at random: clients that failed together must not come back together. */
export function spreadMs(pauseMs: number, [atZero, atOne]: Spread, random: number): number {
  return pauseMs * (atZero + (atOne - atZero) * random);
}
