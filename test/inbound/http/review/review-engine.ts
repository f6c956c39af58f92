// The doors of launches and of the review on a real HTTP server, with an EHR that launches, and stores in memory.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Router } from 'express';
import { checkNote, markNote } from '../../../../src/domain/note/check-note.ts';
import type { StepResults } from '../../../../src/domain/run/step-results.ts';
import type { LaunchSettings } from '../../../../src/domain/site/launch-settings.ts';
import { makeRetractSession } from '../../../../src/flows/chart-writing/retract-session.ts';
import { makeOperateRuns } from '../../../../src/flows/operations/operate-runs.ts';
import { makeBreakGlass } from '../../../../src/flows/people/break-glass.ts';
import { makeCloseSession } from '../../../../src/flows/people/close-session.ts';
import { makeLaunch } from '../../../../src/flows/people/launch.ts';
import { makeOpenSession } from '../../../../src/flows/people/open-session.ts';
import { makeOwnAccount } from '../../../../src/flows/people/own-account.ts';
import { makeRequireOpenChart } from '../../../../src/flows/people/require-open-chart.ts';
import { makeVisitPage } from '../../../../src/flows/people/visit-page.ts';
import { makeClaimDrafts } from '../../../../src/flows/reviews/claim-drafts.ts';
import { makeListDrafts } from '../../../../src/flows/reviews/list-drafts.ts';
import { makeReadDraft } from '../../../../src/flows/reviews/read-draft.ts';
import { makeReviewRun } from '../../../../src/flows/reviews/review-run.ts';
import { makeLaunchRouter } from '../../../../src/inbound/http/launch/launch-routes.ts';
import { makeRefusedLaunches } from '../../../../src/inbound/http/launch/refused-launches.ts';
import { makeDocsRouter } from '../../../../src/inbound/http/pages/docs-routes.ts';
import { makeReviewRouter } from '../../../../src/inbound/http/review/review-routes.ts';
import { makeApp } from '../../../../src/inbound/http/server/app.ts';
import { makeWrongKeyThrottle } from '../../../../src/inbound/http/server/wrong-keys.ts';
import { makeSmartSignIn } from '../../../../src/outbound/smart/smart-sign-in.ts';
import { makeLogger } from '../../../../src/platform/logger.ts';
import { makeMetrics } from '../../../../src/platform/metrics.ts';
import { systemRuntime } from '../../../../src/platform/system-runtime.ts';
import type { LoadedSite } from '../../../../src/ports/sites.ts';
import { makeFakeAudit } from '../../../fakes/audit.ts';
import { makeFakeEhr } from '../../../fakes/ehr.ts';
import { makeFakeEhrKnowledge } from '../../../fakes/ehr-knowledge.ts';
import { makeFakeLedger } from '../../../fakes/ledger.ts';
import { makeFakeNotices } from '../../../fakes/notices.ts';
import { makeFakeOpenedCharts } from '../../../fakes/opened-charts.ts';
import { makeFakePeople } from '../../../fakes/people.ts';
import { makeFakePersonSessions } from '../../../fakes/person-sessions.ts';
import { makeFakeReasoner } from '../../../fakes/reasoner.ts';
import { makeFakeReleases } from '../../../fakes/releases.ts';
import { makeFakeRuns } from '../../../fakes/runs.ts';
import { makeFakeSignInAttempts } from '../../../fakes/sign-in-attempts.ts';
import { aSite } from '../../../support/chart-facts.ts';
import { makeLocalServers } from '../../../support/local-servers.ts';
import { startSmartServer } from '../../../support/smart-server.ts';
import { aKeptRun, HELD, RESULTS } from '../../../support/stored-runs.ts';

type Options = { readonly maxRefusals?: number /** The rules take no instruction. */; readonly engine?: string };

export async function startReviewEngine({ maxRefusals = 1_000, engine = 'fake:reasoner' }: Options = {}) {
  const servers = makeLocalServers();
  const smart = await startSmartServer(servers);
  const runtime = systemRuntime;
  const people = makeFakePeople();
  const personSessions = makeFakePersonSessions({ people });
  const audit = makeFakeAudit();
  const stores = makeFakeRuns();
  const ehr = makeFakeEhr({ resources: [] });
  const loaded = new Map<string, LoadedSite>();
  const sites = {
    current: () => ({ sites: loaded, problems: [], stale: new Set<string>(), unavailable: new Set<string>() }),
  };
  const setSite = (name: string, launch?: Partial<LaunchSettings>) =>
    loaded.set(name, siteOf(name, launch && { ...launchSettings(smart.fhirBase), ...launch }));
  setSite('mercy', {});

  const logged: string[] = [];
  const logger = makeLogger({ level: 'info', destination: { write: (line: string) => void logged.push(line) } });
  const metrics = makeMetrics();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://localhost:${(server.address() as AddressInfo).port}`;

  let shiftMs = 0;
  const openedCharts = makeFakeOpenedCharts({ now: () => new Date(Date.now() + shiftMs) });
  const [releases, notices] = [makeFakeReleases(), makeFakeNotices()];
  const requireOpenChart = makeRequireOpenChart({ ...stores, releases, openedCharts });
  const parts = { ...stores, requireOpenChart, people, personSessions, audit, sites, runtime };
  const formTokenOf = (id: string) => Buffer.from(runtime.digest(`form ${id}`)).toString('base64url');
  const visitPage = makeVisitPage({ ...parts, formTokenOf });
  const closeSession = makeCloseSession(parts);
  const operateRuns = makeOperateRuns({
    ...parts,
    findEncounters: async () => ({ encounters: [], isComplete: true }),
    onAccepted: () => undefined,
  });
  const claimDrafts = makeClaimDrafts({ ...parts, notices });
  const retractSession = makeRetractSession({
    ehrs: ehr.ehrs,
    ledger: makeFakeLedger({ now: runtime.now }),
    knowledge: makeFakeEhrKnowledge({ now: runtime.now }),
    runtime: { ...ehr.runtime, now: runtime.now },
    searchLagMs: 60_000,
  });
  const many = { maxFailures: 1_000, windowSeconds: 60 };
  const openSession = makeOpenSession(parts);
  const reasoner = { ...makeFakeReasoner(), engine };
  const app = makeApp({
    routers: {
      health: Router(),
      home: Router(),
      docs: makeDocsRouter({ makeDocument: () => Promise.reject(new Error('not in this test')) }),
      ops: Router(),
      signIn: Router(),
      device: Router(),
      cds: Router(),
      diagnose: Router(),
      transcribe: Router(),
      jobs: Router(),
      ehr: Router(),
      launch: makeLaunchRouter({
        launch: makeLaunch({
          ...parts,
          ehrSignIn: makeSmartSignIn(runtime),
          signInAttempts: makeFakeSignInAttempts(),
          openSession,
          publicUrl: baseUrl,
        }),
        visitPage,
        closeSession,
        refusedLaunches: makeRefusedLaunches({
          throttle: makeWrongKeyThrottle({ ...many, maxFailures: maxRefusals }),
          mostKept: makeWrongKeyThrottle(many),
          audit,
          logger,
        }),
        sites,
        logger,
        runtime,
      }),
      review: makeReviewRouter({
        ...parts,
        visitPage,
        listDrafts: makeListDrafts(parts),
        readDraft: makeReadDraft({ ...parts, operateRuns, claimDrafts, reasoner }),
        reviewRun: makeReviewRun({
          ...parts,
          reasoner,
          retractSession,
          onDecided: () => undefined,
        }),
        breakGlass: makeBreakGlass({ ...parts, releases, openedCharts, notices }),
        ownAccount: makeOwnAccount({
          personSessions,
          audit,
          closeSession: makeCloseSession({ personSessions, audit }),
        }),
        logger,
        ownOrigin: baseUrl,
        base: '',
      }),
    },
    corsOrigins: [],
    trustProxyHops: 0,
    metrics,
    logger,
    tracing: { startSpan: () => ({ run: (work: () => unknown) => work(), end: () => undefined }) as never },
    monotonicMs: runtime.monotonicMs,
  });
  server.on('request', app);
  return {
    baseUrl,
    smart,
    people,
    personSessions,
    audit,
    notices,
    openedCharts,
    /** Charts that were opened close again as time goes on. */
    advance(ms: number) {
      shiftMs += ms;
    },
    stores,
    logged,
    setSite,
    openSession,
    formTokenOf,
    /** A held draft of `Encounter/123` of mercy, if not said otherwise. */
    aDraft: (more: Parameters<typeof aKeptRun>[1] = {}) =>
      aKeptRun(stores, { encounter: 'Encounter/123', session: 's-1', results: DRAFT_RESULTS, end: HELD, ...more }),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await servers.close();
    },
  };
}

export type ReviewEngine = Awaited<ReturnType<typeof startReviewEngine>>;

function launchSettings(fhirBase: string): LaunchSettings {
  return {
    clientId: 'chartwright',
    client: { kind: 'secret', clientSecret: 'a secret made up for tests' },
    issuers: [fhirBase],
    scopes: ['launch', 'openid', 'fhirUser'],
    newReviewers: true,
    frameOrigins: [],
    idTokenAlgorithms: ['ES256'],
  };
}

function siteOf(name: string, launch: LaunchSettings | undefined): LoadedSite {
  const site = aSite({});
  const identifiers = { mrn: 'urn:oid:1.2.3' };
  return {
    ...site,
    name,
    settings: {
      ...site.settings,
      privacy: { to: 'privacy@mercy.example' },
      identifiers,
      timeZone: 'America/Chicago',
      ...(launch && { launch }),
    },
  };
}

const DRAFT_NOTE = {
  note: {
    title: 'Emergency department note',
    sections: [
      { key: 'SUBJECTIVE', title: 'Subjective', text: 'Chest pain for two hours. The patient takes warfarin 5 mg.' },
      { key: 'PLAN', title: 'Plan', text: 'ECG at once.' },
    ],
  },
} as const;

const TALK = {
  language: 'en',
  durationSeconds: 70,
  utterances: [
    { speaker: 0, text: 'What brings you here?', startSeconds: 0, endSeconds: 2, confidence: 0.9 },
    { speaker: 1, text: 'I have had chest pain for two hours.', startSeconds: 3, endSeconds: 7, confidence: 0.9 },
    { speaker: 1, text: 'And I am allergic to penicillin.', startSeconds: 61, endSeconds: 64, confidence: 0.9 },
    { speaker: 0, text: 'We will do an ECG at once.', startSeconds: 65, endSeconds: 68, confidence: 0.9 },
  ],
} as const;

const REPORT = checkNote({ note: DRAFT_NOTE, transcript: TALK, language: 'en', maxUnsupported: {} });

/** Of a made-up patient, with a drug that no one has said, an allergy that is missing, and a RED triage. */
const DRAFT_RESULTS = {
  'read-chart': {
    encounter: {
      resourceType: 'Encounter',
      id: '123',
      status: 'finished',
      class: { code: 'EMER' },
      period: { start: '2026-11-21T14:30:00Z' },
      location: [{ location: { display: 'Emergency, bay 4' } }],
    },
    patient: {
      resourceType: 'Patient',
      id: '1',
      name: [{ given: ['Rosa'], family: '<b>Delgado</b>' }],
      birthDate: '1961-04-02',
      gender: 'female',
      identifier: [{ system: 'urn:oid:1.2.3', value: 'MRN-0042' }],
    },
    chart: {},
    history: '',
    omissions: [],
    sources: [],
    speechLanguage: 'en',
    language: 'en',
    wanted: {},
  },
  ...RESULTS,
  transcribe: { ...RESULTS.transcribe, transcript: TALK },
  'write-note': { ...RESULTS['write-note'], note: DRAFT_NOTE },
  diagnose: {
    ...RESULTS.diagnose,
    diagnosis: {
      diagnosis: {
        diseases: [
          {
            name: 'Acute coronary syndrome',
            icd10_code: 'I24.9',
            probability: 0.62,
            why: 'Chest pain for two hours.',
            diagnostic_tests: ['ECG', 'Troponin'],
            standard_care: [],
            category: 'cant-miss',
          },
          {
            name: 'Gastro-oesophageal reflux',
            icd10_code: 'K21.9',
            probability: 0.2,
            why: 'Common cause of chest pain.',
            diagnostic_tests: [],
            standard_care: [],
            category: 'expanded',
          },
        ],
      },
      triage: {
        triage_level: 'RED',
        triage_justification: 'Chest pain for two hours.',
        triage_recommendation: 'See the patient now.',
      },
    },
  },
  check: { report: REPORT, note: markNote({ note: DRAFT_NOTE, report: REPORT, language: 'en' }) },
} satisfies Partial<StepResults>;
