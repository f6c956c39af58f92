// Sites over HTTP: their status, pauses, the probe of an EHR, the reconciliation of charts with the ledger, and why an encounter has no note.
import type { Request, Response } from 'express';
import { present } from '../../../domain/present.ts';
import type { ExplainEncounter, Explanation } from '../../../flows/operations/explain-encounter.ts';
import { findSite } from '../../../flows/operations/find-site.ts';
import type { ListedSite, ListSites } from '../../../flows/operations/list-sites.ts';
import type { PauseSite } from '../../../flows/operations/pause-site.ts';
import { byCaller } from '../../../flows/people/by-caller.ts';
import type { ProbeSite } from '../../../flows/probing/probe-site.ts';
import type { ReconcileSite } from '../../../flows/reconciling/reconcile-site.ts';
import type { Audit } from '../../../ports/audit.ts';
import type { Feed, Pause } from '../../../ports/feeds.ts';
import type { LoadedSite, Sites } from '../../../ports/sites.ts';
import { type ExplainAnswer, explainBody } from '../../../wire/explain.ts';
import { type PausedSiteAnswer, pauseBody, resumeBody } from '../../../wire/pauses.ts';
import { probeBody } from '../../../wire/probe.ts';
import { type ReconcileAnswer, reconcileBody } from '../../../wire/reconcile.ts';
import type { SiteAnswer, SiteListAnswer } from '../../../wire/sites.ts';
import { validate } from '../body/validate.ts';
import { forClient } from '../server/client-signal.ts';
import { readOpsBody } from './ops-body.ts';
import { accessOf } from './ops-caller.ts';
import type { Handlers } from './ops-handlers.ts';

export type SiteHandlerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly listSites: ListSites;
  readonly probeSite: ProbeSite;
  readonly reconcileSite: ReconcileSite;
  readonly pauseSite: PauseSite;
  readonly explainEncounter: ExplainEncounter;
  readonly audit: Pick<Audit, 'append'>;
};

type SiteActions = 'list' | 'probe' | 'reconcile' | 'pause' | 'resume' | 'explain';

export function makeSiteHandlers(parts: SiteHandlerParts): Handlers<SiteActions> {
  const { sites, listSites, probeSite, reconcileSite, pauseSite, explainEncounter, audit } = parts;
  const nameOf = (req: Request): string => String(req.params['site']);
  const siteOf = (req: Request, res: Response): LoadedSite =>
    findSite(sites.current(), nameOf(req), accessOf(res).scope);
  return {
    async list(_req, res) {
      const { sites: listed, unavailable } = await listSites(accessOf(res).scope);
      const answer: SiteListAnswer = { sites: listed.map(toAnswer), unavailable };
      res.json(answer);
    },

    async probe(req, res) {
      const site = siteOf(req, res);
      const details = validate(probeBody, await readOpsBody(req, res));
      await audit.append(byCaller(accessOf(res), { action: 'site.probe', site: site.name, details }));
      // If the client disconnects, the probe stops, and a write test deletes what it has created.
      res.json(await forClient(req, res, (signal) => probeSite({ site, ...details }, signal)));
    },

    async reconcile(req, res) {
      const site = siteOf(req, res);
      const { limit } = validate(reconcileBody, await readOpsBody(req, res));
      const order = present({ site, limit });
      const report = await forClient(req, res, (signal) => reconcileSite(order, signal));
      const { checked, findings, cancelled, problems } = report;
      const answer: ReconcileAnswer = { site: site.name, checked, findings, cancelled, problems };
      res.json(answer);
    },

    async pause(req, res) {
      const order = validate(pauseBody, await readOpsBody(req, res));
      const { site, paused } = await pauseSite.pause({ site: nameOf(req), ...order, access: accessOf(res) });
      res.json({ site, paused: paused.map(pauseAnswer) });
    },

    async resume(req, res) {
      const { what } = validate(resumeBody, await readOpsBody(req, res));
      const { site, paused, wokenRuns } = await pauseSite.resume({ site: nameOf(req), what, access: accessOf(res) });
      res.json(present({ site, paused: paused.map(pauseAnswer), wokenRuns }));
    },

    async explain(req, res) {
      const { of } = validate(explainBody, await readOpsBody(req, res));
      const order = { site: nameOf(req), of, access: accessOf(res) };
      res.json(explainAnswer(await forClient(req, res, (signal) => explainEncounter(order, signal))));
    },
  };
}

function toAnswer({ lastContact, paused, feeds, checks, ...facts }: ListedSite): SiteAnswer {
  return present({
    ...facts,
    checks: checks && present({ ...checks, oldestAt: checks.oldestAt?.toISOString() }),
    lastContact: lastContact?.toISOString(),
    paused: paused.map(pauseAnswer),
    feeds: feeds.map(toFeedAnswer),
  });
}

function pauseAnswer({ what, reason, since }: Omit<Pause, 'site'>): PausedSiteAnswer['paused'][number] {
  return { what, reason, since: since.toISOString() };
}

function explainAnswer({ sentence, next, details }: Explanation): ExplainAnswer {
  if (details === undefined) return { sentence, next };
  return { sentence, next, details: present({ ...details, lastEventAt: details.lastEventAt?.toISOString() }) };
}

function toFeedAnswer(feed: Feed): SiteAnswer['feeds'][number] {
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
