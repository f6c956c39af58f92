// Break-glass over HTTP: a restricted chart is opened with a reason, and auditors list what was opened.
import { present } from '../../../domain/present.ts';
import type { BreakGlass } from '../../../flows/people/break-glass.ts';
import type { OpenedChart } from '../../../ports/opened-charts.ts';
import {
  breakGlassBody,
  type OpeningAnswer,
  type OpeningListAnswer,
  openingsQuery,
} from '../../../wire/break-glass.ts';
import { PAGE_SIZE } from '../../../wire/fields.ts';
import { validate } from '../body/validate.ts';
import { readOpsBody } from './ops-body.ts';
import { accessOf } from './ops-caller.ts';
import type { Handlers } from './ops-handlers.ts';
import { runIdOf } from './ops-runs.ts';

export function makeBreakGlassHandlers({ breakGlass }: { readonly breakGlass: BreakGlass }): Handlers<'open' | 'list'> {
  return {
    async open(req, res) {
      const id = runIdOf(req);
      const { reason } = validate(breakGlassBody, await readOpsBody(req, res));
      const { chart, isPrivacyTold } = await breakGlass.open({ id, reason, access: accessOf(res) });
      const answer: OpeningAnswer = { ...factsOf(chart), isPrivacyTold };
      res.status(201).json(answer);
    },

    async list(req, res) {
      const { limit = PAGE_SIZE.defaultLimit, cursor } = validate(openingsQuery, { ...req.query });
      const { charts, next } = await breakGlass.list(present({ scope: accessOf(res).scope, limit, cursor }));
      const openings = charts.map((chart) => ({ ...factsOf(chart), reason: chart.reason }));
      const answer: OpeningListAnswer = present({ openings, next });
      res.json(answer);
    },
  };
}

function factsOf({ id, run, site, actor, openedAt, endsAt }: OpenedChart) {
  return { id, run, site, actor, openedAt: openedAt.toISOString(), endsAt: endsAt.toISOString() };
}
