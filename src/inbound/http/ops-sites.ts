// Sites and their EHRs, for the operator: how they are, what an EHR can do, and whether the charts are as the ledger has them.
import type { Request, RequestHandler } from 'express';
import { findSite } from '../../flows/find-site.ts';
import type { ListedSite, ListSites } from '../../flows/list-sites.ts';
import type { ProbeSite } from '../../flows/probe-site.ts';
import type { ReconcileSite } from '../../flows/reconcile-site.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';
import { watchClient } from './client-signal.ts';
import { readOpsBody } from './ops-body.ts';
import {
  probeBody,
  type ReconcileAnswer,
  reconcileBody,
  type SiteAnswer,
  type SiteListAnswer,
} from './ops-site-schemas.ts';
import { validate } from './schemas.ts';

export type SiteHandlerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly listSites: ListSites;
  readonly probeSite: ProbeSite;
  readonly reconcileSite: ReconcileSite;
};

export type SiteHandlers = {
  readonly list: RequestHandler;
  readonly probe: RequestHandler;
  readonly reconcile: RequestHandler;
};

export function makeSiteHandlers({ sites, listSites, probeSite, reconcileSite }: SiteHandlerParts): SiteHandlers {
  const siteOf = (req: Request): LoadedSite => findSite(sites.current(), String(req.params['site']));
  return {
    async list(_req, res) {
      const { sites: listed, unavailable } = await listSites();
      const answer: SiteListAnswer = { sites: listed.map(toAnswer), unavailable: [...unavailable] };
      res.json(answer);
    },

    async probe(req, res) {
      const site = siteOf(req);
      const { writeTest, forget } = validate(probeBody, await readOpsBody(req, res));
      // Whoever leaves ends it: a write test then removes what it has made so far.
      const client = watchClient(req, res);
      try {
        res.json(await probeSite({ site, writeTest, forget }, client.signal));
      } finally {
        client.stop();
      }
    },

    async reconcile(req, res) {
      const site = siteOf(req);
      const { limit } = validate(reconcileBody, await readOpsBody(req, res));
      const client = watchClient(req, res);
      try {
        const order = { site, ...(limit !== undefined && { limit }) };
        const report = await reconcileSite(order, client.signal);
        const answer: ReconcileAnswer = {
          site: site.name,
          checked: report.checked,
          findings: report.findings.map((finding) => ({ ...finding, references: [...finding.references] })),
          cancelled: [...report.cancelled],
          problems: [...report.problems],
        };
        res.json(answer);
      } finally {
        client.stop();
      }
    },
  };
}

function toAnswer({ lastContact, findings, ...facts }: ListedSite): SiteAnswer {
  return {
    ...facts,
    findings: { ...findings },
    ...(lastContact !== undefined && { lastContact: lastContact.toISOString() }),
  };
}
