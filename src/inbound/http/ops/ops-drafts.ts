// GET /ops/reviews: the drafts that wait for a decision, for the reviewer of a site. The operator names the site.
import type { RequestHandler } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { RunScope } from '../../../domain/people/role.ts';
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
    const { runs: held } = accessOf(res);
    if (held === 'all' && named === undefined) {
      throw new AppError('invalidRequest', 'site is required with the operator key');
    }
    const runs = await listDrafts({ scope: scopeNamed(held, named), limit });
    const answer: RunListAnswer = { runs: runs.slice(0, limit).map(runAnswer) };
    res.json(answer);
  };
}

/** A reviewer learns nothing of other sites, whatever the request names. */
function scopeNamed(held: RunScope, named: string | undefined): RunScope {
  if (named === undefined) return held;
  if (held === 'all') return { sites: [named] };
  const isOneOfSeveral = held.sites.length > 1;
  return isOneOfSeveral ? { ...held, sites: held.sites.filter((site) => site === named) } : held;
}
