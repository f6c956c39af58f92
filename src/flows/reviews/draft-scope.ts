// Where the drafts of the caller's sites are: held in the engine, or unsigned in a chart.
import { isInScope, type SiteScope } from '../../domain/people/role.ts';
import { isSignedWithoutReview } from '../../domain/site/signed-without-review.ts';
import type { DraftPlace } from '../../ports/drafts.ts';
import type { SitesSnapshot } from '../../ports/sites.ts';

/** Of a site that signs without a review, what is written is no draft. */
export function draftPlaces(scope: SiteScope, { sites }: SitesSnapshot, now: Date): readonly DraftPlace[] {
  return [...sites.values()]
    .filter(({ name }) => isInScope(scope, name))
    .flatMap(({ name: site, settings }) => {
      const held = { site, status: 'held' } as const;
      return isSignedWithoutReview(settings, now) ? [held] : [held, { site, status: 'written' } as const];
    });
}
