// POST /ops/runs/{id}/review: a clinician's decision about a draft. The body or If-Match names the revision.
import type { Request, RequestHandler } from 'express';
import type { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import type { Caller } from '../../../domain/people/caller.ts';
import { present } from '../../../domain/present.ts';
import type { Decider, Decision, ReviewRun } from '../../../flows/reviews/review-run.ts';
import { reviewBody } from '../../../wire/review.ts';
import { MEBIBYTE } from '../body/sizes.ts';
import { validate } from '../body/validate.ts';
import { readOpsBody } from './ops-body.ts';
import { accessOf } from './ops-caller.ts';
import { runIdOf } from './ops-runs.ts';
import { runAnswer } from './run-answer.ts';

/** An edited note is longer than other requests, and JSON escapes make it longer still. */
const REVIEW_BODY_LIMITS = { limitBytes: MEBIBYTE, timeoutMs: 10_000 } as const;

export function makeReviewHandler({ reviewRun }: { readonly reviewRun: ReviewRun }): RequestHandler {
  return async (req, res) => {
    const id = runIdOf(req);
    const order = validate(reviewBody, await readOpsBody(req, res, REVIEW_BODY_LIMITS));
    const decision = decisionOf(order);
    const revision = revisionOf(req, order.revision);
    // A decision is completed even if the client disconnects.
    const { signal } = new AbortController();
    const access = accessOf(res);
    const takesOver = order.takeOver === true;
    const decider = deciderOf(access.caller);
    res.json(runAnswer(await reviewRun({ id, access, decider, decision, revision, takesOver }, signal)));
  };
}

/** The operator key decides as the operator, which only a site for trials accepts. */
export function deciderOf({ kind, actor, name, grants }: Caller): Decider {
  if (kind === 'bootstrap') return { kind: 'operator' };
  const signsAs = grants.flatMap(({ role, site, practitioner }) =>
    role === 'reviewer' && practitioner !== undefined ? [{ site, practitioner }] : [],
  );
  return { kind: 'clinician', actor, name, signsAs };
}

function decisionOf(order: z.output<typeof reviewBody>): Decision {
  const { decision, sections = {}, reason = '', category } = order;
  if (decision === 'edit') return { kind: decision, sections };
  if (decision === 'reject') return { kind: decision, reason, ...present({ category }) };
  if (decision === 'correct') return { kind: decision, instruction: reason, ...present({ category }) };
  return { kind: decision };
}

function revisionOf(req: Request, given: number | undefined): number | undefined {
  const match = req.headers['if-match'];
  if (match === undefined) return given;
  const [, named] = /^(?:W\/)?"?([1-9]\d{0,8})"?$/.exec(match.trim()) ?? [];
  if (named === undefined) throw new AppError('invalidRequest', 'If-Match must name one revision: If-Match: "1"');
  if (given !== undefined && given !== Number(named)) {
    throw new AppError('invalidRequest', 'If-Match and revision name different revisions');
  }
  return Number(named);
}
