// Takes notifications of EHRs and interface engines. The sender is authenticated before the body is parsed, and a success is answered
// only after the event is stored: after any other answer, an EHR sends it again.
import type { Request, RequestHandler, Response } from 'express';
import { AppError, asAppError } from '../../../domain/errors.ts';
import type { RawDelivery } from '../../../domain/event/delivery.ts';
import type { AcceptAnswer } from '../../../flows/intake/accept-answer.ts';
import type { AcceptEvent } from '../../../flows/intake/accept-event.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import type { LoadedSite, Sites } from '../../../ports/sites.ts';
import type { RawBody, ReadRawBody } from '../body/raw-body.ts';
import { watchClient } from '../server/client-signal.ts';
import { failureBody } from '../server/error-response.ts';
import { readDelivery } from './ehr-delivery.ts';
import { type AuthenticateSender, entrancesOf } from './ehr-sender.ts';
import { findOpenSite, noSite } from './ehr-sites.ts';
import { readValidationCode } from './event-grid.ts';
import { answerHl7, isRefused } from './hl7-answers.ts';

export type EventHandlerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly acceptEvent: AcceptEvent;
  readonly checkSender: AuthenticateSender;
  readonly readRawBody: ReadRawBody;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
  readonly isStopping: () => boolean;
  readonly logger: Pick<Logger, 'error'>;
};

const RETRY_AFTER_SECONDS = 5;

export function makeEventHandler(parts: EventHandlerParts): RequestHandler {
  const { sites, acceptEvent, checkSender, readRawBody, runtime, logger } = parts;

  async function answer(req: Request, res: Response, site: LoadedSite, body: RawBody, source: RawDelivery['source']) {
    const validationResponse = readValidationCode(body.bytes);
    if (validationResponse !== undefined) return void res.json({ validationResponse });
    const { delivery, isHl7 } = readDelivery(req, { bytes: body.bytes, source, receivedAt: runtime.now() });
    const accept = () => acceptEvent({ site, delivery }).catch(withRetryAfter);
    if (isHl7) await answerHl7(res, delivery, { accept, runtime, logger });
    else sendOutcome(res, await accept());
  }

  return async (req, res) => {
    if (parts.isStopping()) {
      throw new AppError('shuttingDown', 'The service is restarting; try again in a moment', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    const site = findOpenSite(sites, String(req.params['site']));
    const entrances = entrancesOf(site);
    if (entrances.length === 0) throw noSite();
    const client = watchClient(req, res);
    try {
      const identify = await checkSender(req, site, entrances);
      const body = await readRawBody(req, client.signal);
      try {
        await answer(req, res, site, body, await identify([...new Set([body.wire, body.bytes])]));
      } finally {
        body.dispose();
      }
    } finally {
      client.stop();
    }
  };
}

function sendOutcome(res: Response, { outcome, why }: AcceptAnswer): void {
  if (isRefused(outcome)) {
    res.status(422).json(failureBody(422, why ?? 'The notification was not understood'));
  } else {
    res.json({ outcome });
  }
}

/** Without a Retry-After, an EHR sends again at once or never. */
function withRetryAfter(thrown: unknown): never {
  const error = asAppError(thrown);
  if (error.code !== 'overloaded' || error.retryAfterSeconds !== undefined) throw error;
  throw new AppError(error.code, error.message, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
