// The hospital in a laptop over HTTP: its visits, their charts, and its bad days.
import type { Request, RequestHandler, Response } from 'express';
import { AppError } from '../../domain/errors.ts';
import { validate } from '../../inbound/http/api/schemas.ts';
import { readOpsBody } from '../../inbound/http/ops/ops-body.ts';
import type { OperateSandbox } from '../operate-sandbox.ts';
import type { Drill, DrillUnderWay, SandboxVisit } from '../sandbox-model.ts';
import {
  comeAgainBody,
  type DrillAnswer,
  type DrillUnderWayAnswer,
  drillPath,
  type VisitAnswer,
  visitPath,
} from './sandbox-schemas.ts';

export type SandboxHandlers = {
  readonly overview: RequestHandler;
  readonly comeAgain: RequestHandler;
  readonly visit: RequestHandler;
  readonly finish: RequestHandler;
  readonly cancel: RequestHandler;
  readonly merge: RequestHandler;
  readonly addRecording: RequestHandler;
  readonly chart: RequestHandler;
  readonly reset: RequestHandler;
  readonly drills: RequestHandler;
  readonly startDrill: RequestHandler;
  readonly endDrill: RequestHandler;
};

export function makeSandboxHandlers({
  operateSandbox: sandbox,
}: {
  readonly operateSandbox: OperateSandbox;
}): SandboxHandlers {
  return {
    overview(_req, res) {
      const { baseUrl, visits } = sandbox.overview();
      res.json({ baseUrl, visits: visits.map(visitAnswer) });
    },

    async comeAgain(req, res) {
      const { story } = validate(comeAgainBody, await readOpsBody(req, res));
      res.status(201).json(visitAnswer(await sandbox.comeAgain(story)));
    },

    visit: (req, res) => void res.json(visitAnswer(sandbox.visit(visitOf(req)))),
    finish: async (req, res) => answer(res, await sandbox.finish(visitOf(req))),
    cancel: async (req, res) => answer(res, await sandbox.cancel(visitOf(req))),
    addRecording: async (req, res) => answer(res, await sandbox.addRecording(visitOf(req))),

    async merge(req, res) {
      const { survivor, ...visit } = await sandbox.merge(visitOf(req));
      res.json({ ...visitAnswer(visit), survivor });
    },

    chart: async (req, res) => void res.json(await sandbox.chart(visitOf(req))),
    reset: async (_req, res) => void res.json(await sandbox.reset()),

    drills(_req, res) {
      const { drills, underWay } = sandbox.drills();
      res.json({
        drills: drills.map(drillAnswer),
        ...(underWay !== undefined && { underWay: underWayAnswer(underWay) }),
      });
    },

    startDrill: async (req, res) => void res.status(202).json(underWayAnswer(await sandbox.startDrill(drillOf(req)))),

    async endDrill(_req, res) {
      await sandbox.endDrill();
      res.status(204).end();
    },
  };
}

function answer(res: Response, visit: SandboxVisit): void {
  res.json(visitAnswer(visit));
}

/** What cannot be a name is not looked for. */
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
  const told = { name, story, encounter, patient, language, care, reason, status, recordings };
  return { ...told, ...(trap !== undefined && { trap }) };
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
