// Opens the EHRs of all sites, the validator, the probes and the reconciliation.

import { AppError } from '../domain/errors.ts';
import { countFindings, makeCheckCharts } from '../flows/health/check-charts.ts';
import { type ListSites, makeListSites } from '../flows/operations/list-sites.ts';
import type { WriteTest } from '../flows/probing/probe-report.ts';
import { makeProbeSite, type ProbeSite } from '../flows/probing/probe-site.ts';
import { makeReconcileSite, type ReconcileSite } from '../flows/reconciling/reconcile-site.ts';
import { type OnReconciled, startReconcileScheduler } from '../inbound/clock/reconcile-scheduler.ts';
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
  /** Forgets all facts that were learned about a site's EHR. */
  readonly renewEhr: (site: string) => Promise<void>;
  readonly check: CheckResources;
  readonly searchLagMs: number;
  readonly listSites: ListSites;
  readonly probeSite: ProbeSite;
  readonly reconcileSite: ReconcileSite;
  readonly health: HealthCheck;
  /** Starts the regular reconciliation of all live sites. */
  readonly startReconciling: (onReconciled: OnReconciled) => void;
  /** Ends the probes, which then delete their test data. Call it before the connections of their callers are closed. */
  readonly stopProbes: () => Promise<void>;
};

const COMPONENT = { component: 'charts' } as const;
const MINUTE_MS = 60_000;
const RECONCILER_GRACE_MS = 5_000;

type ChartParts = {
  readonly stores: Stores;
  readonly sites: Sites;
  readonly reasoner: Pick<Reasoner, 'engine'>;
};

export function openCharts(context: EngineContext, { stores, sites, reasoner }: ChartParts): Charts {
  const { config, logger, metrics, shutdown } = context;
  const runtime = systemRuntime;
  const searchLagMs = config.EHR_SEARCH_LAG_SECONDS * 1000;
  const { ledger, knowledge, pauses, feeds } = stores;
  const contacts = makeContacts();
  const onCall = (call: EhrCallReport) => {
    contacts.note(call);
    metrics.ehrCalled(call);
  };
  const ehrParts = { knowledge, runtime, tracing: context.tracing, onCall };
  const ehrs = makeFhirEhrs(ehrParts);
  shutdown.add({ name: 'EHR connections', close: ehrs.close });
  const validator = makeLazyValidator();
  shutdown.add({ name: 'validation', close: validator.close });

  const reconcileSite = makeReconcileSite({ ehrs, ledger, searchLagMs });
  metrics.watchEach({
    name: 'chartwright_chart_findings',
    help: 'Open findings in the charts by kind',
    label: 'kind',
    read: () => countFindings({ ledger, runtime }),
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
          logger.warn(`test data could not be deleted at ${site}: search for ${identifier} and delete it by hand`, {
            ...COMPONENT,
            count: leftBehind.length,
          }),
      }),
    () => makeFhirEhrs(ehrParts),
  );
  const startReconciling = (onReconciled: OnReconciled): void => {
    const scheduler = startReconcileScheduler({
      sites,
      ledger,
      reconcileSite,
      onReconciled,
      runtime,
      everyMs: config.RECONCILE_MINUTES * MINUTE_MS,
      onFindings: (site, count) =>
        logger.warn(`reconciliation found discrepancies in charts of ${site}: npm run cli -- sites reconcile ${site}`, {
          ...COMPONENT,
          count,
        }),
      onFailed: (site, thrown) => logger.warn(`reconciliation of ${site} failed`, { ...COMPONENT, thrown }),
    });
    shutdown.add({ name: 'reconciler', close: scheduler.stop, timeoutMs: RECONCILER_GRACE_MS });
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
    health: makeCheckCharts({ ledger, runtime }),
    stopProbes: probes.stop,
  };
}

/** Each probe has its own connections, so that cached facts about the EHR do not influence it. */
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

/** The definitions take a second and 190 MB to load, so they are loaded at the first call. */
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

/** The time of the last answer of each site's EHR. Cached answers and unsent requests do not count. */
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
