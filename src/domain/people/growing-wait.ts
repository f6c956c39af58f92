// How long an account waits after failed sign-ins: longer with each one, against guesses, and never longer than a few minutes, so that
// the guesses of others keep no person out for ever. Kept in memory by each engine.

export type GrowingWaits = {
  /** Milliseconds until the next try counts; 0: now. */
  readonly msLeft: (name: string, now: Date) => number;
  readonly failed: (name: string, now: Date) => void;
  readonly succeeded: (name: string) => void;
};

type Failures = { readonly count: number; readonly at: number };

/** A person mistypes a few times. */
const FREE_TRIES = 5;
const LONGEST_MS = 5 * 60_000;
const FORGOTTEN_MS = 60 * 60_000;
/** The oldest are forgotten first, so that guesses at many accounts fill no memory. */
const MOST_NAMES = 10_000;

export function makeGrowingWaits(): GrowingWaits {
  const known = new Map<string, Failures>();
  const recent = (name: string, now: Date): Failures | undefined => {
    const failures = known.get(name);
    return failures !== undefined && failures.at > now.getTime() - FORGOTTEN_MS ? failures : undefined;
  };
  return {
    msLeft(name, now) {
      const failures = recent(name, now);
      return failures === undefined ? 0 : Math.max(0, failures.at + waitMs(failures.count) - now.getTime());
    },
    failed(name, now) {
      const count = (recent(name, now)?.count ?? 0) + 1;
      known.delete(name);
      known.set(name, { count, at: now.getTime() });
      const [oldest] = known.keys();
      if (known.size > MOST_NAMES && oldest !== undefined) known.delete(oldest);
    },
    succeeded(name) {
      known.delete(name);
    },
  };
}

function waitMs(failures: number): number {
  return failures < FREE_TRIES ? 0 : Math.min(LONGEST_MS, 2 ** (failures - FREE_TRIES) * 1_000);
}
