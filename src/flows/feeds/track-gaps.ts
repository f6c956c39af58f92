// Tracks the missing event numbers of each site in this process and recovers them: after a short wait, because events can overtake each other, and
// one recovery per site at a time.
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { CloseGap } from './close-gap.ts';

/** Event numbers from `first` to `last`, inclusive. */
export type NumberRange = { readonly first: number; readonly last: number };

export type GapTracker = {
  readonly came: (site: string, numbers: NumberRange) => void;
  readonly isMissing: (site: string, numbers: NumberRange) => void;
  /** Recovers the missing numbers in the background after a wait. Returns at once. */
  readonly close: (site: LoadedSite, subscription: string | undefined) => void;
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly closeGap: CloseGap;
  readonly runtime: Pick<Runtime, 'pause'>;
  readonly signal: AbortSignal;
  readonly onGap: (site: string, closed: Awaited<ReturnType<CloseGap>>) => void;
  readonly onFailed: (site: string, thrown: unknown) => void;
};

const SETTLE_MS = 3_000;
/** At most this many numbers are tracked. */
const MAX_MISSING = 10_000;

export function makeGapTracker(parts: Parts): GapTracker {
  const missing = new Map<string, Set<number>>();
  const underWay = new Map<string, Promise<void>>();
  const missingOf = (site: string): Set<number> => {
    const numbers = missing.get(site) ?? new Set();
    missing.set(site, numbers);
    return numbers;
  };
  return {
    came(site, { first, last }) {
      const numbers = missingOf(site);
      for (const number of [...numbers]) if (number >= first && number <= last) numbers.delete(number);
    },
    isMissing(site, { first, last }) {
      const numbers = missingOf(site);
      for (let number = Math.max(first, last - MAX_MISSING + 1); number <= last; number += 1) numbers.add(number);
    },
    close(site, subscription) {
      const numbers = missingOf(site.name);
      if (numbers.size === 0 || underWay.has(site.name)) return;
      const work = closeAll(parts, { site, subscription, numbers })
        .catch((thrown) => {
          // The regular catch-up finds the changes.
          numbers.clear();
          if (!parts.signal.aborted) parts.onFailed(site.name, thrown);
        })
        .finally(() => underWay.delete(site.name));
      underWay.set(site.name, work);
    },
    stop: async () => {
      await Promise.all(underWay.values());
    },
  };
}

type Closing = {
  readonly site: LoadedSite;
  readonly subscription: string | undefined;
  readonly numbers: Set<number>;
};

async function closeAll(
  { closeGap, runtime, signal, onGap }: Parts,
  { site, subscription, numbers }: Closing,
): Promise<void> {
  await runtime.pause(SETTLE_MS, signal);
  while (numbers.size > 0) {
    const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
    const closed = await closeGap({ site, subscription, from, to }, signal);
    for (const number of [...numbers]) if (number <= to) numbers.delete(number);
    onGap(site.name, closed);
  }
}
