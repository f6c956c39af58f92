// What EHRs ask of the engine themselves. The public keys are public: an EHR fetches them without a key of ours.
import { type RequestHandler, Router } from 'express';
import { AppError } from '../../domain/errors.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Sites } from '../../ports/sites.ts';

type EhrRouteParts = { readonly sites: Pick<Sites, 'current'>; readonly ehrs: Pick<Ehrs, 'jwks'> };

export function makeEhrRouter({ sites, ehrs }: EhrRouteParts): Router {
  const router = Router();
  const keys: RequestHandler = async (req, res) => {
    const site = sites.current().sites.get(String(req.params['site']));
    const found = site && (await ehrs.jwks(site).catch(noneIfUnusable));
    // The same words for no site and for a site without keys: nobody is told here which sites there are, or what is wrong with one.
    if (found === undefined) throw new AppError('notFound', 'There are no keys here');
    res.setHeader('cache-control', 'public, max-age=300');
    res.json(found);
  };
  router.get('/ehr/:site/jwks.json', keys);
  return router;
}

/** The operator hears it from `sites probe`. */
function noneIfUnusable(thrown: unknown): undefined {
  if (!(thrown instanceof AppError) || thrown.code !== 'notConfigured') throw thrown;
}
