// Whether a site's notes are final without anybody's review: only where somebody has said that they answer for it, and only for as long as
// they said.
import type { WriteSettings } from './site.ts';

/** Days are compared as such, in UTC; `until` is the first one on which it does not hold any more. */
export function needsNoReview({ review, signedWithoutReview: signed }: WriteSettings, now: Date): boolean {
  const today = now.toISOString().slice(0, 10);
  return review === 'final' && signed !== undefined && signed.date <= today && today < signed.until;
}
