// Which held runs a clinician can decide about.
import type { RunReason } from './run.ts';

/** Reasons that a review can resolve. Consent, sensitive encounters and labels cannot be decided by reading the draft. */
export const REVIEWABLE_REASONS = [
  'review',
  'drafts',
  'unsupported',
  'coverage',
  'language',
] as const satisfies readonly RunReason[];
export type ReviewableReason = (typeof REVIEWABLE_REASONS)[number];

export function isReviewable(reason: RunReason | undefined): boolean {
  return REVIEWABLE_REASONS.some((one) => one === reason);
}
