// The operator's door: keys, plans, usage, sites, runs, the audit trail and the sandbox. Nothing behind it is told to anyone without a key of
// the operator's or a reviewer's, not even which addresses there are.
import { type RequestHandler, Router } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { ManageKeys } from '../../../flows/admin/manage-keys.ts';
import type { ManagePlans } from '../../../flows/admin/manage-plans.ts';
import type { ManageReviewers } from '../../../flows/admin/manage-reviewers.ts';
import type { ReportUsage } from '../../../flows/admin/report-usage.ts';
import type { ExplainEncounter } from '../../../flows/operations/explain-encounter.ts';
import type { ListAside } from '../../../flows/operations/list-aside.ts';
import type { OperateRuns } from '../../../flows/operations/operate-runs.ts';
import type { OperateSandbox } from '../../../flows/operations/operate-sandbox.ts';
import type { PauseSite } from '../../../flows/operations/pause-site.ts';
import type { ReadAudit } from '../../../flows/operations/read-audit.ts';
import type { RecallRuns } from '../../../flows/operations/recall-runs.ts';
import type { ReviewRun } from '../../../flows/reviews/review-run.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import { validate } from '../api/schemas.ts';
import { makeAsideHandler } from './ops-aside.ts';
import { makeAuditHandlers } from './ops-audit.ts';
import { readOpsBody } from './ops-body.ts';
import { identifyCaller } from './ops-caller.ts';
import { makeEventsHandler } from './ops-events-stream.ts';
import { makeExplainHandler } from './ops-explain.ts';
import { makeKeyHandlers } from './ops-keys.ts';
import { makePauseHandlers } from './ops-pauses.ts';
import { makeRecallHandler } from './ops-recall.ts';
import { makeReviewHandler } from './ops-review.ts';
import { makeReviewerHandlers } from './ops-reviewers.ts';
import { makeRunHandlers } from './ops-runs.ts';
import type { RunFeed } from './ops-runs-feed.ts';
import { makeSandboxHandlers } from './ops-sandbox.ts';
import { planBody, planPath } from './ops-schemas.ts';
import { makeSiteHandlers, type SiteHandlerParts } from './ops-sites.ts';
import { makeUsageHandler } from './ops-usage.ts';

export type OpsFlows = Pick<SiteHandlerParts, 'listSites' | 'probeSite' | 'reconcileSite'> & {
  readonly manageKeys: ManageKeys;
  readonly managePlans: ManagePlans;
  readonly reportUsage: ReportUsage;
  readonly operateRuns: OperateRuns;
  readonly reviewRun: ReviewRun;
  readonly recallRuns: RecallRuns;
  readonly explainEncounter: ExplainEncounter;
  readonly pauseSite: PauseSite;
  readonly readAudit: ReadAudit;
  readonly listAside: ListAside;
  readonly manageReviewers: ManageReviewers;
  readonly operateSandbox: OperateSandbox;
};

export type OpsParts = OpsFlows &
  Pick<SiteHandlerParts, 'sites' | 'audit'> & {
    readonly runFeed: RunFeed;
    /** Made of the operator's key by `runtime.digest`. */
    readonly operatorKeyDigest: Uint8Array;
    readonly runtime: Pick<Runtime, 'now' | 'chance' | 'digest' | 'isSameDigest'>;
  };

type Handlers = Readonly<Partial<Record<'GET' | 'POST' | 'PUT' | 'DELETE', RequestHandler>>>;

/** Mount it at /ops. Failures are thrown on as AppErrors, for the app to answer. */
export function makeOpsRouter(parts: OpsParts): Router {
  const router = Router();
  const keys = makeKeyHandlers(parts);
  const plans = makePlanHandlers(parts);
  const sites = makeSiteHandlers(parts);
  const pauses = makePauseHandlers(parts);
  const runs = makeRunHandlers(parts);
  const audit = makeAuditHandlers(parts);
  const reviewers = makeReviewerHandlers(parts);
  const serve = (path: string, handlers: Handlers) => router.all(path, byMethod(handlers));

  router.use(identifyCaller(parts));
  serve('/keys', { GET: keys.list, POST: keys.create });
  serve('/keys{/Key}/:id/rotate', { POST: keys.rotate });
  serve('/keys{/Key}/:id', { DELETE: keys.revoke });
  serve('/plans', { GET: plans.list });
  serve('/plans{/Plan}/:name', { PUT: plans.put });
  serve('/usage', { GET: makeUsageHandler(parts.reportUsage) });
  serve('/sites', { GET: sites.list });
  serve('/sites{/Site}/:site/probe', { POST: sites.probe });
  serve('/sites{/Site}/:site/reconcile', { POST: sites.reconcile });
  serve('/sites{/Site}/:site/pause', { POST: pauses.pause });
  serve('/sites{/Site}/:site/resume', { POST: pauses.resume });
  serve('/sites{/Site}/:site/explain', { POST: makeExplainHandler(parts) });
  serve('/runs', { GET: runs.list, POST: runs.start });
  // Before the runs themselves: nothing else of theirs has a name.
  serve('/runs/recall', { POST: makeRecallHandler(parts) });
  serve('/runs{/Run}/:id', { GET: runs.show });
  serve('/runs{/Run}/:id/replay', { POST: runs.replay });
  serve('/runs{/Run}/:id/cancel', { POST: runs.cancel });
  serve('/runs{/Run}/:id/review', { POST: makeReviewHandler(parts) });
  serve('/events', { GET: makeEventsHandler(parts) });
  serve('/audit', { GET: audit.list });
  serve('/audit/verify', { POST: audit.verify });
  serve('/aside', { GET: makeAsideHandler(parts) });
  serve('/reviewers', { GET: reviewers.list, POST: reviewers.create });
  serve('/reviewers{/Reviewer}/:id', { DELETE: reviewers.revoke });
  serveSandbox(serve, parts);
  router.use(() => {
    throw new AppError('notFound', 'There is nothing here');
  });
  return router;
}

function serveSandbox(
  serve: (path: string, handlers: Handlers) => void,
  parts: Pick<OpsFlows, 'operateSandbox'>,
): void {
  const sandbox = makeSandboxHandlers(parts);
  const visit = '/sandbox/visits{/Encounter}/:name';
  serve('/sandbox', { GET: sandbox.overview });
  serve('/sandbox/visits', { POST: sandbox.comeAgain });
  serve(visit, { GET: sandbox.visit });
  serve(`${visit}/finish`, { POST: sandbox.finish });
  serve(`${visit}/cancel`, { POST: sandbox.cancel });
  serve(`${visit}/merge`, { POST: sandbox.merge });
  serve(`${visit}/late-recording`, { POST: sandbox.addRecording });
  serve(`${visit}/chart`, { GET: sandbox.chart });
  serve('/sandbox/reset', { POST: sandbox.reset });
  serve('/sandbox/drills', { GET: sandbox.drills });
  serve('/sandbox/drills/:name', { POST: sandbox.startDrill });
  serve('/sandbox/drill', { DELETE: sandbox.endDrill });
}

function byMethod(handlers: Handlers): RequestHandler {
  const allowed = Object.keys(handlers).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return (req, res, next) => {
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const handle = Object.hasOwn(handlers, method) ? handlers[method as keyof Handlers] : undefined;
    if (handle) return handle(req, res, next);
    res.setHeader('allow', allowed.join(', '));
    throw new AppError('methodNotAllowed', `This address takes ${allowed.join(', ')}`);
  };
}

type PlanHandlers = { readonly list: RequestHandler; readonly put: RequestHandler };

function makePlanHandlers({ managePlans, audit }: Pick<OpsParts, 'managePlans' | 'audit'>): PlanHandlers {
  return {
    async list(_req, res) {
      res.json({ plans: await managePlans.list() });
    },

    async put(req, res) {
      const { name } = validate(planPath, { name: req.params['name'] });
      const { requestsPerMinute, requestsPerMonth, audioSecondsPerMonth } = validate(
        planBody,
        await readOpsBody(req, res),
      );
      const limits = {
        ...(requestsPerMinute !== undefined && { requestsPerMinute }),
        ...(requestsPerMonth !== undefined && { requestsPerMonth }),
        ...(audioSecondsPerMonth !== undefined && { audioSecondsPerMonth }),
      };
      await audit.append({ action: 'plan.change', actor: 'operator', details: { plan: name, ...limits } });
      res.json(await managePlans.put({ name, ...limits }));
    },
  };
}
