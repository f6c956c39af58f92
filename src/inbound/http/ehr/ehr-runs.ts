// Shows the run of an uploaded recording to the program that uploaded it.
import type { RequestHandler } from 'express';
import { present } from '../../../domain/present.ts';
import type { ShownRun, ShowRun } from '../../../flows/operations/show-run.ts';
import type { Sites } from '../../../ports/sites.ts';
import type { AuthenticateKey } from '../server/api-operation.ts';
import type { RunStateAnswer } from './ehr-schemas.ts';
import { findOwnSite } from './ehr-sites.ts';

export type RunHandlerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly showRun: ShowRun;
  readonly authenticateKey: AuthenticateKey;
};

export function makeRunHandler({ sites, showRun, authenticateKey }: RunHandlerParts): RequestHandler {
  return async (req, res) => {
    const { organization, keyId } = await authenticateKey(req);
    const site = findOwnSite(sites, String(req.params['site']), organization);
    const shown = await showRun({ site, id: String(req.params['id']), organization, keyId });
    res.setHeader('cache-control', 'no-store');
    res.json(toAnswer(shown));
  };
}

function toAnswer({ run, diagnosis }: ShownRun): RunStateAnswer {
  const { reason, message, advice, session, resources } = run;
  return present({
    runId: run.id,
    status: run.status,
    reason,
    message,
    advice,
    encounter: run.encounter,
    session,
    replayedBy: run.replayedBy,
    resources: resources.length > 0 ? resources : undefined,
    diagnosis,
  });
}
