// Runs over HTTP: list, view, start, replay and cancel.
import type { Request, RequestHandler, Response } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { OperateRuns } from '../../../flows/operations/operate-runs.ts';
import type { RunQuery } from '../../../ports/runs.ts';
import { PAGE_SIZE } from '../../../wire/fields.ts';
import { runId } from '../../../wire/ids.ts';
import { type RunListAnswer, runListQuery } from '../../../wire/run.ts';
import { replayBody, startBody } from '../../../wire/run-orders.ts';
import { runQuery } from '../../../wire/run-view.ts';
import { validate } from '../body/validate.ts';
import { watchClient } from '../server/client-signal.ts';
import { readOpsBody } from './ops-body.ts';
import { actorOf, callerOf } from './ops-caller.ts';
import { runAnswer, runViewAnswer } from './run-answer.ts';

export type RunHandlers = {
  readonly list: RequestHandler;
  readonly show: RequestHandler;
  readonly start: RequestHandler;
  readonly replay: RequestHandler;
  readonly cancel: RequestHandler;
};

export function makeRunHandlers({ operateRuns }: { readonly operateRuns: OperateRuns }): RunHandlers {
  return {
    async list(req, res) {
      const { limit = PAGE_SIZE.defaultLimit, ...given } = validate(runListQuery, { ...req.query });
      const filters = Object.entries(given).filter(([, value]) => value !== undefined);
      const query: RunQuery = { ...Object.fromEntries(filters), limit };
      const { runs, next } = await operateRuns.list(query);
      const answer: RunListAnswer = { runs: runs.map(runAnswer), ...(next !== undefined && { next }) };
      res.json(answer);
    },

    async show(req, res) {
      const id = runIdOf(req);
      const isBrief = validate(runQuery, { ...req.query }).brief === 'true';
      const caller = callerOf(res);
      const site = caller.kind === 'reviewer' ? { site: caller.reviewer.site } : {};
      res.json(runViewAnswer(await operateRuns.view({ id, isBrief, actor: actorOf(caller), ...site })));
    },

    start: (req, res) => start(operateRuns, req, res),

    async replay(req, res) {
      const id = runIdOf(req);
      const { from, dryRun = false } = validate(replayBody, await readOpsBody(req, res));
      res.status(202).json(await operateRuns.replay({ id, from, isDry: dryRun }));
    },

    async cancel(req, res) {
      res.status(202).json({ status: await operateRuns.cancel(runIdOf(req)) });
    },
  };
}

async function start(operateRuns: OperateRuns, req: Request, res: Response): Promise<void> {
  const { site, encounter, since, countOnly: isCountOnly = false } = validate(startBody, await readOpsBody(req, res));
  if (encounter !== undefined) {
    res.status(202).json(await operateRuns.start({ site, encounter }));
    return;
  }
  const client = watchClient(req, res);
  try {
    const order = { site, since: since ?? new Date(), isCountOnly };
    const started = await operateRuns.startSince(order, client.signal);
    res.status(isCountOnly ? 200 : 202).json(started);
  } finally {
    client.stop();
  }
}

/** An id with a wrong form is not searched for. */
export function runIdOf(req: Request): string {
  const { success, data } = runId.safeParse(req.params['id']);
  if (!success) throw new AppError('notFound', 'There is no run with this id');
  return data;
}
