// What was decided about drafts: for the clinician who signed, and as figures for quality reports. Decisions are stored with the runs.
import type { WrittenDocument } from '../domain/chart/chart-write.ts';
import type { SiteScope } from '../domain/people/role.ts';
import type { DraftDecisionKind, RejectCategory } from '../domain/run/draft-decision.ts';
import type { Run, RunStatus } from '../domain/run/run.ts';

export type SignedDraft = Pick<Run, 'site' | 'encounter' | 'patient'> & {
  readonly run: string;
  readonly decision: Extract<DraftDecisionKind, 'approve' | 'edit'>;
  readonly revision: number;
  readonly noteType: string;
  readonly decidedAt: Date;
  /** Of the run as it is now. */
  readonly status: RunStatus;
  readonly resources: readonly WrittenDocument[];
};

/** Who signs at a site. */
export type Signer = { readonly site: string; readonly practitioner: string };

export type SignedQuery = {
  readonly signers: readonly Signer[];
  /** `Encounter/2` */
  readonly encounter?: string;
  readonly limit: number;
  readonly cursor?: string;
};

export type FiguresQuery = { readonly scope: SiteScope; readonly from?: Date; readonly to?: Date };

/** Of the sections of drafts that were signed. */
export type ChangeFigures = {
  readonly noteType: string;
  readonly section: string;
  readonly count: number;
  /** The median of the characters that were inserted and deleted, as a share of all that were there before or after: 0 to 1. */
  readonly medianShareChanged: number;
  /** The share that was signed without a change: 0 to 1. */
  readonly shareUnchanged: number;
};

export type DecisionFigures = {
  readonly noteType: string;
  readonly decisions: Readonly<Record<DraftDecisionKind, number>>;
};

export type ReviewFigures = {
  readonly noteTypes: readonly DecisionFigures[];
  readonly sections: readonly ChangeFigures[];
  /** Of rejections and corrections; without a category they are not counted here. */
  readonly categories: readonly { readonly category: RejectCategory; readonly count: number }[];
};

/** Throws `overloaded`, `internal`. */
export type DraftDecisions = {
  /** The newest first. */
  readonly signed: (query: SignedQuery) => Promise<{ readonly signed: readonly SignedDraft[]; readonly next?: string }>;
  readonly figures: (query: FiguresQuery) => Promise<ReviewFigures>;
};
