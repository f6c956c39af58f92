// The real /ops behind a real HTTP server, on stores in memory and a clock that stands still until a test moves it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import type { UsageRecord } from '../../../src/domain/usage.ts';
import { makeListSites } from '../../../src/flows/list-sites.ts';
import { makeManageKeys } from '../../../src/flows/manage-keys.ts';
import { makeManagePlans } from '../../../src/flows/manage-plans.ts';
import { makeProbeSite } from '../../../src/flows/probe-site.ts';
import { makeReconcileSite } from '../../../src/flows/reconcile-site.ts';
import { makeReportUsage } from '../../../src/flows/report-usage.ts';
import { sendError } from '../../../src/inbound/http/error-response.ts';
import { makeOpsRouter } from '../../../src/inbound/http/ops-routes.ts';
import { makeRequestGate } from '../../../src/inbound/http/request-gate.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import type { LoadedSite, SitesSnapshot } from '../../../src/ports/sites.ts';
import { makeFakeEhr } from '../../fakes/ehr.ts';
import { makeFakeEhrKnowledge } from '../../fakes/ehr-knowledge.ts';
import { makeFakeKeys } from '../../fakes/keys.ts';
import { makeFakeLedger } from '../../fakes/ledger.ts';
import { makeFakePlans } from '../../fakes/plans.ts';
import { makeFakeUsage } from '../../fakes/usage.ts';
import { aMapping, aSite } from '../../support/chart-facts.ts';

export const OPERATOR_KEY = 'operator-key-for-tests-0123456789abcdef';
const START = new Date('2026-11-21T08:00:00Z');

export async function startOpsEngine() {
  let time = START;
  const now = () => time;
  const runtime = { ...systemRuntime, now };
  const plans = makeFakePlans();
  const keys = makeFakeKeys({ plans, now });
  const usage = makeFakeUsage({ now });
  const ehr = makeFakeEhr();
  const ledger = makeFakeLedger({ now });
  const snapshot: SitesSnapshot = {
    sites: new Map([['mercy', mercy()]]),
    problems: [],
    stale: new Set(['mercy']),
    unavailable: new Set(['st-mary']),
  };
  const sites = { current: () => snapshot };
  const siteRuntime = { ...ehr.runtime, now };
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use(makeRequestGate());
  app.use(
    '/ops',
    makeOpsRouter({
      manageKeys: makeManageKeys({ keys, plans, runtime }),
      managePlans: makeManagePlans({ plans }),
      reportUsage: makeReportUsage({ usage, runtime }),
      sites,
      listSites: makeListSites({ sites, ledger, lastContact: () => START }),
      probeSite: makeProbeSite({
        ehrs: ehr.ehrs,
        knowledge: makeFakeEhrKnowledge({ now }),
        ledger,
        runtime: siteRuntime,
        searchLagMs: 60_000,
      }),
      reconcileSite: makeReconcileSite({ ehrs: ehr.ehrs, ledger, searchLagMs: 90_000 }),
      operatorKeyDigest: runtime.digest(OPERATOR_KEY),
      runtime,
    }),
  );
  const answerFailure: ErrorRequestHandler = (thrown, req, res, _next) => sendError(req, res, 'ops', thrown);
  app.use(answerFailure);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    plans,
    usage,
    ehr,
    ledger,
    setTime: (text: string) => {
      time = new Date(text);
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Of a made-up hospital whose notes say next to nothing, at an address that everybody can listen to. */
function mercy(): LoadedSite {
  const composition = aMapping(() => ({ resourceType: 'Composition', status: 'preliminary', title: 'Note' }));
  const site = aSite({ organization: 'mercy-general', mappings: { composition } });
  const baseUrl = 'http://ehr.example.org/fhir';
  const ehr = { baseUrl, auth: { type: 'none' }, maxConcurrentWrites: 2, headers: {} } as const;
  return { ...site, settings: { ...site.settings, ehr } };
}

export type OpsEngine = Awaited<ReturnType<typeof startOpsEngine>>;

export function aUsageRecord(parts: Partial<UsageRecord> = {}): UsageRecord {
  return {
    requestId: 'request-1',
    keyId: '0123456789abcdef',
    organization: 'mercy',
    operation: 'transcribe',
    startedAt: START,
    durationMs: 5000,
    aiMs: 4000,
    audioSeconds: 90.5,
    outcome: 'success',
    status: 200,
    ...parts,
  };
}
