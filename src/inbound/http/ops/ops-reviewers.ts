// Accounts of reviewers over HTTP. Only the answer that creates an account contains its key.
import type { RequestHandler } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { ManageReviewers } from '../../../flows/admin/manage-reviewers.ts';
import type { Reviewer } from '../../../ports/reviewers.ts';
import { type ReviewerListAnswer, reviewerBody, reviewerId, reviewerQuery } from '../../../wire/reviewers.ts';
import { validate } from '../body/validate.ts';
import { watchClient } from '../server/client-signal.ts';
import { readOpsBody } from './ops-body.ts';

export type ReviewerHandlers = {
  readonly create: RequestHandler;
  readonly list: RequestHandler;
  readonly revoke: RequestHandler;
};

type ReviewerParts = { readonly manageReviewers: Pick<ManageReviewers, 'create' | 'list' | 'revoke'> };

export function makeReviewerHandlers({ manageReviewers }: ReviewerParts): ReviewerHandlers {
  return {
    async create(req, res) {
      const order = validate(reviewerBody, await readOpsBody(req, res));
      const client = watchClient(req, res);
      try {
        const { reviewer, keyText, isChecked } = await manageReviewers.create(order, client.signal);
        res.status(201).json({ ...reviewerAnswer(reviewer), isChecked, key: keyText });
      } finally {
        client.stop();
      }
    },

    async list(req, res) {
      const { site } = validate(reviewerQuery, { ...req.query });
      const reviewers = await manageReviewers.list(site);
      const answer: ReviewerListAnswer = { reviewers: reviewers.map(reviewerAnswer) };
      res.json(answer);
    },

    async revoke(req, res) {
      const { success, data } = reviewerId.safeParse(req.params['id']);
      if (!success) throw new AppError('notFound', 'There is no reviewer with this id');
      await manageReviewers.revoke(data);
      res.status(204).end();
    },
  };
}

function reviewerAnswer({ id, site, practitioner, name, createdAt, revokedAt }: Reviewer) {
  return {
    id,
    site,
    practitioner,
    name,
    createdAt: createdAt.toISOString(),
    ...(revokedAt !== undefined && { revokedAt: revokedAt.toISOString() }),
  };
}
