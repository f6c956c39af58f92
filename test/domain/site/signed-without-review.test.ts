// Notes that are final without a review: only in the accepted period, in the time zone of the site.
import { describe, expect, it } from '@jest/globals';
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

describe('a note without a review', () => {
  it.each([
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
  ])('it is final from the first to the end of the last day, in %s: %s', (timeZone, now, expected) => {
    expect(isNeedless(now, { timeZone })).toBe(expected);
  });

  it('it is final only if the settings say so and name a responsible person', () => {
    expect(isNeedless('2026-03-05T12:00:00Z', { review: 'hold' })).toBe(false);
    const { settings } = aSite();
    const unsigned = { ...settings, write: { ...settings.write, review: 'final' as const } };
    expect(isSignedWithoutReview(unsigned, new Date('2026-03-05T12:00:00Z'))).toBe(false);
  });
});
