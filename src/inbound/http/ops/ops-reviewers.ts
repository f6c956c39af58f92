import { AppError } from '../../../domain/errors.ts';
import { narrowed } from '../../../domain/people/role.ts';
import { present } from '../../../domain/present.ts';
import type { ManageReviewers } from '../../../flows/admin/manage-reviewers.ts';
import type { Reviewer } from '../../../ports/reviewers.ts';
import { type ReviewerListAnswer, reviewerBody, reviewerId, reviewerQuery } from '../../../wire/reviewers.ts';
import { validate } from '../body/validate.ts';
import { forClient } from '../server/client-signal.ts';
import { readOpsBody } from './ops-body.ts';
import { accessOf } from './ops-caller.ts';
import type { Handlers } from './ops-handlers.ts';

type ReviewerParts = { readonly manageReviewers: Pick<ManageReviewers, 'create' | 'list' | 'revoke'> };

export function makeReviewerHandlers({ manageReviewers }: ReviewerParts): Handlers<'create' | 'list' | 'revoke'> {
  return {
    async create(req, res) {
      const order = validate(reviewerBody, await readOpsBody(req, res));
      const created = await forClient(req, res, (signal) =>
        manageReviewers.create({ ...order, access: accessOf(res) }, signal),
      );
      const { reviewer, keyText, isChecked } = created;
      res.status(201).json({ ...reviewerAnswer(reviewer), isChecked, key: keyText });
    },

    async list(req, res) {
      const { site } = validate(reviewerQuery, { ...req.query });
      const reviewers = await manageReviewers.list(narrowed(accessOf(res).scope, site));
      const answer: ReviewerListAnswer = { reviewers: reviewers.map(reviewerAnswer) };
      res.json(answer);
    },

    async revoke(req, res) {
      const { success, data } = reviewerId.safeParse(req.params['id']);
      if (!success) throw new AppError('notFound', 'There is no reviewer with this id');
      await manageReviewers.revoke({ id: data, access: accessOf(res) });
      res.status(204).end();
    },
  };
}

function reviewerAnswer({ id, site, practitioner, name, createdAt, revokedAt }: Reviewer) {
  const times = { createdAt: createdAt.toISOString(), revokedAt: revokedAt?.toISOString() };
  return present({ id, site, practitioner, name, ...times });
}
