import { describe, expect, it } from '@jest/globals';
import { nextRestart, type RestartLimits } from '../../src/domain/restarts.ts';

const MINUTE_MS = 60_000;
const LIMITS: RestartLimits = { most: 3, withinMs: 10 * MINUTE_MS, pause: { firstMs: 500 } };

/** The numbers of the restarts after ends at these minutes; undefined for an end after which there is none. */
function restartsAt(minutes: readonly number[]): readonly (number | undefined)[] {
  let earlierMs: readonly number[] = [];
  return minutes.map((minute) => {
    const restart = nextRestart(earlierMs, minute * MINUTE_MS, LIMITS);
    earlierMs = restart?.recentMs ?? earlierMs;
    return restart?.number;
  });
}

describe('the restarts of a process that ended by itself', () => {
  it('a process is started again three times within ten minutes, and not after the fourth end', () => {
    expect(restartsAt([0, 1, 2, 3])).toEqual([1, 2, 3, undefined]);
  });

  it('a restart counts for ten minutes to the millisecond, whatever happened in between', () => {
    expect(restartsAt([0, 4, 8, 10])).toEqual([1, 2, 3, 3]);
    expect(restartsAt([0, 4, 8, 10 - 1 / MINUTE_MS])).toEqual([1, 2, 3, undefined]);
    expect(restartsAt([0, 4, 8, 10, 13])).toEqual([1, 2, 3, 3, undefined]);
  });

  it('a process that ends now and then is started again without end', () => {
    const ends = Array.from({ length: 50 }, (_, index) => index * 11);
    expect(new Set(restartsAt(ends))).toEqual(new Set([1]));
  });

  it('the pause doubles with each restart of the period and is the first one again after it', () => {
    const pauseAfter = (earlierMs: readonly number[]) => nextRestart(earlierMs, 10 * MINUTE_MS, LIMITS)?.pauseMs;
    expect([pauseAfter([]), pauseAfter([MINUTE_MS]), pauseAfter([MINUTE_MS, 2 * MINUTE_MS])]).toEqual([
      500, 1_000, 2_000,
    ]);
    expect(pauseAfter([0])).toBe(500);
  });
});
