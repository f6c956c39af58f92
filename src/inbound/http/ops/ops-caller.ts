// Identifies the caller of /ops: the operator, or a reviewer of one site. Any other caller gets 401 for every path below /ops, so that
// the answer does not reveal which paths exist.
import type { Request, RequestHandler, Response } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { ManageReviewers } from '../../../flows/admin/manage-reviewers.ts';
import type { Decider } from '../../../flows/reviews/review-run.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import { bearerOf } from '../server/bearer.ts';
import type { RefusedKeys } from './refused-keys.ts';

type CallerParts = {
  /** `runtime.digest` of the operator's key. */
  readonly operatorKeyDigest: Uint8Array;
  readonly manageReviewers: Pick<ManageReviewers, 'authenticate'>;
  readonly runtime: Pick<Runtime, 'digest' | 'isSameDigest'>;
  readonly refusedKeys: RefusedKeys;
};

/** The paths that a reviewer may use: the drafts of the site, one run with its evidence, and the decision about it. */
const RUN_PATH = /^\/runs(?:\/Run)?\/[0-9A-Fa-f-]{36}(?:\/evidence|(\/review))?\/?$/;

/** Throws `unauthorized`, `authThrottled`. After it, `callerOf` returns the caller. */
export function identifyCaller({
  operatorKeyDigest,
  manageReviewers,
  runtime,
  refusedKeys,
}: CallerParts): RequestHandler {
  return async (req, res, next) => {
    res.setHeader('cache-control', 'no-store');
    const key = bearerOf(req);
    const caller = runtime.isSameDigest(runtime.digest(key), operatorKeyDigest)
      ? ({ kind: 'operator' } as const)
      : await reviewerOf(manageReviewers, req, key);
    if (caller === undefined) {
      if (key !== '') await refusedKeys.note(req.ip ?? '', '/ops');
      throw new AppError(
        'unauthorized',
        'The operator key is missing or wrong: send Authorization: Bearer <operator key>',
      );
    }
    res.locals['caller'] = caller;
    next();
  };
}

export function callerOf(res: Response): Decider {
  return res.locals['caller'];
}

/** Names the caller for the audit trail. */
export function actorOf(caller: Decider): string {
  return caller.kind === 'operator' ? 'operator' : `reviewer/${caller.reviewer.id}`;
}

async function reviewerOf(
  manageReviewers: CallerParts['manageReviewers'],
  req: Request,
  key: string,
): Promise<Decider | undefined> {
  const isList = /^\/reviews\/?$/.test(req.path);
  const [path, review] = isList ? [req.path] : (RUN_PATH.exec(req.path) ?? []);
  const isTheirs = path !== undefined && (review === undefined ? ['GET', 'HEAD'] : ['POST']).includes(req.method);
  if (!isTheirs || !key.startsWith('rv_')) return undefined;
  const reviewer = await manageReviewers.authenticate(key);
  return reviewer && { kind: 'reviewer', reviewer };
}
