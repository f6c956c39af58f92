// The operator's door: keys, plans, usage and sites. Nothing behind it is told to anyone without the operator's key, not even
// which addresses there are.
import { type RequestHandler, Router } from 'express';
import { AppError } from '../../domain/errors.ts';
import type { ManageKeys } from '../../flows/manage-keys.ts';
import type { ManagePlans } from '../../flows/manage-plans.ts';
import type { ReportUsage } from '../../flows/report-usage.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { readOpsBody } from './ops-body.ts';
import { makeKeyHandlers } from './ops-keys.ts';
import { planBody, planPath } from './ops-schemas.ts';
import { makeSiteHandlers, type SiteHandlerParts } from './ops-sites.ts';
import { makeUsageHandler } from './ops-usage.ts';
import { validate } from './schemas.ts';

type OpsParts = SiteHandlerParts & {
  readonly manageKeys: ManageKeys;
  readonly managePlans: ManagePlans;
  readonly reportUsage: ReportUsage;
  /** Made of the operator's key by `runtime.digest`. */
  readonly operatorKeyDigest: Uint8Array;
  readonly runtime: Pick<Runtime, 'now' | 'digest' | 'isSameDigest'>;
};

type Handlers = Readonly<Partial<Record<'GET' | 'POST' | 'PUT' | 'DELETE', RequestHandler>>>;

/** Mount it at /ops. Failures are thrown on as AppErrors, for the app to answer. */
export function makeOpsRouter(parts: OpsParts): Router {
  const router = Router();
  const keys = makeKeyHandlers(parts);
  const plans = makePlanHandlers(parts.managePlans);
  const sites = makeSiteHandlers(parts);
  const serve = (path: string, handlers: Handlers) => router.all(path, byMethod(handlers));

  router.use(requireOperator(parts));
  serve('/keys', { GET: keys.list, POST: keys.create });
  serve('/keys{/Key}/:id/rotate', { POST: keys.rotate });
  serve('/keys{/Key}/:id', { DELETE: keys.revoke });
  serve('/plans', { GET: plans.list });
  serve('/plans{/Plan}/:name', { PUT: plans.put });
  serve('/usage', { GET: makeUsageHandler(parts.reportUsage) });
  serve('/sites', { GET: sites.list });
  serve('/sites{/Site}/:site/probe', { POST: sites.probe });
  serve('/sites{/Site}/:site/reconcile', { POST: sites.reconcile });
  router.use(() => {
    throw new AppError('notFound', 'There is nothing here');
  });
  return router;
}

function requireOperator({ operatorKeyDigest, runtime }: OpsParts): RequestHandler {
  return (req, res, next) => {
    res.setHeader('cache-control', 'no-store');
    // Two such headers are no identity: which of them counts would depend on what stands in front.
    const given = req.headersDistinct['authorization'] ?? [];
    const [, key = ''] = /^bearer +([\x21-\x7e]+) *$/i.exec(given.length === 1 ? (given[0] ?? '') : '') ?? [];
    if (runtime.isSameDigest(runtime.digest(key), operatorKeyDigest)) return next();
    throw new AppError(
      'unauthorized',
      'The operator key is missing or wrong: send Authorization: Bearer <operator key>',
    );
  };
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

function makePlanHandlers(managePlans: ManagePlans): { readonly list: RequestHandler; readonly put: RequestHandler } {
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
      const plan = await managePlans.put({
        name,
        ...(requestsPerMinute !== undefined && { requestsPerMinute }),
        ...(requestsPerMonth !== undefined && { requestsPerMonth }),
        ...(audioSecondsPerMonth !== undefined && { audioSecondsPerMonth }),
      });
      res.json(plan);
    },
  };
}
