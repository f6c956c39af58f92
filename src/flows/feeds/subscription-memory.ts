// Remembers details of each site's Subscription in this process: how often the EHR has switched it off, since when it waits for activation, and when
// a refused one is tried again. Another process starts without this and reaches the same decisions.

export type SubscriptionMemory = {
  readonly switchedOff: (site: string, nowMs: number) => number;
  readonly offCount: (site: string, nowMs: number) => number;
  /** How long the Subscription has waited for activation. */
  readonly waitingMs: (site: string, nowMs: number) => number;
  readonly isActive: (site: string) => void;
  /** Returns true only once. */
  readonly mayPush: (site: string) => boolean;
  readonly refused: (site: string, settings: string, nowMs: number) => void;
  /** Whether the same settings were refused recently. */
  readonly isRefused: (site: string, settings: string, nowMs: number) => boolean;
};

const HOUR_MS = 3_600_000;
const REFUSED_FOR_MS = 900_000;

export function makeSubscriptionMemory(): SubscriptionMemory {
  const offs = new Map<string, readonly number[]>();
  const waiting = new Map<string, { readonly sinceMs: number; wasPushed: boolean }>();
  const refusals = new Map<string, { readonly settings: string; readonly untilMs: number }>();
  const recent = (site: string, nowMs: number) => (offs.get(site) ?? []).filter((ms) => nowMs - ms < HOUR_MS);
  const waitOf = (site: string, nowMs: number) => {
    const wait = waiting.get(site) ?? { sinceMs: nowMs, wasPushed: false };
    waiting.set(site, wait);
    return wait;
  };
  return {
    switchedOff(site, nowMs) {
      offs.set(site, [...recent(site, nowMs), nowMs]);
      return recent(site, nowMs).length;
    },
    offCount: (site, nowMs) => recent(site, nowMs).length,
    waitingMs: (site, nowMs) => nowMs - waitOf(site, nowMs).sinceMs,
    isActive: (site) => void waiting.delete(site),
    mayPush(site) {
      const wait = waiting.get(site);
      if (wait === undefined || wait.wasPushed) return false;
      wait.wasPushed = true;
      return true;
    },
    refused: (site, settings, nowMs) => void refusals.set(site, { settings, untilMs: nowMs + REFUSED_FOR_MS }),
    isRefused(site, settings, nowMs) {
      const refusal = refusals.get(site);
      return refusal !== undefined && refusal.settings === settings && nowMs < refusal.untilMs;
    },
  };
}
