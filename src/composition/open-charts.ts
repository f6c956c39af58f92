// The EHRs of all sites and the ledger of what was written to them, with what looks after both.

import type { WriteTest } from '../domain/chart/probe-report.ts';
import { AppError } from '../domain/errors.ts';
import { countFindings, makeCheckCharts } from '../flows/health/check-charts.ts';
import { type ListSites, makeListSites } from '../flows/operations/list-sites.ts';
import { makeProbeSite, type ProbeSite } from '../flows/probing/probe-site.ts';
import { makeReconcileSite, type ReconcileSite } from '../flows/reconciling/reconcile-site.ts';
import { type OnCancelled, startReconcileScheduler } from '../inbound/clock/reconcile-scheduler.ts';
import { type EhrCallReport, makeFhirEhrs } from '../outbound/fhir/fhir-ehrs.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { Ehrs } from '../ports/ehr.ts';
import type { HealthCheck } from '../ports/health.ts';
import type { Reasoner } from '../ports/reasoner.ts';
import type { CheckResources } from '../ports/resource-check.ts';
import type { Sites } from '../ports/sites.ts';
import { openValidator, type Validator } from '../validation/open-validator.ts';
import type { EngineContext } from './engine-context.ts';
import type { Stores } from './make-stores.ts';

export type Charts = {
  readonly ehrs: Ehrs;
  /** All that was learned of a site's EHR is forgotten. */
  readonly renewEhr: (site: string) => Promise<void>;
  readonly check: CheckResources;
  readonly searchLagMs: number;
  readonly listSites: ListSites;
  readonly probeSite: ProbeSite;
  readonly reconcileSite: ReconcileSite;
  readonly health: HealthCheck;
  /** From then on the charts are looked at from time to time. */
  readonly startReconciling: (onCancelled: OnCancelled) => void;
  /** What is tried at an EHR ends, and removes what it made. To be called before the connections of those who asked are closed. */
  readonly stopProbes: () => Promise<void>;
};

const COMPONENT = { component: 'charts' } as const;
const MINUTE_MS = 60_000;
const ROUNDS_GRACE_MS = 5_000;

type ChartParts = {
  readonly stores: Stores;
  readonly sites: Sites;
  readonly reasoner: Pick<Reasoner, 'engine'>;
};

export function openCharts(house: EngineContext, { stores, sites, reasoner }: ChartParts): Charts {
  const { config, logger, metrics, shutdown } = house;
  const runtime = systemRuntime;
  const searchLagMs = config.EHR_SEARCH_LAG_SECONDS * 1000;
  const { ledger, knowledge, pauses, feeds } = stores;
  const contacts = makeContacts();
  const onCall = (call: EhrCallReport) => {
    contacts.note(call);
    metrics.ehrCalled(call);
  };
  const ehrParts = { knowledge, runtime, onCall };
  const ehrs = makeFhirEhrs(ehrParts);
  shutdown.add({ name: 'EHR connections', close: ehrs.close });
  const validator = makeLazyValidator();
  shutdown.add({ name: 'validation', close: validator.close });

  const reconcileSite = makeReconcileSite({ ehrs, ledger, searchLagMs });
  metrics.watchEach({
    name: 'chartwright_chart_findings',
    help: 'Open findings in the charts by kind',
    label: 'kind',
    read: () => countFindings({ ledger }),
  });

  const probes = makeProbes(
    (probeEhrs) =>
      makeProbeSite({
        ehrs: probeEhrs,
        reasoner,
        knowledge,
        ledger,
        check: validator.check,
        runtime,
        searchLagMs,
        onLeftBehind: (site, { identifier, leftBehind }: WriteTest) =>
          logger.warn(`test data is left at ${site}, to be removed by hand: search for ${identifier}`, {
            ...COMPONENT,
            count: leftBehind.length,
          }),
      }),
    () => makeFhirEhrs(ehrParts),
  );
  const startReconciling = (onCancelled: OnCancelled): void => {
    const rounds = startReconcileScheduler({
      sites,
      ledger,
      reconcileSite,
      onCancelled,
      runtime,
      everyMs: config.RECONCILE_MINUTES * MINUTE_MS,
      onFindings: (site, count) =>
        logger.warn(`something is amiss in the charts of ${site}: npm run cli -- sites reconcile ${site}`, {
          ...COMPONENT,
          count,
        }),
      onFailed: (site, thrown) => logger.warn(`the charts of ${site} could not be looked at`, { ...COMPONENT, thrown }),
    });
    shutdown.add({ name: 'reconciler', close: rounds.stop, timeoutMs: ROUNDS_GRACE_MS });
  };
  return {
    ehrs,
    renewEhr: async (site) => {
      await knowledge.forget(site);
      ehrs.renew(site);
    },
    check: validator.check,
    searchLagMs,
    startReconciling,
    listSites: makeListSites({ sites, reasoner, ledger, pauses, feeds, lastContact: contacts.of }),
    probeSite: probes.probeSite,
    reconcileSite,
    health: makeCheckCharts({ ledger }),
    stopProbes: probes.stop,
  };
}

/** Each with connections of its own: what was learned of the EHR minutes ago, good or bad, must not be taken for what it is now. */
function makeProbes(
  make: (ehrs: Ehrs) => ProbeSite,
  openEhrs: () => Ehrs & { readonly close: () => void },
): { readonly probeSite: ProbeSite; readonly stop: () => Promise<void> } {
  const stopping = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  return {
    async probeSite(order, signal) {
      const ehrs = openEhrs();
      const work = make(ehrs)(order, AbortSignal.any([signal, stopping.signal]));
      underWay.add(work);
      try {
        return await work;
      } finally {
        underWay.delete(work);
        ehrs.close();
      }
    },
    async stop() {
      stopping.abort(new AppError('shuttingDown', 'The service is restarting; try again in a moment'));
      await Promise.allSettled(underWay);
    },
  };
}

/** Loading the definitions takes a second and 190 MB: nobody pays for it before the first question. */
function makeLazyValidator(): { readonly check: CheckResources; readonly close: () => Promise<void> } {
  let validator: Validator | undefined;
  return {
    check: (resources, signal, options) => {
      validator ??= openValidator();
      return validator.validate(resources, signal, options);
    },
    close: async () => validator?.close(),
  };
}

/** When each site's EHR last answered. What is kept for a while, and what was never sent, says nothing of that. */
function makeContacts() {
  const times = new Map<string, Date>();
  return {
    note({ site, operation, outcome }: EhrCallReport): void {
      if (operation !== 'capabilities' && !NO_ANSWER.has(outcome)) times.set(site, systemRuntime.now());
    },
    of: (site: string) => times.get(site),
  };
}

const NO_ANSWER = new Set(['unknown', 'busy', 'ehrUnavailable', 'internal', 'cancelled', 'abandoned', 'shuttingDown']);
