// Looks at the charts of all live sites again and again. One site that fails, or takes long, keeps no other waiting; engines that
// share a database take turns by a lease for each site.
import type { WritePlace } from '../../domain/chart/chart-write.ts';
import type { ReconcileSite } from '../../flows/reconciling/reconcile-site.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';

export type ReconcileScheduler = {
  /** Nothing is begun any more; resolves when what was going on has ended. */
  readonly stop: () => Promise<void>;
};

/** Encounters that were cancelled: what is ours of them goes. */
export type OnCancelled = (site: LoadedSite, places: readonly WritePlace[], signal: AbortSignal) => Promise<void>;

type SchedulerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly ledger: Pick<Ledger, 'acquire' | 'release' | 'dueForCheck'>;
  readonly reconcileSite: ReconcileSite;
  readonly runtime: Pick<Runtime, 'pause' | 'chance' | 'makeUuid'>;
  readonly everyMs: number;
  readonly onCancelled: OnCancelled;
  readonly onFindings: (site: string, count: number) => void;
  readonly onFailed: (site: string, thrown: unknown) => void;
};

/** Engines that are started together must not ask together. */
const MAX_FIRST_PAUSE_MS = 60_000;
/** Of the time between two rounds: until then no other engine looks at the same site. */
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

  async function run(): Promise<void> {
    await runtime.pause(runtime.chance() * Math.min(everyMs, MAX_FIRST_PAUSE_MS), signal);
    for (;;) {
      for (const site of sites.current().sites.values()) if (site.settings.mode === 'live') begin(site);
      await runtime.pause(everyMs * (0.9 + runtime.chance() * 0.2), signal);
    }
  }

  // It ends by the signal alone.
  const running = run().catch(() => undefined);
  return {
    async stop() {
      stopping.abort(new Error('the engine is stopping'));
      await running;
      await Promise.all(underWay.values());
    },
  };
}

type Own = { readonly holder: string; readonly signal: AbortSignal };

async function reconcileOne(
  site: LoadedSite,
  { ledger, reconcileSite, everyMs, onCancelled, onFindings }: SchedulerParts,
  { holder, signal }: Own,
): Promise<void> {
  // To where nothing was written, nothing is asked.
  if ((await ledger.dueForCheck(site.name, 1)).length === 0) return;
  const lease = await ledger.acquire(`${site.name}/reconcile`, holder, Math.round(everyMs * LEASE_SHARE));
  if (lease === undefined) return;
  try {
    const { findings, cancelled } = await reconcileSite({ site }, signal);
    if (cancelled.length > 0) await onCancelled(site, cancelled, signal);
    if (findings.length > 0) onFindings(site.name, findings.length);
    // The lease is kept until it ends by itself: the next engine's turn is as far away as our own.
  } catch (thrown) {
    await ledger.release(lease);
    throw thrown;
  }
}
