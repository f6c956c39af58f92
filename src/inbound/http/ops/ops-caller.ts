// Who asks at /ops: the operator, or a clinician who decides about the drafts of one site. Nothing behind it is told to anyone else, not
// even which addresses there are.
import type { Request, RequestHandler, Response } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { ManageReviewers } from '../../../flows/admin/manage-reviewers.ts';
import type { Decider } from '../../../flows/reviews/review-run.ts';
import type { Runtime } from '../../../ports/runtime.ts';

type CallerParts = {
  /** Made of the operator's key by `runtime.digest`. */
  readonly operatorKeyDigest: Uint8Array;
  readonly manageReviewers: Pick<ManageReviewers, 'authenticate'>;
  readonly runtime: Pick<Runtime, 'digest' | 'isSameDigest'>;
};

/** What is a reviewer's: to look at one run, and to decide about it. */
const RUN_PATH = /^\/runs(?:\/Run)?\/[0-9A-Fa-f-]{36}(\/review)?\/?$/;

/** Throws `unauthorized`; behind it `callerOf` says who it is. */
export function identifyCaller({ operatorKeyDigest, manageReviewers, runtime }: CallerParts): RequestHandler {
  return async (req, res, next) => {
    res.setHeader('cache-control', 'no-store');
    const key = bearerOf(req);
    const caller = runtime.isSameDigest(runtime.digest(key), operatorKeyDigest)
      ? ({ kind: 'operator' } as const)
      : await reviewerOf(manageReviewers, req, key);
    if (caller === undefined) {
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

/** As the audit trail has it. */
export function actorOf(caller: Decider): string {
  return caller.kind === 'operator' ? 'operator' : `reviewer/${caller.reviewer.id}`;
}

/** Two such headers are no identity: which of them counts would depend on what stands in front. */
function bearerOf(req: Request): string {
  const given = req.headersDistinct['authorization'] ?? [];
  const [, key = ''] = /^bearer +([\x21-\x7e]+) *$/i.exec(given.length === 1 ? (given[0] ?? '') : '') ?? [];
  return key;
}

async function reviewerOf(
  manageReviewers: CallerParts['manageReviewers'],
  req: Request,
  key: string,
): Promise<Decider | undefined> {
  const [path, review] = RUN_PATH.exec(req.path) ?? [];
  const isTheirs = path !== undefined && (review === undefined ? ['GET', 'HEAD'] : ['POST']).includes(req.method);
  if (!isTheirs || !key.startsWith('rv_')) return undefined;
  const reviewer = await manageReviewers.authenticate(key);
  return reviewer && { kind: 'reviewer', reviewer };
}
