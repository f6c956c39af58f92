// What EHRs and the programs of a site ask of the engine: the public keys, events, recordings for an encounter, and how their runs are.
import { type RequestHandler, Router } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { Ehrs } from '../../../ports/ehr.ts';
import type { Sites } from '../../../ports/sites.ts';
import type { ApiOperation } from '../server/api-operation.ts';
import { type EventHandlerParts, makeEventHandler } from './ehr-events.ts';
import { makeRunHandler, type RunHandlerParts } from './ehr-runs.ts';
import { makeUploadHandler, type UploadHandlerParts } from './ehr-uploads.ts';

type EhrRouteParts = EventHandlerParts &
  UploadHandlerParts &
  RunHandlerParts & {
    readonly sites: Pick<Sites, 'current'>;
    readonly ehrs: Pick<Ehrs, 'jwks'>;
    readonly apiOperation: ApiOperation;
  };

/** Failures are thrown on as AppErrors, for the app to answer. */
export function makeEhrRouter(parts: EhrRouteParts): Router {
  const router = Router();
  const takeEvent = makeEventHandler(parts);
  router.get('/ehr/:site/jwks.json', makeKeysHandler(parts));
  router.post('/ehr/:site/events', takeEvent);
  // HAPI takes the receiver for a FHIR server, and stores there what has changed.
  router.put('/ehr/:site/events/:type/:id', takeEvent);
  router.delete('/ehr/:site/events/:type/:id', takeEvent);
  router.post(
    '/ehr/:site/encounters{/Encounter}/:id/recording',
    parts.apiOperation('upload-recording', makeUploadHandler(parts)),
  );
  router.get('/ehr/:site/runs{/Run}/:id', makeRunHandler(parts));
  return router;
}

/** They are public: an EHR fetches them without a key of ours. */
function makeKeysHandler({ sites, ehrs }: Pick<EhrRouteParts, 'sites' | 'ehrs'>): RequestHandler {
  return async (req, res) => {
    const site = sites.current().sites.get(String(req.params['site']));
    const found = site && (await ehrs.jwks(site).catch(undefinedIfNotConfigured));
    // The same words for no site and for a site without keys: nobody is told here which sites there are, or what is wrong with one.
    if (found === undefined) throw new AppError('notFound', 'There are no keys here');
    res.setHeader('cache-control', 'public, max-age=300');
    res.json(found);
  };
}

/** The operator hears it from `sites probe`. */
function undefinedIfNotConfigured(thrown: unknown): undefined {
  if (!(thrown instanceof AppError) || thrown.code !== 'notConfigured') throw thrown;
}
