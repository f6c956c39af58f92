// Sites over HTTP: their status, the probe of an EHR, and the reconciliation of charts with the ledger.
import type { Request, RequestHandler } from 'express';
import { findSite } from '../../../flows/operations/find-site.ts';
import type { ListedFeed, ListedSite, ListSites } from '../../../flows/operations/list-sites.ts';
import type { ProbeSite } from '../../../flows/probing/probe-site.ts';
import type { ReconcileSite } from '../../../flows/reconciling/reconcile-site.ts';
import type { Audit } from '../../../ports/audit.ts';
import type { LoadedSite, Sites } from '../../../ports/sites.ts';
import { probeBody } from '../../../wire/probe.ts';
import { type ReconcileAnswer, reconcileBody } from '../../../wire/reconcile.ts';
import type { SiteAnswer, SiteListAnswer } from '../../../wire/sites.ts';
import { validate } from '../body/validate.ts';
import { watchClient } from '../server/client-signal.ts';
import { readOpsBody } from './ops-body.ts';

export type SiteHandlerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly listSites: ListSites;
  readonly probeSite: ProbeSite;
  readonly reconcileSite: ReconcileSite;
  readonly audit: Pick<Audit, 'append'>;
};

export type SiteHandlers = {
  readonly list: RequestHandler;
  readonly probe: RequestHandler;
  readonly reconcile: RequestHandler;
};

export function makeSiteHandlers(parts: SiteHandlerParts): SiteHandlers {
  const { sites, listSites, probeSite, reconcileSite, audit } = parts;
  const siteOf = (req: Request): LoadedSite => findSite(sites.current(), String(req.params['site']));
  return {
    async list(_req, res) {
      const { sites: listed, unavailable } = await listSites();
      const answer: SiteListAnswer = { sites: listed.map(toAnswer), unavailable };
      res.json(answer);
    },

    async probe(req, res) {
      const site = siteOf(req);
      const { writeTest, forget } = validate(probeBody, await readOpsBody(req, res));
      const details = { writeTest, forget };
      await audit.append({ action: 'site.probe', actor: 'operator', site: site.name, details });
      // If the client disconnects, the probe stops, and a write test deletes what it has created.
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
          findings: report.findings,
          cancelled: report.cancelled,
          problems: report.problems,
        };
        res.json(answer);
      } finally {
        client.stop();
      }
    },
  };
}

function toAnswer({ lastContact, paused, feeds, ...facts }: ListedSite): SiteAnswer {
  return {
    ...facts,
    ...(lastContact !== undefined && { lastContact: lastContact.toISOString() }),
    paused: paused.map(({ what, reason, since }) => ({ what, reason, since: since.toISOString() })),
    feeds: feeds.map(toFeedAnswer),
  };
}

function toFeedAnswer(feed: ListedFeed): SiteAnswer['feeds'][number] {
  const { kind, lastEventAt, searchedUntil, subscription, subscriptionStatus, alarm, alarmSince, alarmMessage } = feed;
  return {
    kind,
    ...(lastEventAt !== undefined && { lastEventAt: lastEventAt.toISOString() }),
    ...(searchedUntil !== undefined && { searchedUntil: searchedUntil.toISOString() }),
    ...(subscription !== undefined && { subscription }),
    ...(subscriptionStatus !== undefined && { subscriptionStatus }),
    ...(alarm !== undefined && {
      alarm: {
        kind: alarm,
        ...(alarmSince !== undefined && { since: alarmSince.toISOString() }),
        ...(alarmMessage !== undefined && { message: alarmMessage }),
      },
    }),
  };
}
