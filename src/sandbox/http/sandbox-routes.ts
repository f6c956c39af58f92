// The sandbox over HTTP: its visits, their charts, and its drills.
import type { Request, Response } from 'express';
import { AppError } from '../../domain/errors.ts';
import { validate } from '../../inbound/http/body/validate.ts';
import { readOpsBody } from '../../inbound/http/ops/ops-body.ts';
import { accessOf } from '../../inbound/http/ops/ops-caller.ts';
import type { OpsRoutes } from '../../inbound/http/ops/ops-routes.ts';
import {
  comeAgainBody,
  type DrillAnswer,
  type DrillUnderWayAnswer,
  drillPath,
  type OpenedChartAnswer,
  openChartBody,
  type VisitAnswer,
  visitPath,
} from '../../wire/sandbox.ts';
import type { OperateSandbox, OperateSandboxAs } from '../operate-sandbox.ts';
import type { Drill, DrillUnderWay, SandboxVisit } from '../sandbox-model.ts';

/** Paths below /ops. All of them throw what `OperateSandbox` throws. */
export function makeSandboxRoutes(operate: OperateSandboxAs): OpsRoutes {
  const as = (res: Response): OperateSandbox => operate(accessOf(res));
  const visit = '/sandbox/visits{/Encounter}/:name';
  return {
    '/sandbox': {
      GET: (_req, res) => {
        const { baseUrl, visits } = as(res).overview();
        res.json({ baseUrl, visits: visits.map(visitAnswer) });
      },
    },
    '/sandbox/visits': {
      POST: async (req, res) => {
        const { story } = validate(comeAgainBody, await readOpsBody(req, res));
        res.status(201).json(visitAnswer(await as(res).comeAgain(story)));
      },
    },
    [visit]: { GET: (req, res) => answer(res, as(res).visit(visitOf(req))) },
    [`${visit}/finish`]: { POST: async (req, res) => answer(res, await as(res).finish(visitOf(req))) },
    [`${visit}/open`]: {
      POST: async (req, res) => {
        const { practitioner } = validate(openChartBody, await readOpsBody(req, res));
        const { visit: opened, cards, ...rest } = await as(res).openChart(visitOf(req), practitioner);
        res.json({ visit: visitAnswer(opened), cards: [...cards], ...rest } satisfies OpenedChartAnswer);
      },
    },
    [`${visit}/cancel`]: { POST: async (req, res) => answer(res, await as(res).cancel(visitOf(req))) },
    [`${visit}/merge`]: {
      POST: async (req, res) => {
        const { survivor, ...merged } = await as(res).merge(visitOf(req));
        res.json({ ...visitAnswer(merged), survivor });
      },
    },
    [`${visit}/move`]: { POST: async (req, res) => answer(res, await as(res).move(visitOf(req))) },
    [`${visit}/late-recording`]: { POST: async (req, res) => answer(res, await as(res).addRecording(visitOf(req))) },
    [`${visit}/chart`]: { GET: async (req, res) => void res.json(await as(res).chart(visitOf(req))) },
    '/sandbox/reset': { POST: async (_req, res) => void res.json(await as(res).reset()) },
    ...drillRoutes(as),
  };
}

function drillRoutes(as: (res: Response) => OperateSandbox): OpsRoutes {
  return {
    '/sandbox/drills': {
      GET: (_req, res) => {
        const { drills, underWay } = as(res).drills();
        res.json({
          drills: drills.map(drillAnswer),
          ...(underWay !== undefined && { underWay: underWayAnswer(underWay) }),
        });
      },
    },
    '/sandbox/drills/:name': {
      POST: async (req, res) => void res.status(202).json(underWayAnswer(await as(res).startDrill(drillOf(req)))),
    },
    '/sandbox/drill': {
      DELETE: async (_req, res) => {
        await as(res).endDrill();
        res.status(204).end();
      },
    },
  };
}

function answer(res: Response, visit: SandboxVisit): void {
  res.json(visitAnswer(visit));
}

/** A text that cannot be a name is answered like an unknown name. */
function visitOf(req: Request): string {
  const { success, data } = visitPath.safeParse(req.params);
  if (!success) throw new AppError('notFound', 'There is no such encounter in the sandbox');
  return data.name;
}

function drillOf(req: Request): string {
  const { success, data } = drillPath.safeParse(req.params);
  if (!success) throw new AppError('notFound', 'There is no such drill');
  return data.name;
}

function visitAnswer({ trap, ...visit }: SandboxVisit): VisitAnswer {
  const { name, story, encounter, patient, language, care, reason, status, recordings } = visit;
  const fields = { name, story, encounter, patient, language, care, reason, status, recordings };
  return { ...fields, ...(trap !== undefined && { trap }) };
}

function drillAnswer({ name, title, lookFor, promise, maxSeconds, unavailable }: Drill): DrillAnswer {
  const { status, reason, resources } = promise;
  return {
    name,
    title,
    lookFor: [...lookFor],
    promise: { status, ...(reason !== undefined && { reason }), ...(resources && { resources: { ...resources } }) },
    maxSeconds,
    ...(unavailable !== undefined && { unavailable }),
  };
}

function underWayAnswer({ drill, visit, startedAt, endsAt }: DrillUnderWay): DrillUnderWayAnswer {
  return {
    drill: drillAnswer(drill),
    visit: visitAnswer(visit),
    startedAt: startedAt.toISOString(),
    endsAt: endsAt.toISOString(),
  };
}
