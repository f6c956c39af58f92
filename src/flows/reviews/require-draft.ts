// Checks that a run has a draft that a clinician can decide about.
import { AppError } from '../../domain/errors.ts';
import { isReviewable } from '../../domain/run/reviewable.ts';
import type { Run } from '../../domain/run/run.ts';
import { isSignedWithoutReview } from '../../domain/site/signed-without-review.ts';
import type { SiteSettings } from '../../domain/site/site.ts';

type ReviewQuestion = {
  readonly settings: Pick<SiteSettings, 'write' | 'timeZone'>;
  readonly decision: 'approve' | 'edit' | 'reject' | 'correct';
  readonly now: Date;
};

/** Throws `conflict`. */
export function requireDraft(run: Run, question: ReviewQuestion): void {
  const why = whyNot(run, question);
  if (why !== undefined) throw new AppError('conflict', why);
}

/** The chart has the last draft of a session: a decision about an earlier one would undo it. Throws `conflict`. */
export function requireNewest(run: Run, ofEncounter: readonly Run[]): void {
  const later = ofEncounter.findLast(
    // A cancelled run has not replaced the earlier draft.
    ({ session, serial, isDry, revision, status }) =>
      session === run.session && serial > run.serial && !isDry && revision > 0 && status !== 'cancelled',
  );
  if (later === undefined) return;
  const why = `A later run of this session made another draft: decide about that one (${later.id})`;
  throw new AppError('conflict', why);
}

function whyNot(run: Run, { settings, decision, now }: ReviewQuestion): string | undefined {
  const { status, reason, review, revision } = run;
  if (status === 'rejected' || (status === 'parked' && reason === 'rejected')) {
    // Rejecting again retries a retraction that has failed.
    return decision === 'reject' ? undefined : 'This draft was rejected: replay the run to get another one';
  }
  if (status === 'parked' && reason === 'retract-by-hand' && decision === 'reject' && review === undefined)
    return undefined;
  // A decision is about one draft; a later draft needs its own decision.
  if (review !== undefined && (status === 'written' || review.revision === revision))
    return `${review.reviewer} decided about this draft already (${review.decision})`;
  if (status === 'held' && !isReviewable(reason)) {
    return `The run is held for ${reason ?? 'another reason'}, which a review cannot resolve`;
  }
  if (status === 'written' && isSignedWithoutReview(settings, now))
    return 'This site signs without a review: there is no draft';
  if (status !== 'held' && status !== 'written') return `The run is ${status}: there is no draft to decide about`;
  return revision === 0 ? 'The run has no draft yet' : undefined;
}
