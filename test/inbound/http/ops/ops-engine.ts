// The real /ops routes on a real HTTP server, with stores in memory and a fake clock.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import type { UsageRecord } from '../../../../src/domain/access/usage.ts';
import { AppError } from '../../../../src/domain/errors.ts';
import { makeManageCallbacks } from '../../../../src/flows/admin/manage-callbacks.ts';
import { makeManageKeys } from '../../../../src/flows/admin/manage-keys.ts';
import { makeManagePlans } from '../../../../src/flows/admin/manage-plans.ts';
import { makeManageReviewers } from '../../../../src/flows/admin/manage-reviewers.ts';
import { makeReportUsage } from '../../../../src/flows/admin/report-usage.ts';
import { makeRotateMasterKey } from '../../../../src/flows/admin/rotate-master-key.ts';
import { makeRetractRun } from '../../../../src/flows/chart-writing/retract-run.ts';
import { makeRetractSession } from '../../../../src/flows/chart-writing/retract-session.ts';
import { makeManageCodes } from '../../../../src/flows/codes/import-codes.ts';
import { makeAcceptEvent } from '../../../../src/flows/intake/accept-event.ts';
import { makeUnderstandEvent } from '../../../../src/flows/intake/understand-event.ts';
import { makeExplainEncounter } from '../../../../src/flows/operations/explain-encounter.ts';
import { makeListQuarantined } from '../../../../src/flows/operations/list-quarantined.ts';
import { makeListSites } from '../../../../src/flows/operations/list-sites.ts';
import { makeOpenQuarantined } from '../../../../src/flows/operations/open-quarantined.ts';
import { makeOperateRuns } from '../../../../src/flows/operations/operate-runs.ts';
import { makePauseSite } from '../../../../src/flows/operations/pause-site.ts';
import { makeReadAudit } from '../../../../src/flows/operations/read-audit.ts';
import { makeRecallRuns } from '../../../../src/flows/operations/recall-runs.ts';
import { makeResumeRuns } from '../../../../src/flows/operations/resume-runs.ts';
import { makeBreakGlass } from '../../../../src/flows/people/break-glass.ts';
import { makeIdentifyCaller } from '../../../../src/flows/people/identify-caller.ts';
import { makeRequireOpenChart } from '../../../../src/flows/people/require-open-chart.ts';
import { makeProbeSite } from '../../../../src/flows/probing/probe-site.ts';
import { makeReconcileSite } from '../../../../src/flows/reconciling/reconcile-site.ts';
import { makeClaimDrafts } from '../../../../src/flows/reviews/claim-drafts.ts';
import { makeListDrafts } from '../../../../src/flows/reviews/list-drafts.ts';
import { makeReviewRun } from '../../../../src/flows/reviews/review-run.ts';
import { makeFindRecordings } from '../../../../src/flows/run-steps/find-recordings.ts';
import { makeOpsRouter } from '../../../../src/inbound/http/ops/ops-routes.ts';
import { makeRunFeed } from '../../../../src/inbound/http/ops/ops-runs-feed.ts';
import { makeRefusedKeys } from '../../../../src/inbound/http/ops/refused-keys.ts';
import { sendError } from '../../../../src/inbound/http/server/error-response.ts';
import { makeRequestGate } from '../../../../src/inbound/http/server/request-gate.ts';
import { makeWrongKeyThrottle } from '../../../../src/inbound/http/server/wrong-keys.ts';
import { systemRuntime } from '../../../../src/platform/system-runtime.ts';
import type { LoadedSite, SitesSnapshot } from '../../../../src/ports/sites.ts';
import { makeSandboxRoutes } from '../../../../src/sandbox/http/sandbox-routes.ts';
import { makeOperateSandbox } from '../../../../src/sandbox/operate-sandbox.ts';
import { makeFakeAudit } from '../../../fakes/audit.ts';
import { makeFakeCodeLists } from '../../../fakes/code-lists.ts';
import { makeFakeEhr } from '../../../fakes/ehr.ts';
import { makeFakeEhrKnowledge } from '../../../fakes/ehr-knowledge.ts';
import { makeFakeFeeds } from '../../../fakes/feeds.ts';
import { makeFakeKeyRotation } from '../../../fakes/key-rotation.ts';
import { makeFakeKeys } from '../../../fakes/keys.ts';
import { makeFakeLedger } from '../../../fakes/ledger.ts';
import { makeFakeNotices } from '../../../fakes/notices.ts';
import { makeFakeOpenedCharts } from '../../../fakes/opened-charts.ts';
import { makeFakePauses } from '../../../fakes/pauses.ts';
import { makeFakePeople } from '../../../fakes/people.ts';
import { makeFakePersonSessions } from '../../../fakes/person-sessions.ts';
import { makeFakePlans } from '../../../fakes/plans.ts';
import { makeFakeReasoner } from '../../../fakes/reasoner.ts';
import { makeFakeReleases } from '../../../fakes/releases.ts';
import { makeFakeReviewers } from '../../../fakes/reviewers.ts';
import { makeFakeRuns } from '../../../fakes/runs.ts';
import { fakeOpenChart, makeFakeSandbox } from '../../../fakes/sandbox.ts';
import { makeFakeServiceTokens } from '../../../fakes/service-tokens.ts';
import { makeFakeUsage } from '../../../fakes/usage.ts';
import { aMapping, aSite } from '../../../support/chart-facts.ts';
import { aQueuedRun } from '../../../support/stored-runs.ts';
import { makeOpsAccounts } from './ops-accounts.ts';

export const OPERATOR_KEY = 'operator-key-for-tests-0123456789abcdef';
/** The interval between two polls for changes of runs. */
const POLL_MS = 20;
const START = new Date('2026-11-21T08:00:00Z');

/** The number of runs that a reset deletes. */
export const FORGOTTEN = 4;

const MANY = { maxFailures: 100_000, windowSeconds: 60 };

/** Sees the calls of a store: it returns the store, or one that does the same. */
export type WatchStore = <Store extends object>(name: string, store: Store) => Store;

type OpsOptions = {
  readonly hasSandbox?: boolean;
  readonly wrongKeys?: typeof MANY;
  readonly keptRefusals?: typeof MANY;
  /** Is given each store. */
  readonly watch?: WatchStore;
};

export async function startOpsEngine(options: OpsOptions = {}) {
  const { hasSandbox = true, watch = (_name, store) => store } = options;
  let time = START;
  const now = () => time;
  const runtime = { ...systemRuntime, now };
  const plans = watch('plans', makeFakePlans());
  const keys = watch('keys', makeFakeKeys({ plans, now }));
  const usage = watch('usage', makeFakeUsage({ now }));
  // The practitioner whose account the tests create.
  const ehr = makeFakeEhr({ resources: [{ resourceType: 'Practitioner', id: '7' }] });
  const ledger = watch('ledger', makeFakeLedger({ now }));
  const made = makeFakeRuns({ now });
  const { inbox, queue, runs } = made;
  const stores = {
    ...made,
    inbox: watch('inbox', inbox),
    queue: watch('queue', queue),
    runs: watch('runs', runs),
  };
  const hospital = makeFakeSandbox({
    now,
    // As the event that is sent then does.
    onFinish: async ({ encounter }) => void (await aQueuedRun(stores, { site: 'sandbox', encounter })),
  });
  const pauses = watch('pauses', makeFakePauses({ now }));
  const releases = watch('releases', makeFakeReleases());
  const feeds = watch('feeds', makeFakeFeeds({ now }));
  const codes = watch('codes', makeFakeCodeLists({ now }));
  const openedCharts = watch('openedCharts', makeFakeOpenedCharts({ now }));
  const reviewers = watch('reviewers', makeFakeReviewers({ now }));
  const fakePeople = makeFakePeople({ now });
  const people = watch('people', fakePeople);
  const personSessions = watch('personSessions', makeFakePersonSessions({ people: fakePeople, now }));
  const serviceTokens = watch('serviceTokens', makeFakeServiceTokens({ now }));
  const auditStore = watch('audit', makeFakeAudit({ now }));
  const notices = watch('notices', makeFakeNotices({ now }));
  const trail = { isAway: false };
  const audit: typeof auditStore = {
    ...auditStore,
    append: (entry) =>
      trail.isAway
        ? Promise.reject(new AppError('overloaded', 'The database cannot be reached'))
        : auditStore.append(entry),
  };
  let isStopping = false;
  const found: string[] = [];
  const snapshot: SitesSnapshot = {
    sites: new Map([
      ['mercy', mercy()],
      ['general', { ...mercy(), name: 'general' }],
      ['sandbox', { ...mercy('http://127.0.0.1:8080/fhir/R4'), name: 'sandbox', isTrial: true }],
    ]),
    problems: [],
    stale: new Set(['mercy']),
    unavailable: new Set(['st-mary']),
  };
  const sites = { current: () => snapshot };
  const siteRuntime = { ...ehr.runtime, now };
  const onWork = () => undefined;

  function makeRunFlows() {
    const chartParts = {
      ehrs: ehr.ehrs,
      ledger,
      knowledge: makeFakeEhrKnowledge({ now }),
      check: async () => [],
      runtime: siteRuntime,
      searchLagMs: 60_000,
    };
    const retractSession = makeRetractSession(chartParts);
    const takeBack = makeRetractRun({ retractSession, runs: stores.runs, ledger, pauses, audit, runtime });
    const requireOpenChart = makeRequireOpenChart({ runs: stores.runs, releases, openedCharts });
    const runParts = { runs: stores.runs, sites, audit, runtime, requireOpenChart };
    const operateRuns = makeOperateRuns({
      ...runParts,
      inbox: stores.inbox,
      findEncounters: async () => ({ encounters: found, isComplete: true }),
      onAccepted: onWork,
    });
    const { acceptEvent } = makeAcceptEvent({
      inbox: stores.inbox,
      feeds,
      understand: makeUnderstandEvent({ onMistake: () => undefined }),
      trackUpdate: async () => undefined,
      onAccepted: onWork,
      onEvent: onWork,
      runtime,
    });
    return {
      operateRuns,
      resumeRuns: makeResumeRuns({ ...runParts, releases, startRun: operateRuns.start, onResumed: onWork }),
      openQuarantined: makeOpenQuarantined({ inbox: stores.inbox, acceptEvent, sites, audit, runtime }),
      listDrafts: makeListDrafts({ ...stores, sites, runtime }),
      claimDrafts: makeClaimDrafts({ ...runParts, drafts: stores.drafts, people, notices }),
      reviewRun: makeReviewRun({
        ...runParts,
        drafts: stores.drafts,
        reasoner: { engine: 'openai:example-model' },
        retractSession,
        onDecided: onWork,
      }),
      recallRuns: makeRecallRuns({ ledger, runs: stores.runs, sites, retractRun: takeBack, audit, runtime }),
      explainEncounter: makeExplainEncounter({
        ...runParts,
        pauses,
        feeds,
        ehrs: ehr.ehrs,
        findRecordings: makeFindRecordings({ ehrs: ehr.ehrs }),
        askPermission: async () => ({ isGranted: true }),
      }),
      pauseSite: makePauseSite({ pauses, sites, queue: stores.queue, audit, onResumed: onWork }),
      breakGlass: makeBreakGlass({ ...runParts, releases, openedCharts, notices }),
      readAudit: makeReadAudit({ audit }),
      listQuarantined: makeListQuarantined({ inbox: stores.inbox }),
      manageReviewers: makeManageReviewers({ reviewers, sites, ehrs: ehr.ehrs, audit, runtime }),
    };
  }

  const keyRotation = makeFakeKeyRotation({ now });
  const runFlows = makeRunFlows();
  const identifyCaller = makeIdentifyCaller({
    operatorKeyDigest: runtime.digest(OPERATOR_KEY),
    manageReviewers: runFlows.manageReviewers,
    people,
    personSessions,
    serviceTokens,
    runtime,
  });
  const accounts = makeOpsAccounts({
    people,
    personSessions,
    serviceTokens,
    sites,
    ehrs: ehr.ehrs,
    audit,
    runtime,
  });
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use(makeRequestGate());
  app.use(
    '/ops',
    makeOpsRouter({
      ...runFlows,
      extraSite: 'sandbox',
      ...accounts.flows,
      extraRoutes: makeSandboxRoutes(
        makeOperateSandbox({
          sandbox: hasSandbox ? hospital : undefined,
          forget: async () => FORGOTTEN,
          openChart: fakeOpenChart,
          audit,
        }),
      ),
      audit,
      runFeed: makeRunFeed({
        runs: stores.runs,
        runtime,
        isStopping: () => isStopping,
        onPollFailed: () => undefined,
        everyMs: POLL_MS,
        maxListeners: 3,
      }),
      manageKeys: makeManageKeys({ keys, plans, runtime }),
      manageCallbacks: makeManageCallbacks({
        callbacks: { set: async (id) => (await keys.find(id)) !== undefined },
        audit,
        runtime,
      }),
      managePlans: makeManagePlans({ plans }),
      rotateMasterKey: makeRotateMasterKey({ keyRotation, audit }),
      manageCodes: makeManageCodes({ codes, audit }),
      reportUsage: makeReportUsage({ usage, runtime }),
      sites,
      listSites: makeListSites({
        sites,
        reasoner: makeFakeReasoner(),
        ledger,
        lastContact: () => START,
        pauses,
        feeds,
      }),
      probeSite: makeProbeSite({
        ehrs: ehr.ehrs,
        reasoner: makeFakeReasoner(),
        knowledge: makeFakeEhrKnowledge({ now }),
        ledger,
        runtime: siteRuntime,
        searchLagMs: 60_000,
      }),
      reconcileSite: makeReconcileSite({ ehrs: ehr.ehrs, ledger, searchLagMs: 90_000 }),
      identifyCaller,
      ownOrigin: 'http://127.0.0.1',
      refusedKeys: makeRefusedKeys({
        throttle: makeWrongKeyThrottle(options.wrongKeys ?? MANY),
        mostKept: makeWrongKeyThrottle(options.keptRefusals ?? MANY),
        audit,
        logger: { warn: () => undefined },
      }),
      runtime,
    }),
  );
  app.use(accounts.deviceRouter);
  const answerFailure: ErrorRequestHandler = (thrown, req, res, _next) => sendError(req, res, 'ops', thrown);
  app.use(answerFailure);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    plans,
    codes,
    usage,
    ehr,
    ledger,
    stores,
    hospital,
    pauses,
    releases,
    notices,
    feeds,
    audit,
    people,
    personSessions,
    serviceTokens,
    reviewers,
    app,
    accounts,
    /** Makes the audit trail fail to write from now on. */
    loseTrail: () => {
      trail.isAway = true;
    },
    /** What a search at the EHR finds. */
    found,
    beginStop: () => {
      isStopping = true;
    },
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

/** A made-up site with minimal notes, at an address without TLS. */
function mercy(baseUrl = 'http://ehr.example.org/fhir'): LoadedSite {
  const composition = aMapping(() => ({ resourceType: 'Composition', status: 'preliminary', title: 'Note' }));
  const site = aSite({ organization: 'mercy-general', mappings: { composition } });
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
