// Whether the notes of a site are final without a review: only if its settings name a person who accepts that responsibility, and only in the
// accepted period.
import { spanOf } from '../fhir-time.ts';
import type { SiteSettings } from './site.ts';

/** The period goes from the beginning of `date` to the end of `until`, both in the time zone of the site. */
export function isSignedWithoutReview(
  { write, timeZone }: Pick<SiteSettings, 'write' | 'timeZone'>,
  now: Date,
): boolean {
  const { review, signedWithoutReview: signed } = write;
  if (review !== 'final' || signed === undefined) return false;
  const [first, last] = [spanOf(signed.date, timeZone), spanOf(signed.until, timeZone)];
  if (first === undefined || last === undefined) return false;
  return first.fromMs <= now.getTime() && now.getTime() < last.untilMs;
}
