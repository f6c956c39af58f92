// A clinician's decision about a draft over HTTP. Which revision it is about comes in the body, or as If-Match.
import type { Request, RequestHandler } from 'express';
import type { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import type { Decision, ReviewRun } from '../../../flows/reviews/review-run.ts';
import { reviewBody } from '../../../wire/review.ts';
import { readJsonBody } from '../body/json-body.ts';
import { MEBIBYTE } from '../body/sizes.ts';
import { validate } from '../body/validate.ts';
import { watchClient } from '../server/client-signal.ts';
import { callerOf } from './ops-caller.ts';
import { runIdOf } from './ops-runs.ts';
import { runAnswer } from './run-answer.ts';

/** A note is longer than other orders; escaped, it is longer still. */
const REVIEW_BODY_LIMITS = { limitBytes: MEBIBYTE, timeoutMs: 10_000 } as const;

export function makeReviewHandler({ reviewRun }: { readonly reviewRun: ReviewRun }): RequestHandler {
  return async (req, res) => {
    const id = runIdOf(req);
    const client = watchClient(req, res);
    try {
      const order = validate(reviewBody, await readBody(req, client.signal));
      const decision = decisionOf(order);
      const revision = revisionOf(req, order.revision);
      // What is begun is brought to its end, whether somebody waits for it or not.
      const { signal } = new AbortController();
      res.json(runAnswer(await reviewRun({ id, decider: callerOf(res), decision, revision }, signal)));
    } finally {
      client.stop();
    }
  };
}

/** Without a body nothing is decided: then each field says for itself that it is required. */
function readBody(req: Request, signal: AbortSignal): unknown {
  const { 'transfer-encoding': encoding, 'content-length': length = '0' } = req.headers;
  if (encoding === undefined && length === '0') return {};
  return readJsonBody(req, { ...REVIEW_BODY_LIMITS, signal });
}

function decisionOf({ decision, sections = {}, reason = '' }: z.output<typeof reviewBody>): Decision {
  if (decision === 'edit') return { kind: decision, sections };
  return decision === 'reject' ? { kind: decision, reason } : { kind: decision };
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
