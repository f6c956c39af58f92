// Is there a draft of this run that a clinician can decide about?
import { AppError } from '../../domain/errors.ts';
import type { Run, RunReason } from '../../domain/run/run.ts';
import { isSignedWithoutReview } from '../../domain/site/signed-without-review.ts';
import type { SiteSettings } from '../../domain/site/site.ts';

/** What a clinician's word settles. Consent, what is sensitive and what is labelled is nothing that a look at the draft answers. */
const SETTLED: ReadonlySet<RunReason | undefined> = new Set<RunReason>([
  'review',
  'drafts',
  'unsupported',
  'coverage',
  'language',
]);

type Asked = {
  readonly settings: Pick<SiteSettings, 'write' | 'timeZone'>;
  readonly decision: 'approve' | 'edit' | 'reject';
  readonly now: Date;
};

/** Throws `conflict`. */
export function requireDraft(run: Run, asked: Asked): void {
  const why = whyNot(run, asked);
  if (why !== undefined) throw new AppError('conflict', why);
}

/** What stands in the chart is the last draft of a session: a decision about an earlier one would undo it. Throws `conflict`. */
export function requireNewest(run: Run, ofEncounter: readonly Run[]): void {
  const later = ofEncounter.findLast(
    // One that was cancelled leaves the earlier draft what it was.
    ({ session, serial, isDry, revision, status }) =>
      session === run.session && serial > run.serial && !isDry && revision > 0 && status !== 'cancelled',
  );
  if (later === undefined) return;
  const why = `A later run of this session made another draft: decide about that one (${later.id})`;
  throw new AppError('conflict', why);
}

function whyNot(run: Run, { settings, decision, now }: Asked): string | undefined {
  const { status, reason, review, revision } = run;
  if (status === 'parked' && reason === 'rejected') {
    // What a rejection could not take back yet is tried again.
    return decision === 'reject' ? undefined : 'This draft was rejected: replay the run to get another one';
  }
  if (status === 'parked' && reason === 'retract-by-hand' && decision === 'reject' && review === undefined)
    return undefined;
  // A decision is about one draft; one that came afterwards waits for another.
  if (review !== undefined && (status === 'written' || review.revision === revision))
    return `${review.reviewer} decided about this draft already (${review.decision})`;
  if (status === 'held' && !SETTLED.has(reason)) {
    return `The run is held for ${reason ?? 'another reason'}: that is nothing that a review settles`;
  }
  if (status === 'written' && isSignedWithoutReview(settings, now))
    return 'This site signs without a review: there is no draft';
  if (status !== 'held' && status !== 'written') return `The run is ${status}: there is no draft to decide about`;
  return revision === 0 ? 'The run has no draft yet' : undefined;
}
