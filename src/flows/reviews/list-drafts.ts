// Lists the drafts that wait for the decision of a clinician, held in the engine or unsigned in the chart, and what a clinician has signed. Both
// come from the database alone: no result is opened.
import type { Access } from '../../domain/people/caller.ts';
import { narrowed } from '../../domain/people/role.ts';
import { present } from '../../domain/present.ts';
import { REVIEWABLE_REASONS, type ReviewableReason } from '../../domain/run/reviewable.ts';
import type { DraftDecisions, FiguresQuery, ReviewFigures, SignedDraft } from '../../ports/draft-decisions.ts';
import type { DraftQuery, Drafts, WaitingDraft } from '../../ports/drafts.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import { draftPlaces } from './draft-scope.ts';

export type DraftFilter = {
  readonly site?: string;
  readonly reason?: ReviewableReason;
  readonly isUrgent?: boolean;
  readonly claimed?: 'me' | 'free' | 'any';
};

type Page = { readonly limit: number; readonly cursor?: string };
type DraftsOrder = DraftFilter & Page & { readonly access: Access };

/** Throws `invalidRequest` for a wrong cursor. */
export type ListDrafts = {
  /** RED first, then by the severity of the marks, then the oldest first. */
  readonly waiting: (
    order: DraftsOrder,
  ) => Promise<{ readonly drafts: readonly WaitingDraft[]; readonly next?: string }>;
  /** What the caller has signed, the newest first. */
  readonly signed: (
    order: Page & { readonly access: Access; readonly site?: string },
  ) => Promise<{ readonly signed: readonly SignedDraft[]; readonly next?: string }>;
  readonly figures: (query: FiguresQuery) => Promise<ReviewFigures>;
};

type ListParts = {
  readonly drafts: Pick<Drafts, 'list'>;
  readonly draftDecisions: DraftDecisions;
  readonly sites: Pick<Sites, 'current'>;
  readonly runtime: Pick<Runtime, 'now'>;
};

export function makeListDrafts(parts: ListParts): ListDrafts {
  const { drafts, draftDecisions } = parts;
  return {
    waiting: ({ limit, cursor, ...order }) =>
      drafts.list({ ...draftQuery(parts, order), limit, ...present({ cursor }) }),

    signed: ({ access, site, limit, cursor }) => {
      const { grants, kind, opened } = access.caller;
      const own = grants.flatMap(({ role, site: at, practitioner }) =>
        role === 'reviewer' && practitioner !== undefined ? [{ site: at, practitioner }] : [],
      );
      // The operator signs only at sites for trials, in the name of the site.
      const names = [...parts.sites.current().sites.keys()];
      const asOperator = names.map((at) => ({ site: at, practitioner: `Practitioner/${at}` }));
      const signers = (kind === 'bootstrap' ? asOperator : own).filter(
        (one) => site === undefined || one.site === site,
      );
      const encounter = opened?.encounter;
      return draftDecisions.signed({ signers, limit, ...present({ encounter, cursor }) });
    },

    figures: (query) => draftDecisions.figures(query),
  };
}

/** The part of a query that follows from who asks, and for what. */
export function draftQuery(
  { sites, runtime }: Pick<ListParts, 'sites' | 'runtime'>,
  { access, site, reason, isUrgent, claimed = 'any' }: DraftFilter & { readonly access: Access },
): Omit<DraftQuery, 'limit' | 'cursor'> {
  const { caller, scope } = access;
  const places = draftPlaces(narrowed(scope, site), sites.current(), runtime.now());
  const who = claimed === 'me' ? { by: caller.actor } : claimed;
  return {
    // A draft in the chart is held for no reason.
    places: places.filter(({ status }) => reason === undefined || status === 'held'),
    reasons: reason === undefined ? REVIEWABLE_REASONS : [reason],
    ...(who !== 'any' && { claimed: who }),
    ...present({ isUrgent, encounter: caller.opened?.encounter }),
  };
}
