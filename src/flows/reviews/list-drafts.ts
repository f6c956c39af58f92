// Lists the drafts of a site that wait for the decision of a clinician, the oldest first: held in the engine, or unsigned in the chart.

import { isReviewable } from '../../domain/run/reviewable.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Runs } from '../../ports/runs.ts';

/** Of each kind at most `limit`. */
export type ListDrafts = (order: { readonly site: string; readonly limit: number }) => Promise<readonly Run[]>;

export function makeListDrafts({ runs }: { readonly runs: Pick<Runs, 'list' | 'awaitingReview'> }): ListDrafts {
  return async ({ site, limit }) => {
    const { runs: held } = await runs.list({ site, status: ['held'], limit });
    const drafts = held.filter(({ reason, revision, isDry }) => isReviewable(reason) && revision > 0 && !isDry);
    const written = await runs.awaitingReview(site, limit);
    return [...drafts, ...written].toSorted((one, other) => one.serial - other.serial);
  };
}
