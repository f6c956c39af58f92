// Runs over HTTP: list, view, start, replay, cancel, retry and release.
import type { Request, Response } from 'express';
import { AppError } from '../../../domain/errors.ts';
import { present } from '../../../domain/present.ts';
import { evidenceView } from '../../../domain/run/evidence-view.ts';
import type { OperateRuns } from '../../../flows/operations/operate-runs.ts';
import type { ResumeRuns } from '../../../flows/operations/resume-runs.ts';
import { PAGE_SIZE } from '../../../wire/fields.ts';
import { runId } from '../../../wire/ids.ts';
import { type RunListAnswer, runListQuery } from '../../../wire/run.ts';
import type { EvidenceAnswer } from '../../../wire/run-evidence.ts';
import { releaseBody, replayBody, startBody } from '../../../wire/run-orders.ts';
import { runQuery } from '../../../wire/run-view.ts';
import { validate } from '../body/validate.ts';
import { forClient } from '../server/client-signal.ts';
import { readOpsBody } from './ops-body.ts';
import { accessOf } from './ops-caller.ts';
import type { Handlers } from './ops-handlers.ts';
import { runAnswer, runViewAnswer } from './run-answer.ts';

type RunHandlerParts = { readonly operateRuns: OperateRuns; readonly resumeRuns: ResumeRuns };
type RunActions = 'list' | 'show' | 'evidence' | 'start' | 'replay' | 'cancel' | 'retry' | 'release';

export function makeRunHandlers({ operateRuns, resumeRuns }: RunHandlerParts): Handlers<RunActions> {
  return {
    async list(req, res) {
      const query = validate(runListQuery, { ...req.query });
      const { limit = PAGE_SIZE.defaultLimit, replayed, looks, ...filters } = query;
      const more = { withReplayed: replayed === 'true', withLooks: looks === 'true' };
      const { runs, next } = await operateRuns.list({ scope: accessOf(res).runs, ...present(filters), ...more, limit });
      const answer: RunListAnswer = present({ runs: runs.map(runAnswer), next });
      res.json(answer);
    },

    async show(req, res) {
      const isBrief = validate(runQuery, { ...req.query }).brief === 'true';
      res.json(runViewAnswer(await operateRuns.view({ ...orderOf(req, res), isBrief })));
    },

    async evidence(req, res) {
      const { results = {} } = await operateRuns.view({ ...orderOf(req, res), isBrief: false });
      const answer: EvidenceAnswer = evidenceView(results);
      res.json(answer);
    },

    start: (req, res) => start(operateRuns, req, res),

    async replay(req, res) {
      const order = orderOf(req, res);
      const { from, dryRun = false } = validate(replayBody, await readOpsBody(req, res));
      res.status(202).json(await operateRuns.replay({ ...order, from, isDry: dryRun }));
    },

    async cancel(req, res) {
      res.status(202).json({ status: await operateRuns.cancel(orderOf(req, res)) });
    },

    async retry(req, res) {
      res.status(202).json(await resumeRuns.retry(orderOf(req, res)));
    },

    async release(req, res) {
      const order = orderOf(req, res);
      const { reason, wholeEncounter = false } = validate(releaseBody, await readOpsBody(req, res));
      res.json(runAnswer(await resumeRuns.release({ ...order, reason, isForEncounter: wholeEncounter })));
    },
  };
}

function orderOf(req: Request, res: Response) {
  return { id: runIdOf(req), access: accessOf(res) };
}

async function start(operateRuns: OperateRuns, req: Request, res: Response): Promise<void> {
  const { site, encounter, since, countOnly: isCountOnly = false } = validate(startBody, await readOpsBody(req, res));
  const access = accessOf(res);
  if (encounter !== undefined) {
    res.status(202).json(await operateRuns.start({ site, encounter, access }));
    return;
  }
  const order = { site, access, since: since ?? new Date(), isCountOnly };
  const started = await forClient(req, res, (signal) => operateRuns.startSince(order, signal));
  res.status(isCountOnly ? 200 : 202).json(started);
}

/** An id with a wrong form is not searched for. */
export function runIdOf(req: Request): string {
  const { success, data } = runId.safeParse(req.params['id']);
  if (!success) throw new AppError('notFound', 'There is no run with this id');
  return data;
}
