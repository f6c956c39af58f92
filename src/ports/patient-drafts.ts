// The drafts of one patient that wait for a decision, for cards in the EHR: one short query, while a clinician opens the chart.
import type { PatientDraft } from '../domain/cds/draft-card.ts';
import type { ReviewableReason } from '../domain/run/reviewable.ts';

export type PatientDraftQuery = {
  readonly site: string;
  /** `Patient/1` */
  readonly patient: string;
  /** `Encounter/2`: only of this visit. */
  readonly encounter?: string;
  /** Held runs with another reason are no drafts. */
  readonly reasons: readonly ReviewableReason[];
  /** False at a site that signs without a review: what is in the chart does not wait. */
  readonly withWritten: boolean;
  readonly limit: number;
};

/** Throws `overloaded`, `internal`. */
export type PatientDrafts = {
  /** RED first, then by the severity of their marks, then the oldest first. Only the newest draft of each session. */
  readonly list: (query: PatientDraftQuery) => Promise<readonly PatientDraft[]>;
};
