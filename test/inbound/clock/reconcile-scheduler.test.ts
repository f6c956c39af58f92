// The reconcile scheduler: when each site is checked, and that no site delays another.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import type { ReconcileReport, ReconcileSite } from '../../../src/flows/reconciling/reconcile-site.ts';
import { type ReconcileScheduler, startReconcileScheduler } from '../../../src/inbound/clock/reconcile-scheduler.ts';
import type { CheckedWrite, Finding } from '../../../src/ports/ledger.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { type FakeLedger, makeFakeLedger } from '../../fakes/ledger.ts';
import { aSite } from '../../support/chart-facts.ts';
import { until } from '../../support/until.ts';

const EVERY_MS = 600_000;
const NOTHING: ReconcileReport = { checked: 1, findings: [], cancelled: [], moved: [], corrected: [], problems: [] };
const FINDING: Finding = { site: 'mercy', kind: 'missing', identity: 'a', references: ['Flag/1'] };

/** Pauses end when the test calls `pass`, which moves the clock. */
function makeClock() {
  let nowMs = Date.parse('2026-11-21T08:00:00Z');
  const waiting: { readonly ms: number; readonly go: () => void }[] = [];
  const asked: number[] = [];
  return {
    asked,
    now: () => new Date(nowMs),
    pause: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        asked.push(ms);
        waiting.push({ ms, go: resolve });
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    /** Ends the current pauses of all engines. */
    async pass(engines = 1) {
      await until(() => waiting.length >= engines);
      const due = waiting.splice(0);
      nowMs += Math.max(...due.map(({ ms }) => ms));
      for (const { go } of due) go();
    },
    isIdle: (engines = 1) => waiting.length >= engines,
  };
}

function siteNamed(name: string, mode: 'live' | 'shadow' | 'off' = 'live'): LoadedSite {
  const site = aSite();
  return { ...site, name, settings: { ...site.settings, mode } };
}

type Lab = {
  readonly clock: ReturnType<typeof makeClock>;
  readonly ledger: FakeLedger;
  readonly looked: string[];
  readonly told: string[];
  readonly start: (reconcile?: ReconcileSite, chance?: number) => ReconcileScheduler;
};

function aLab(sites: readonly LoadedSite[], { written = sites.map(({ name }) => name) } = {}): Lab {
  const clock = makeClock();
  const real = makeFakeLedger({ now: clock.now });
  const dueForCheck = async (site: string) => (written.includes(site) ? [{} as CheckedWrite] : []);
  const ledger: FakeLedger = { ...real, dueForCheck };
  const looked: string[] = [];
  const told: string[] = [];
  const snapshot = {
    sites: new Map(sites.map((site) => [site.name, site])),
    problems: [],
    stale: new Set<string>(),
    unavailable: new Set<string>(),
  };
  let engines = 0;
  return {
    clock,
    ledger,
    looked,
    told,
    start(reconcile = async () => NOTHING, chance = 0.5) {
      engines += 1;
      const name = `engine ${engines}`;
      return startReconcileScheduler({
        sites: { current: () => snapshot },
        ledger,
        reconcileSite: (order, signal) => {
          looked.push(order.site.name);
          return reconcile(order, signal);
        },
        runtime: { pause: clock.pause, chance: () => chance, makeUuid: () => name },
        everyMs: EVERY_MS,
        onReconciled: async (site, { cancelled }) => void told.push(`${cancelled.length} retracted at ${site.name}`),
        onFindings: (site, count) => void told.push(`${count} at ${site}`),
        onFailed: (site) => void told.push(`${site} failed`),
      });
    },
  };
}

describe('the reconcile scheduler', () => {
  it('checks first after a short random pause and then at the configured interval', async () => {
    const { clock, looked, start } = aLab([siteNamed('mercy')]);
    const rounds = start();
    await clock.pass();
    await until(() => clock.isIdle());
    await clock.pass();
    await until(() => looked.length === 2);
    expect(clock.asked.slice(0, 3)).toEqual([30_000, EVERY_MS, EVERY_MS]);
    await rounds.stop();
  });

  it('checks only live sites with written charts', async () => {
    const sites = [siteNamed('mercy'), siteNamed('trial', 'shadow'), siteNamed('closed', 'off'), siteNamed('new')];
    const { clock, looked, start } = aLab(sites, { written: ['mercy', 'trial', 'closed'] });
    const rounds = start();
    await clock.pass();
    await until(() => looked.length > 0 && clock.isIdle());
    await rounds.stop();
    expect(looked).toEqual(['mercy']);
  });

  it('a failing site delays no other site and is retried', async () => {
    const { clock, looked, told, start } = aLab([siteNamed('mercy'), siteNamed('st-mary')]);
    const rounds = start(async ({ site }) => {
      if (site.name === 'mercy') throw new AppError('ehrUnavailable', 'away');
      return NOTHING;
    });
    await clock.pass();
    await until(() => looked.length === 2 && told.length === 1);
    await clock.pass();
    await until(() => looked.length === 4);
    expect(told[0]).toBe('mercy failed');
    await rounds.stop();
  });

  it('a slow site delays no other site and is not started twice', async () => {
    const { clock, looked, start } = aLab([siteNamed('mercy'), siteNamed('st-mary')]);
    const held = Promise.withResolvers<ReconcileReport>();
    const rounds = start(({ site }) => (site.name === 'mercy' ? held.promise : Promise.resolve(NOTHING)));
    await clock.pass();
    await until(() => looked.length === 2 && clock.isIdle());
    await clock.pass();
    await until(() => looked.length === 3);
    expect(looked.filter((name) => name === 'mercy')).toHaveLength(1);
    held.resolve(NOTHING);
    await rounds.stop();
  });

  it('findings are reported with their number', async () => {
    const { clock, told, start } = aLab([siteNamed('mercy')]);
    const rounds = start(async () => ({ ...NOTHING, findings: [FINDING, FINDING] }));
    await clock.pass();
    await until(() => told.length > 0);
    expect(told).toEqual(['2 at mercy']);
    await rounds.stop();
  });

  it('two engines on one database check a site once in an interval', async () => {
    const { clock, looked, start } = aLab([siteNamed('mercy')]);
    const rounds = [start(), start()];
    await clock.pass(2);
    await until(() => looked.length === 1 && clock.isIdle(2));
    await clock.pass(2);
    await until(() => looked.length === 2 && clock.isIdle(2));
    await Promise.all(rounds.map(({ stop }) => stop()));
    expect(looked).toEqual(['mercy', 'mercy']);
  });

  it('an engine that failed releases the lease of the site', async () => {
    const { clock, ledger, told, start } = aLab([siteNamed('mercy')]);
    const rounds = start(async () => {
      throw new AppError('ehrUnavailable', 'away');
    });
    await clock.pass();
    await until(() => told.length > 0);
    expect(await ledger.acquire('mercy/reconcile', 'another engine', 1_000)).toBeDefined();
    await rounds.stop();
  });

  it('a stop aborts running checks and waits for them', async () => {
    const { clock, looked, told, start } = aLab([siteNamed('mercy')]);
    let hasEnded = false;
    const rounds = start(async (_, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await Promise.resolve();
      hasEnded = true;
      throw signal.reason;
    });
    await clock.pass();
    await until(() => looked.length === 1);
    await rounds.stop();
    expect({ hasEnded, told }).toEqual({ hasEnded: true, told: [] });
  });

  it('places of cancelled encounters are passed on for retraction', async () => {
    const { clock, told, start } = aLab([siteNamed('mercy')]);
    const cancelled = [{ site: 'mercy', encounter: 'e-1', session: 's-1' }];
    const rounds = start(async () => ({ ...NOTHING, cancelled }));
    await clock.pass();
    await until(() => told.length > 0);
    expect(told).toEqual(['1 retracted at mercy']);
    await rounds.stop();
  });
});
