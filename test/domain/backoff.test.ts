import { describe, expect, it } from '@jest/globals';
import { backoffMs, spreadMs } from '../../src/domain/backoff.ts';

const LIMITS = { firstMs: 500, longestMs: 5_000 };

describe('the pause before another attempt', () => {
  it('doubles from the first pause up to the longest', () => {
    expect([0, 1, 2, 3, 4, 5].map((attempt) => backoffMs(attempt, LIMITS))).toEqual([
      500, 1_000, 2_000, 4_000, 5_000, 5_000,
    ]);
  });

  it('is finite after any number of attempts, even without a longest pause', () => {
    expect(backoffMs(10_000, { firstMs: 1 })).toBe(2 ** 30);
  });

  it('is exact without a spread, whatever the random number', () => {
    expect(backoffMs(1, LIMITS, 0.9)).toBe(1_000);
  });

  it.each([
    [0, 500],
    [0.5, 1_000],
    [1, 1_500],
  ])('is spread in proportion to the random number %d', (random, expected) => {
    expect(backoffMs(1, { ...LIMITS, spread: [0.5, 1.5] }, random)).toBe(expected);
  });

  it('may only become shorter if the factors say so', () => {
    expect(spreadMs(1_000, [1, 0.5], 0)).toBe(1_000);
    expect(spreadMs(1_000, [1, 0.5], 0.5)).toBe(750);
  });
});
