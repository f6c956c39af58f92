// Sparing an EHR: left alone for a while after it failed several times in a row.
import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhenResult } from 'cockatiel';

export type Breaker = {
  /** `shut`: nothing was done. */
  readonly run: <T>(work: () => Promise<T>, isFailure: (result: T) => boolean) => Promise<BreakerAnswer<T>>;
};

export type BreakerAnswer<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'shut'; readonly retryAfterMs: number };

const FAILURES_IN_A_ROW = 5;
const PAUSES_MS = [5_000, 10_000, 20_000, 40_000, 60_000] as const;
const LAST_PAUSE_MS = 60_000;
/** While one call tries if the EHR is back. */
const PROBE_WAIT_MS = 1_000;

type Attempt = { readonly value: unknown; readonly isFailure: boolean } | { readonly thrown: unknown };

export function makeBreaker({ monotonicMs }: { readonly monotonicMs: () => number }): Breaker {
  let opensAtMs = 0;
  /** Counts by our own clock: the library's is the wall's, and a wall clock that is set back would shut the EHR for as long. */
  const pauseNumber = (index: number): Pause => {
    const untilMs = monotonicMs() + (PAUSES_MS[index] ?? LAST_PAUSE_MS);
    opensAtMs = untilMs;
    return {
      get duration() {
        return monotonicMs() >= untilMs ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
      },
      next: () => pauseNumber(index + 1),
    };
  };
  const policy = circuitBreaker(
    handleWhenResult((result) => isBad(result)),
    { breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW), halfOpenAfter: { next: () => pauseNumber(0) } },
  );
  return {
    async run<T>(work: () => Promise<T>, isFailure: (result: T) => boolean): Promise<BreakerAnswer<T>> {
      // The library lets others wait for the probe, however long it takes and whatever their signals say.
      if (policy.state === CircuitState.HalfOpen) return { kind: 'shut', retryAfterMs: PROBE_WAIT_MS };
      const isProbe = policy.state === CircuitState.Open;
      let done: { readonly value: T } | undefined;
      const attempt = async (): Promise<Attempt> => {
        try {
          done = { value: await work() };
          return { value: done.value, isFailure: isFailure(done.value) };
        } catch (thrown) {
          // A call that its caller gave up says nothing about the EHR; of a probe the library would take it for a success.
          if (isProbe) return { thrown };
          throw thrown;
        }
      };
      const result = await policy.execute(attempt).catch((thrown: unknown) => {
        if (thrown instanceof BrokenCircuitError) return undefined;
        throw thrown;
      });
      if (result === undefined) return { kind: 'shut', retryAfterMs: Math.max(1, opensAtMs - monotonicMs()) };
      if ('thrown' in result) throw result.thrown;
      if (done === undefined) return { kind: 'shut', retryAfterMs: PROBE_WAIT_MS };
      return { kind: 'done', value: done.value };
    },
  };
}

type Pause = { readonly duration: number; readonly next: () => Pause };

function isBad(result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false;
  return 'thrown' in result || ('isFailure' in result && result.isFailure === true);
}
