// The routes below /ops: keys, plans, usage, sites, runs, reviews, people and the audit trail. Who may call which of them is in
// domain/people/permissions.ts; a caller who is not known gets 401 for every path.
import { type RequestHandler, Router } from 'express';
import { AppError } from '../../../domain/errors.ts';
import { extensionPermission, PERMISSIONS, type Permission } from '../../../domain/people/permissions.ts';
import { present } from '../../../domain/present.ts';
import type { ManageCallbacks } from '../../../flows/admin/manage-callbacks.ts';
import type { ManageKeys } from '../../../flows/admin/manage-keys.ts';
import type { ManagePlans } from '../../../flows/admin/manage-plans.ts';
import type { ManageReviewers } from '../../../flows/admin/manage-reviewers.ts';
import type { ReportUsage } from '../../../flows/admin/report-usage.ts';
import type { RotateMasterKey } from '../../../flows/admin/rotate-master-key.ts';
import type { ManageCodes } from '../../../flows/codes/import-codes.ts';
import type { ListQuarantined } from '../../../flows/operations/list-quarantined.ts';
import type { OpenQuarantined } from '../../../flows/operations/open-quarantined.ts';
import type { OperateRuns } from '../../../flows/operations/operate-runs.ts';
import type { ReadAudit } from '../../../flows/operations/read-audit.ts';
import type { RecallRuns } from '../../../flows/operations/recall-runs.ts';
import type { ResumeRuns } from '../../../flows/operations/resume-runs.ts';
import type { BreakGlass } from '../../../flows/people/break-glass.ts';
import { byCaller } from '../../../flows/people/by-caller.ts';
import type { IdentifyCaller } from '../../../flows/people/identify-caller.ts';
import type { ClaimDrafts } from '../../../flows/reviews/claim-drafts.ts';
import type { ListDrafts } from '../../../flows/reviews/list-drafts.ts';
import type { ReviewRun } from '../../../flows/reviews/review-run.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import { planBody, planPath } from '../../../wire/plans.ts';
import { validate } from '../body/validate.ts';
import { makeAuditHandlers } from './ops-audit.ts';
import { readOpsBody } from './ops-body.ts';
import { makeBreakGlassHandlers } from './ops-break-glass.ts';
import { accessOf, admit, makeIdentify, nothingHere } from './ops-caller.ts';
import { makeCodesHandlers } from './ops-codes.ts';
import { keepingClaim, makeDraftHandlers } from './ops-drafts.ts';
import { makeEventsHandler } from './ops-events-stream.ts';
import type { Handlers } from './ops-handlers.ts';
import { makeKeyHandlers } from './ops-keys.ts';
import { makeMasterKeyHandlers } from './ops-master-key.ts';
import { makeQuarantineHandlers } from './ops-quarantine.ts';
import { makeRecallHandler } from './ops-recall.ts';
import { makeReviewHandler } from './ops-review.ts';
import { makeReviewerHandlers } from './ops-reviewers.ts';
import { makeRunHandlers } from './ops-runs.ts';
import type { RunFeed } from './ops-runs-feed.ts';
import { makeSiteHandlers, type SiteHandlerParts } from './ops-sites.ts';
import { makeUsageHandler } from './ops-usage.ts';
import { makePeopleRoutes, type PeopleFlows } from './people-routes.ts';
import type { RefusedKeys } from './refused-keys.ts';

export type OpsFlows = Omit<SiteHandlerParts, 'sites' | 'audit'> &
  PeopleFlows & {
    readonly manageKeys: ManageKeys;
    readonly manageCallbacks: ManageCallbacks;
    readonly managePlans: ManagePlans;
    readonly rotateMasterKey: RotateMasterKey;
    readonly manageCodes: ManageCodes;
    readonly reportUsage: ReportUsage;
    readonly operateRuns: OperateRuns;
    readonly reviewRun: ReviewRun;
    readonly recallRuns: RecallRuns;
    readonly readAudit: ReadAudit;
    readonly listQuarantined: ListQuarantined;
    readonly openQuarantined: OpenQuarantined;
    readonly resumeRuns: ResumeRuns;
    readonly listDrafts: ListDrafts;
    readonly claimDrafts: ClaimDrafts;
    readonly manageReviewers: ManageReviewers;
    readonly breakGlass: BreakGlass;
  };

export type OpsParts = OpsFlows &
  Pick<SiteHandlerParts, 'sites' | 'audit'> & {
    readonly runFeed: RunFeed;
    /** Routes of an extension, and the site that it brings with it. */
    readonly extraRoutes: OpsRoutes;
    readonly extraSite: string;
    readonly identifyCaller: IdentifyCaller;
    readonly refusedKeys: RefusedKeys;
    /** The origin of PUBLIC_URL. */
    readonly ownOrigin: string;
    readonly runtime: Pick<Runtime, 'now' | 'chance'>;
  };

type Methods = Partial<Handlers<'GET' | 'POST' | 'PUT' | 'DELETE'>>;
/** Handlers by path below /ops and by method. */
export type OpsRoutes = Readonly<Record<string, Methods>>;

/** The router is mounted at /ops. Its handlers throw AppErrors; the app answers them. */
export function makeOpsRouter(parts: OpsParts): Router {
  const router = Router();
  const keys = makeKeyHandlers(parts);
  const plans = makePlanHandlers(parts);
  const masterKey = makeMasterKeyHandlers(parts);
  const codes = makeCodesHandlers(parts);
  const sites = makeSiteHandlers(parts);
  const runs = makeRunHandlers(parts);
  const audit = makeAuditHandlers(parts);
  const quarantine = makeQuarantineHandlers(parts);
  const reviewers = makeReviewerHandlers(parts);
  const drafts = makeDraftHandlers(parts);
  const breakGlass = makeBreakGlassHandlers(parts);
  const serve = (path: string, handlers: Methods) =>
    router.all(
      path,
      byMethod(handlers, (method) => permissionOf(method, path)),
    );

  router.use(makeIdentify(parts));
  serve('/keys', { GET: keys.list, POST: keys.create });
  serve('/keys{/Key}/:id/rotate', { POST: keys.rotate });
  serve('/keys{/Key}/:id/callbacks', { PUT: keys.setCallbacks });
  serve('/keys{/Key}/:id', { DELETE: keys.revoke });
  serve('/master-key', { GET: masterKey.show });
  serve('/master-key/rotate', { POST: masterKey.rotate });
  serve('/plans', { GET: plans.list });
  serve('/plans{/Plan}/:name', { PUT: plans.put });
  serve('/codes', { GET: codes.list });
  serve('/codes{/CodeList}/:system', { PUT: codes.put });
  serve('/usage', { GET: makeUsageHandler(parts.reportUsage) });
  serve('/sites', { GET: sites.list });
  serve('/sites{/Site}/:site/probe', { POST: sites.probe });
  serve('/sites{/Site}/:site/reconcile', { POST: sites.reconcile });
  serve('/sites{/Site}/:site/pause', { POST: sites.pause });
  serve('/sites{/Site}/:site/resume', { POST: sites.resume });
  serve('/sites{/Site}/:site/explain', { POST: sites.explain });
  serve('/runs', { GET: runs.list, POST: runs.start });
  // Before the routes with a run id, which would match `recall` as an id.
  serve('/runs/recall', { POST: makeRecallHandler(parts) });
  serve('/runs{/Run}/:id', { GET: keepingClaim(parts, runs.show) });
  serve('/runs{/Run}/:id/evidence', { GET: keepingClaim(parts, runs.evidence) });
  serve('/runs{/Run}/:id/replay', { POST: runs.replay });
  serve('/runs{/Run}/:id/cancel', { POST: runs.cancel });
  serve('/runs{/Run}/:id/retry', { POST: runs.retry });
  serve('/runs{/Run}/:id/release', { POST: runs.release });
  serve('/runs{/Run}/:id/review', { POST: makeReviewHandler(parts) });
  serve('/runs{/Run}/:id/break-glass', { POST: breakGlass.open });
  serve('/break-glass', { GET: breakGlass.list });
  serve('/events', { GET: makeEventsHandler(parts) });
  serve('/audit', { GET: audit.list });
  serve('/audit/verify', { POST: audit.verify });
  serve('/aside', { GET: quarantine.list });
  serve('/aside/:id', { GET: quarantine.show });
  serve('/aside/:id/send', { POST: quarantine.resend });
  serve('/reviews', { GET: drafts.list });
  serve('/reviews/next', { POST: drafts.next });
  serve('/reviews/signed', { GET: drafts.signed });
  serve('/reviews/figures', { GET: drafts.figures });
  serve('/runs{/Run}/:id/claim', { POST: drafts.claim });
  serve('/runs{/Run}/:id/unclaim', { POST: drafts.release });
  serve('/runs{/Run}/:id/delegate', { POST: drafts.delegate });
  serve('/reviewers', { GET: reviewers.list, POST: reviewers.create });
  serve('/reviewers{/Reviewer}/:id', { DELETE: reviewers.revoke });
  for (const [path, handlers] of Object.entries(makePeopleRoutes(parts))) serve(path, handlers);
  for (const [path, handlers] of Object.entries(parts.extraRoutes)) {
    router.all(
      path,
      byMethod(handlers, (method) => extensionPermission(method, parts.extraSite)),
    );
  }
  router.use(nothingHere);
  return router;
}

/** Throws an Error for an endpoint without an entry in the table: it must not be served to anyone. */
function permissionOf(method: string, path: string): Permission {
  const permission = PERMISSIONS[`${method} ${path}`];
  if (permission === undefined) throw new Error(`domain/people/permissions.ts says nothing about ${method} ${path}`);
  return permission;
}

function byMethod(handlers: Methods, permissionFor: (method: string) => Permission): RequestHandler {
  const methods = Object.keys(handlers);
  const permissions = new Map(methods.map((method) => [method, permissionFor(method)]));
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return (req, res, next) => {
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const handle = Object.hasOwn(handlers, method) ? handlers[method as keyof Methods] : undefined;
    const permission = permissions.get(method);
    if (handle !== undefined && permission !== undefined) {
      admit(req, res, permission);
      return handle(req, res, next);
    }
    res.setHeader('allow', allowed.join(', '));
    throw new AppError('methodNotAllowed', `This address takes ${allowed.join(', ')}`);
  };
}

function makePlanHandlers({ managePlans, audit }: Pick<OpsParts, 'managePlans' | 'audit'>): Handlers<'list' | 'put'> {
  return {
    async list(_req, res) {
      res.json({ plans: await managePlans.list() });
    },

    async put(req, res) {
      const { name } = validate(planPath, { name: req.params['name'] });
      const limits = present(validate(planBody, await readOpsBody(req, res)));
      await audit.append(byCaller(accessOf(res), { action: 'plan.change', details: { plan: name, ...limits } }));
      res.json(await managePlans.put({ name, ...limits }));
    },
  };
}
