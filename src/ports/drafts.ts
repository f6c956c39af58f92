// The drafts that wait for the decision of a clinician, and who has claimed them.
import type { ReviewableReason } from '../domain/run/reviewable.ts';
import type { Run } from '../domain/run/run.ts';

/** A claim says who works on a draft. It locks no one out, and ends by itself. */
export type DraftClaim = {
  /** The name in the audit trail: `person/<id>`, `reviewer/<id>`. */
  readonly holder: string;
  /** The name that people see. */
  readonly name: string;
  readonly claimedAt: Date;
  readonly endsAt: Date;
  /** Who handed the draft to the holder. */
  readonly delegatedBy?: string;
};

export type WaitingDraft = { readonly run: Run; readonly claim?: DraftClaim };

/** The runs of a site that can be drafts: those that are held, and those that are in the chart unsigned. */
export type DraftPlace = { readonly site: string; readonly status: 'held' | 'written' };

export type DraftQuery = {
  /** Nothing of another place is read. */
  readonly places: readonly DraftPlace[];
  /** Held runs with another reason are no drafts. */
  readonly reasons: readonly ReviewableReason[];
  /** `Encounter/2` */
  readonly encounter?: string;
  /** Only with a RED triage, or of an urgent encounter. */
  readonly isUrgent?: boolean;
  /** By this holder, by no one. Absent: whether or not. */
  readonly claimed?: { readonly by: string } | 'free';
  readonly limit: number;
  readonly cursor?: string;
};

export type Claimant = Pick<DraftClaim, 'holder' | 'name'>;

export type ClaimOrder = Claimant & {
  readonly run: string;
  readonly site: string;
  readonly lastsMs: number;
  /** Ends the claim of another holder. */
  readonly takesOver: boolean;
  readonly delegatedBy?: string;
};

/** The clock is that of the database, unless the adapter was made with another one. Throws `overloaded`, `internal`. */
export type Drafts = {
  /** RED first, then by the severity of their marks, then the oldest first. Only the newest draft of each session. */
  readonly list: (query: DraftQuery) => Promise<{ readonly drafts: readonly WaitingDraft[]; readonly next?: string }>;
  /** The claim that has not ended. */
  readonly findClaim: (run: string) => Promise<DraftClaim | undefined>;
  /** Returns the claim that the draft has now: another holder's, if that one has not ended and was not taken over. */
  readonly claim: (order: ClaimOrder) => Promise<DraftClaim>;
  /** Lets the claim of this holder last for this time from now on, if there is one. */
  readonly keep: (order: { readonly run: string; readonly holder: string; readonly lastsMs: number }) => Promise<void>;
  /** False if there was none. Without a holder whosever it is. */
  readonly release: (run: string, holder?: string) => Promise<boolean>;
};
