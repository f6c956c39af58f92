// CDS Hooks 2.0: an EHR asks which drafts of a patient wait, and says what clinicians did with the cards. The body of an unknown EHR is never read.
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { CDS_SERVICES, type CdsServiceId, isCdsService, overrideReasonOf } from '../../../domain/cds/cds-services.ts';
import { AppError } from '../../../domain/errors.ts';
import { isObject } from '../../../domain/raw-members.ts';
import type { AnswerHook } from '../../../flows/cds/answer-hook.ts';
import type { IdentifyEhr } from '../../../flows/cds/identify-ehr.ts';
import { siteOfCall } from '../../../flows/cds/site-of-call.ts';
import type { TakeFeedback } from '../../../flows/cds/take-feedback.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { LoadedSite, Sites } from '../../../ports/sites.ts';
import { JSON_BODY_LIMITS, readJsonBody } from '../body/json-body.ts';
import { validate } from '../body/validate.ts';
import { bearerOf } from '../server/bearer.ts';
import { forClient } from '../server/client-signal.ts';
import type { WrongKeyThrottle } from '../server/wrong-keys.ts';
import { encounterDischargeCall, feedbackCall, patientViewCall } from './cds-schemas.ts';

export type CdsFlows = {
  readonly identifyEhr: IdentifyEhr;
  readonly answerHook: AnswerHook;
  readonly takeFeedback: TakeFeedback;
};

export type CdsRouteParts = CdsFlows & {
  readonly sites: Pick<Sites, 'current'>;
  readonly wrongKeys: WrongKeyThrottle;
  readonly logger: Pick<Logger, 'warn'>;
};

const CALLS = { 'patient-view': patientViewCall, 'encounter-discharge': encounterDischargeCall } as const;

/** The handlers throw AppErrors; the app answers them. */
export function makeCdsRouter(parts: CdsRouteParts): Router {
  const router = Router();
  router.get('/cds-services', makeDiscovery(parts));
  router.post('/cds-services/:id', makeHookHandler(parts));
  router.post('/cds-services/:id/feedback', makeFeedbackHandler(parts));
  return router;
}

/** Open to everyone, because it says nothing about sites or patients. */
function makeDiscovery({ sites }: CdsRouteParts): RequestHandler {
  return (_req, res) => {
    const isUsed = [...sites.current().sites.values()].some(({ settings }) => settings.cds !== undefined);
    const all = Object.entries(CDS_SERVICES).map(([id, { reach: _, ...service }]) => ({ id, ...service }));
    res.setHeader('cache-control', 'no-cache');
    res.json({ services: isUsed ? all : [] });
  };
}

function makeHookHandler(parts: CdsRouteParts): RequestHandler {
  return async (req, res) => {
    const service = serviceOf(req);
    const sites = await identified(req, [service], parts);
    const call = validate(CALLS[CDS_SERVICES[service].hook], await readBody(req, res));
    const site = siteOfCall(sites, call.fhirServer);
    requireSamePatient(call);
    const { userId: user, patientId: patient, encounterId: encounter } = call.context;
    const cards = await parts.answerHook({ service, site, user, patient, encounter });
    res.setHeader('cache-control', 'no-store');
    res.json({ cards });
  };
}

function makeFeedbackHandler(parts: CdsRouteParts): RequestHandler {
  return async (req, res) => {
    const service = serviceOf(req);
    // Some EHRs take the address of the service for that of its feedback.
    const [site] = await identified(req, [`${service}/feedback`, service], parts);
    const { feedback } = validate(feedbackCall, await readBody(req, res));
    await parts.takeFeedback({
      site: site?.name ?? '',
      service,
      feedback: feedback.map(({ card, outcome, outcomeTimestamp, overrideReason }) => ({
        card: card.toLowerCase(),
        outcome,
        reason: overrideReason?.reason && overrideReasonOf(overrideReason.reason),
        at: new Date(outcomeTimestamp),
      })),
    });
    res.status(200).end();
  };
}

function serviceOf(req: Request): CdsServiceId {
  const id = String(req.params['id']);
  if (!isCdsService(id)) throw new AppError('notFound', 'There is no such service: GET /cds-services lists them');
  return id;
}

/** Throws `authThrottled` after too many refused tokens from one address. */
async function identified(
  req: Request,
  paths: readonly string[],
  { identifyEhr, wrongKeys, logger }: CdsRouteParts,
): Promise<readonly LoadedSite[]> {
  try {
    return await identifyEhr({ token: bearerOf(req), paths });
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'unauthorized') throw thrown;
    logger.warn('a call by CDS Hooks was refused', { reason: thrown.message });
    await wrongKeys.failed(req.ip ?? '');
    throw thrown;
  }
}

function readBody(req: Request, res: Response): Promise<unknown> {
  return forClient(req, res, (signal) => readJsonBody(req, { ...JSON_BODY_LIMITS, signal }));
}

/** What was fetched before must be of the patient in the context. It may lack keys, hold null or an OperationOutcome: nothing of it is needed. */
function requireSamePatient({
  prefetch = {},
  context,
}: {
  readonly prefetch?: Readonly<Record<string, unknown>> | undefined;
  readonly context: { readonly patientId: string };
}): void {
  for (const resource of Object.values(prefetch)) {
    if (!isObject(resource) || resource['resourceType'] !== 'Patient' || resource['id'] === context.patientId) continue;
    throw new AppError('invalidRequest', 'prefetch has another patient than context.patientId');
  }
}
