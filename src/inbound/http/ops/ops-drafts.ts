// GET /ops/reviews: the drafts that wait for a decision, for the reviewer of a site. The operator names the site.
import type { RequestHandler } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { ListDrafts } from '../../../flows/reviews/list-drafts.ts';
import { PAGE_SIZE } from '../../../wire/fields.ts';
import { draftsQuery } from '../../../wire/review.ts';
import type { RunListAnswer } from '../../../wire/run.ts';
import { validate } from '../body/validate.ts';
import { accessOf } from './ops-caller.ts';
import { runAnswer } from './run-answer.ts';

export function makeDraftsHandler({ listDrafts }: { readonly listDrafts: ListDrafts }): RequestHandler {
  return async (req, res) => {
    const { site: named, limit = PAGE_SIZE.defaultLimit } = validate(draftsQuery, { ...req.query });
    const { scope } = accessOf(res);
    const [own] = scope === 'all' ? [] : scope;
    // A reviewer learns nothing of other sites, whatever the request names.
    const site = scope === 'all' || scope.length > 1 ? named : own;
    if (site === undefined) throw new AppError('invalidRequest', 'site is required with the operator key');
    const runs = await listDrafts({ site, limit });
    const answer: RunListAnswer = { runs: runs.slice(0, limit).map(runAnswer) };
    res.json(answer);
  };
}
