// Whether a site's notes are final without anybody's review: only where somebody has said that they answer for it, and only for as long as
// they said.
import { spanOf } from '../fhir-time.ts';
import type { SiteSettings } from './site.ts';

/** From the beginning of `date` to the end of `until`: both are whole days where the site is. */
export function needsNoReview({ write, timeZone }: Pick<SiteSettings, 'write' | 'timeZone'>, now: Date): boolean {
  const { review, signedWithoutReview: signed } = write;
  if (review !== 'final' || signed === undefined) return false;
  const [first, last] = [spanOf(signed.date, timeZone), spanOf(signed.until, timeZone)];
  if (first === undefined || last === undefined) return false;
  return first.fromMs <= now.getTime() && now.getTime() < last.untilMs;
}
