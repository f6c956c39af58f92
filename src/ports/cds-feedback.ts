// What clinicians did with cards: counted, without any text.
import type { CdsOutcome, CdsServiceId, OverrideReason } from '../domain/cds/cds-services.ts';

export type CardFeedback = {
  readonly site: string;
  readonly service: CdsServiceId;
  /** The uuid of the card. Feedback that comes again replaces the first. */
  readonly card: string;
  readonly outcome: CdsOutcome;
  readonly reason?: OverrideReason;
  /** As the EHR says. */
  readonly at: Date;
};

/** Throws `overloaded`, `internal`. */
export type CdsFeedback = {
  readonly record: (feedback: readonly CardFeedback[]) => Promise<void>;
  readonly counts: (site: string) => Promise<readonly FeedbackCount[]>;
};

export type FeedbackCount = Pick<CardFeedback, 'service' | 'outcome' | 'reason'> & { readonly count: number };
