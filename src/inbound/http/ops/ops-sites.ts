// Sites over HTTP: their status, the probe of an EHR, and the reconciliation of charts with the ledger.
import type { Request } from 'express';
import { present } from '../../../domain/present.ts';
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
import { forClient } from '../server/client-signal.ts';
import { readOpsBody } from './ops-body.ts';
import type { Handlers } from './ops-handlers.ts';

export type SiteHandlerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly listSites: ListSites;
  readonly probeSite: ProbeSite;
  readonly reconcileSite: ReconcileSite;
  readonly audit: Pick<Audit, 'append'>;
};

export function makeSiteHandlers(parts: SiteHandlerParts): Handlers<'list' | 'probe' | 'reconcile'> {
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
      const details = validate(probeBody, await readOpsBody(req, res));
      await audit.append({ action: 'site.probe', actor: 'operator', site: site.name, details });
      // If the client disconnects, the probe stops, and a write test deletes what it has created.
      res.json(await forClient(req, res, (signal) => probeSite({ site, ...details }, signal)));
    },

    async reconcile(req, res) {
      const site = siteOf(req);
      const { limit } = validate(reconcileBody, await readOpsBody(req, res));
      const order = present({ site, limit });
      const report = await forClient(req, res, (signal) => reconcileSite(order, signal));
      const { checked, findings, cancelled, problems } = report;
      const answer: ReconcileAnswer = { site: site.name, checked, findings, cancelled, problems };
      res.json(answer);
    },
  };
}

function toAnswer({ lastContact, paused, feeds, ...facts }: ListedSite): SiteAnswer {
  return present({
    ...facts,
    lastContact: lastContact?.toISOString(),
    paused: paused.map(({ what, reason, since }) => ({ what, reason, since: since.toISOString() })),
    feeds: feeds.map(toFeedAnswer),
  });
}

function toFeedAnswer(feed: ListedFeed): SiteAnswer['feeds'][number] {
  const { kind, lastEventAt, searchedUntil, subscription, subscriptionStatus, alarm, alarmSince, alarmMessage } = feed;
  return present({
    kind,
    lastEventAt: lastEventAt?.toISOString(),
    searchedUntil: searchedUntil?.toISOString(),
    subscription,
    subscriptionStatus,
    alarm: alarm && present({ kind: alarm, since: alarmSince?.toISOString(), message: alarmMessage }),
  });
}
