import { describe, expect, it } from '@jest/globals';
import { readRetryAfter } from '../../../src/outbound/deepgram/failures.ts';

describe('How long the vendor asks to wait', () => {
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
  ])('%j is %j seconds', (value, expected) => {
    expect(readRetryAfter(value, nowMs)).toBe(expected);
  });
});
