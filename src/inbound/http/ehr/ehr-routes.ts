// Routes for EHRs and the programs of a site: public keys, events, recordings for an encounter, and the state of their runs.
import { type RequestHandler, Router } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { Ehrs } from '../../../ports/ehr.ts';
import type { Sites } from '../../../ports/sites.ts';
import type { ApiOperation } from '../server/api-operation.ts';
import { type EventHandlerParts, makeEventHandler } from './ehr-events.ts';
import { makeRunHandler, type RunHandlerParts } from './ehr-runs.ts';
import { makeUploadHandler, type UploadHandlerParts } from './ehr-uploads.ts';
import { makeWebhookHandshake } from './webhook-handshake.ts';

type EhrRouteParts = EventHandlerParts &
  UploadHandlerParts &
  RunHandlerParts & {
    readonly sites: Pick<Sites, 'current'>;
    readonly ehrs: Pick<Ehrs, 'jwks'>;
    readonly apiOperation: ApiOperation;
  };

/** The handlers throw AppErrors; the app answers them. */
export function makeEhrRouter(parts: EhrRouteParts): Router {
  const router = Router();
  const takeEvent = makeEventHandler(parts);
  router.get('/ehr/:site/jwks.json', makeKeysHandler(parts));
  router.options('/ehr/:site/events', makeWebhookHandshake(parts));
  router.post('/ehr/:site/events', takeEvent);
  // HAPI treats the receiver as a FHIR server and sends changed resources with PUT and DELETE.
  router.put('/ehr/:site/events/:type/:id', takeEvent);
  router.delete('/ehr/:site/events/:type/:id', takeEvent);
  router.post(
    '/ehr/:site/encounters{/Encounter}/:id/recording',
    parts.apiOperation('upload-recording', makeUploadHandler(parts)),
  );
  router.get('/ehr/:site/runs{/Run}/:id', makeRunHandler(parts));
  return router;
}

/** The keys are public: an EHR fetches them without an API key. */
function makeKeysHandler({ sites, ehrs }: Pick<EhrRouteParts, 'sites' | 'ehrs'>): RequestHandler {
  return async (req, res) => {
    const site = sites.current().sites.get(String(req.params['site']));
    const keys = site && (await ehrs.jwks(site).catch(undefinedIfNotConfigured));
    // The message is the same for an unknown site and for a site without keys, so that it does not reveal which sites exist.
    if (keys === undefined) throw new AppError('notFound', 'There are no keys here');
    res.setHeader('cache-control', 'public, max-age=300');
    res.json(keys);
  };
}

/** `sites probe` reports unusable keys to the operator. */
function undefinedIfNotConfigured(thrown: unknown): undefined {
  if (!(thrown instanceof AppError) || thrown.code !== 'notConfigured') throw thrown;
}
