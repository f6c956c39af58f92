import { describe, expect, it } from '@jest/globals';
import { readRetryAfter } from '../../../src/outbound/deepgram/failures.ts';

describe('The Retry-After header of the vendor', () => {
  const nowMs = Date.parse('2026-03-01T12:00:00Z');
  it.each([
    ['30', 30],
    [' 2 ', 2],
    ['0', 0],
    ['Sun, 01 Mar 2026 12:00:07 GMT', 7],
    ['999999999', 3600],
    ['-1', undefined],
    ['1.5x', undefined],
    ['', undefined],
    ['Sun, 01 Mar 2026 11:00:00 GMT', undefined],
    [null, undefined],
  ])('the value %j means %j seconds', (value, expected) => {
    expect(readRetryAfter(value, nowMs)).toBe(expected);
  });
});
