// Notes that are final without a review: on the days that somebody has said, by the clocks of the site.
import { describe, expect, test } from '@jest/globals';
import { isSignedWithoutReview } from '../../../src/domain/site/signed-without-review.ts';
import { aSite } from '../../support/chart-facts.ts';

const SIGNED = { acceptedBy: 'Dr. Example', role: 'CMIO', date: '2026-03-02', until: '2026-03-08', reason: 'Trial.' };

function isNeedless(
  now: string,
  { timeZone = 'UTC', ...write }: { timeZone?: string; review?: 'final' | 'hold' } = {},
) {
  const { settings } = aSite();
  const signed = { ...settings.write, review: 'final' as const, signedWithoutReview: SIGNED, ...write };
  return isSignedWithoutReview({ timeZone, write: signed }, new Date(now));
}

describe('a review is not needed', () => {
  test.each([
    ['UTC', '2026-03-01T23:59:59Z', false],
    ['UTC', '2026-03-02T00:00:00Z', true],
    ['UTC', '2026-03-08T23:59:59Z', true],
    ['UTC', '2026-03-09T00:00:00Z', false],
    // Six hours behind UTC, and five on the last day: summer time begins in it.
    ['America/Chicago', '2026-03-02T05:59:59Z', false],
    ['America/Chicago', '2026-03-02T06:00:00Z', true],
    ['America/Chicago', '2026-03-09T04:59:59Z', true],
    ['America/Chicago', '2026-03-09T05:00:00Z', false],
    ['Asia/Tokyo', '2026-03-01T15:00:00Z', true],
    ['Asia/Tokyo', '2026-03-08T14:59:59Z', true],
    ['Asia/Tokyo', '2026-03-08T15:00:00Z', false],
  ])('from the first day to the end of the last, in %s: %s', (timeZone, now, expected) => {
    expect(isNeedless(now, { timeZone })).toBe(expected);
  });

  test('only where the site asks for that, and somebody answers for it', () => {
    expect(isNeedless('2026-03-05T12:00:00Z', { review: 'hold' })).toBe(false);
    const { settings } = aSite();
    const unsigned = { ...settings, write: { ...settings.write, review: 'final' as const } };
    expect(isSignedWithoutReview(unsigned, new Date('2026-03-05T12:00:00Z'))).toBe(false);
  });
});
