// A reviewer's work over HTTP: the drafts that wait, claims, what was signed, and the figures of edits.
import type { RequestHandler, Response } from 'express';
import { narrowed } from '../../../domain/people/role.ts';
import { present } from '../../../domain/present.ts';
import type { Run } from '../../../domain/run/run.ts';
import type { ClaimDrafts } from '../../../flows/reviews/claim-drafts.ts';
import type { ListDrafts } from '../../../flows/reviews/list-drafts.ts';
import type { ReviewFigures, SignedDraft } from '../../../ports/draft-decisions.ts';
import type { DraftClaim, WaitingDraft } from '../../../ports/drafts.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import {
  type ClaimAnswer,
  claimBody,
  type DraftListAnswer,
  delegateBody,
  draftsQuery,
  type NextDraftAnswer,
  nextDraftBody,
  type ReleasedAnswer,
  type ReviewFiguresAnswer,
  reviewFiguresQuery,
  type SignedAnswer,
  signedQuery,
} from '../../../wire/drafts.ts';
import { PAGE_SIZE } from '../../../wire/fields.ts';
import { validate } from '../body/validate.ts';
import { readOpsBody } from './ops-body.ts';
import { accessOf, callerOf } from './ops-caller.ts';
import type { Handlers } from './ops-handlers.ts';
import { runIdOf } from './ops-runs.ts';
import { runAnswer } from './run-answer.ts';

export type DraftHandlerParts = {
  readonly listDrafts: ListDrafts;
  readonly claimDrafts: ClaimDrafts;
  readonly runtime: Pick<Runtime, 'now'>;
};
type DraftActions = 'list' | 'next' | 'signed' | 'figures' | 'claim' | 'release' | 'delegate';

export function makeDraftHandlers({ listDrafts, claimDrafts, runtime }: DraftHandlerParts): Handlers<DraftActions> {
  return {
    async list(req, res) {
      const { urgent, limit = PAGE_SIZE.defaultLimit, ...filters } = validate(draftsQuery, { ...req.query });
      const order = { ...present(filters), isUrgent: urgent === 'true', limit, access: accessOf(res) };
      const { drafts, next } = await listDrafts.waiting(order);
      const answer: DraftListAnswer = present({
        runs: drafts.map((draft) => draftAnswer(draft, callerOf(res).actor, runtime.now())),
        next,
      });
      res.json(answer);
    },

    async next(req, res) {
      const { urgent = false, ...filters } = validate(nextDraftBody, await readOpsBody(req, res));
      const order = { ...present(filters), isUrgent: urgent, access: accessOf(res) };
      const draft = await claimDrafts.next(order);
      const answer: NextDraftAnswer =
        draft === undefined ? {} : { run: draftAnswer(draft, callerOf(res).actor, runtime.now()) };
      res.json(answer);
    },

    async signed(req, res) {
      const { limit = PAGE_SIZE.defaultLimit, ...query } = validate(signedQuery, { ...req.query });
      const { signed, next } = await listDrafts.signed({ ...present(query), limit, access: accessOf(res) });
      const answer: SignedAnswer = present({ signed: signed.map(signedAnswer), next });
      res.json(answer);
    },

    async figures(req, res) {
      const { site, ...period } = validate(reviewFiguresQuery, { ...req.query });
      const scope = narrowed(accessOf(res).scope, site);
      const answer = figuresAnswer(await listDrafts.figures({ scope, ...present(period) }));
      res.json(answer);
    },

    async claim(req, res) {
      const { takeOver = false } = validate(claimBody, await readOpsBody(req, res));
      const order = { id: runIdOf(req), access: accessOf(res), takesOver: takeOver };
      res.json(heldAnswer(order.id, await claimDrafts.claim(order), res));
    },

    async release(req, res) {
      const answer: ReleasedAnswer = {
        released: await claimDrafts.release({ id: runIdOf(req), access: accessOf(res) }),
      };
      res.json(answer);
    },

    async delegate(req, res) {
      const { to, takeOver = false } = validate(delegateBody, await readOpsBody(req, res));
      const order = { id: runIdOf(req), access: accessOf(res), takesOver: takeOver, to };
      res.json(heldAnswer(order.id, await claimDrafts.delegate(order), res));
    },
  };
}

/** Who reads a draft works on it: the reader's claim lasts longer. A claim that cannot be renewed now must not cost the reader the draft. */
export function keepingClaim(
  { claimDrafts }: Pick<DraftHandlerParts, 'claimDrafts'>,
  handle: RequestHandler,
): RequestHandler {
  return async (req, res, next) => {
    await handle(req, res, next);
    await claimDrafts.keep({ id: runIdOf(req), actor: callerOf(res).actor }).catch(() => undefined);
  };
}

function heldAnswer(run: Run['id'], claim: DraftClaim, res: Response): ClaimAnswer {
  return { run, claim: claimAnswer(claim, callerOf(res).actor) };
}

function draftAnswer({ run, claim }: WaitingDraft, actor: string, now: Date): DraftListAnswer['runs'][number] {
  const ageSeconds = Math.max(0, Math.floor((now.getTime() - run.createdAt.getTime()) / 1_000));
  return { ...runAnswer(run), draft: { ...run.draft, ageSeconds, ...(claim && { claim: claimAnswer(claim, actor) }) } };
}

function claimAnswer(
  { holder, name, claimedAt, endsAt, delegatedBy }: DraftClaim,
  actor: string,
): ClaimAnswer['claim'] {
  const times = { since: claimedAt.toISOString(), until: endsAt.toISOString() };
  return { by: name, isMine: holder === actor, ...times, isDelegated: delegatedBy !== undefined };
}

function signedAnswer({ decidedAt, ...signed }: SignedDraft): SignedAnswer['signed'][number] {
  return { ...signed, signedAt: decidedAt.toISOString() };
}

function figuresAnswer({ noteTypes, ...figures }: ReviewFigures): ReviewFiguresAnswer {
  return {
    ...figures,
    noteTypes: noteTypes.map(({ noteType, decisions }) => {
      const { approve, edit, reject } = decisions;
      const shareApprovedUnchanged = approve / Math.max(approve + edit + reject, 1);
      return { noteType, decisions, shareApprovedUnchanged };
    }),
  };
}
