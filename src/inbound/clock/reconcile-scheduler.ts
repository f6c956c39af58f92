// Compares the charts of all live sites with the ledger at regular times. A site that fails or is slow delays no other site. Engines that
// share a database take a lease for each site, so that each site is checked once in an interval.
import type { ReconcileReport, ReconcileSite } from '../../flows/reconciling/reconcile-site.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';
import { startRepeating } from './repeat.ts';

export type ReconcileScheduler = {
  /** Starts nothing further; resolves when the checks under way have ended. */
  readonly stop: () => Promise<void>;
};

/** Called after a check that has found something to act on. */
export type OnReconciled = (site: LoadedSite, report: ReconcileReport, signal: AbortSignal) => Promise<void>;

type SchedulerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly ledger: Pick<Ledger, 'acquire' | 'release' | 'dueForCheck'>;
  readonly reconcileSite: ReconcileSite;
  readonly runtime: Pick<Runtime, 'pause' | 'chance' | 'makeUuid'>;
  readonly everyMs: number;
  readonly onReconciled: OnReconciled;
  readonly onFindings: (site: string, count: number) => void;
  readonly onFailed: (site: string, thrown: unknown) => void;
};

/** Spreads the first checks of engines that were started together. */
const MAX_FIRST_PAUSE_MS = 60_000;
/** The part of the interval for which the lease keeps other engines from checking the same site. */
const LEASE_SHARE = 0.8;

export function startReconcileScheduler(parts: SchedulerParts): ReconcileScheduler {
  const { runtime, everyMs, sites, onFailed } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const holder = `reconciler ${runtime.makeUuid()}`;
  const underWay = new Map<string, Promise<void>>();

  const begin = (site: LoadedSite): void => {
    if (underWay.has(site.name)) return;
    const work = reconcileOne(site, parts, { holder, signal })
      .catch((thrown) => {
        if (!signal.aborted) onFailed(site.name, thrown);
      })
      .finally(() => underWay.delete(site.name));
    underWay.set(site.name, work);
  };

  const schedule = startRepeating({
    runtime,
    everyMs,
    maxFirstPauseMs: Math.min(everyMs, MAX_FIRST_PAUSE_MS),
    work: async () => {
      for (const site of sites.current().sites.values()) if (site.settings.mode === 'live') begin(site);
    },
    onFailed: (thrown) => onFailed('all sites', thrown),
  });
  return {
    async stop() {
      stopping.abort(new Error('the engine is stopping'));
      await schedule.stop();
      await Promise.all(underWay.values());
    },
  };
}

type Holder = { readonly holder: string; readonly signal: AbortSignal };

async function reconcileOne(
  site: LoadedSite,
  { ledger, reconcileSite, everyMs, onReconciled, onFindings }: SchedulerParts,
  { holder, signal }: Holder,
): Promise<void> {
  // An EHR that was never written to is sent no requests.
  if ((await ledger.dueForCheck(site.name, 1)).length === 0) return;
  const lease = await ledger.acquire(`${site.name}/reconcile`, holder, Math.round(everyMs * LEASE_SHARE));
  if (lease === undefined) return;
  try {
    const report = await reconcileSite({ site }, signal);
    const { findings, cancelled, moved, corrected } = report;
    if (cancelled.length + moved.length + corrected.length > 0) await onReconciled(site, report, signal);
    if (findings.length > 0) onFindings(site.name, findings.length);
    // The lease is not released: until it expires, no engine checks this site again.
  } catch (thrown) {
    await ledger.release(lease);
    throw thrown;
  }
}
