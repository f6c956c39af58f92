// Whether somebody outside is to be asked now: a service that is down stops the line for that service, and for no other. It is probed
// by one run at a time, and what fails because it is down is nobody's fault. Pure: the time is handed in.

export type ServiceLine = {
  /** `retryInMs`: not now. A run that may go on must say how it ended: by `succeeded`, `failed` or `gaveUp`. */
  readonly enter: (
    run: string,
    nowMs: number,
  ) => { readonly mayGo: true } | { readonly mayGo: false; readonly retryInMs: number };
  /** True where the line was stopped until now: who waits for it may go on. */
  readonly succeeded: (run: string) => boolean;
  /**
   * `isOwnFault`: the service served others since this run's last failure, so it is the run that it cannot serve.
   */
  readonly failed: (run: string, nowMs: number) => { readonly isOwnFault: boolean; readonly retryInMs: number };
  /** It ended for another reason, which says nothing about the service. */
  readonly gaveUp: (run: string) => void;
  /** While it is stopped: in how many milliseconds it is probed. */
  readonly stoppedForMs: (nowMs: number) => number | undefined;
};

/** One failure may be the run's own: it is not yet a service that is down. */
const FAILURES_TO_STOP = 3;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** For those who come while one of them probes. */
const PROBE_WAIT_MS = 1_000;
const FIRST_RETRY_MS = 1_000;
/** Runs that failed are remembered until they succeed; never more than these. */
const MAX_REMEMBERED = 10_000;

export function makeServiceLine(): ServiceLine {
  let failuresInARow = 0;
  let pauses = 0;
  let stoppedUntilMs: number | undefined;
  let probing: string | undefined;
  let successes = 0;
  /** How many successes there were when a run failed. */
  const failedAt = new Map<string, number>();

  const endProbe = (run: string): boolean => {
    if (probing !== run) return false;
    probing = undefined;
    return true;
  };
  const stop = (nowMs: number): number => {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** pauses);
    pauses += 1;
    stoppedUntilMs = nowMs + pauseMs;
    return pauseMs;
  };

  return {
    enter(run, nowMs) {
      if (stoppedUntilMs === undefined) return { mayGo: true };
      if (nowMs < stoppedUntilMs) return { mayGo: false, retryInMs: stoppedUntilMs - nowMs };
      if (probing !== undefined) return { mayGo: false, retryInMs: PROBE_WAIT_MS };
      probing = run;
      return { mayGo: true };
    },

    succeeded(run) {
      const wasStopped = stoppedUntilMs !== undefined;
      successes += 1;
      failuresInARow = 0;
      pauses = 0;
      stoppedUntilMs = undefined;
      probing = undefined;
      failedAt.delete(run);
      return wasStopped;
    },

    failed(run, nowMs) {
      const before = failedAt.get(run);
      const isOwnFault = before !== undefined && successes > before;
      const [oldest] = failedAt.keys();
      if (failedAt.size >= MAX_REMEMBERED && oldest !== undefined) failedAt.delete(oldest);
      failedAt.delete(run);
      failedAt.set(run, successes);
      failuresInARow += 1;
      const wasProbe = endProbe(run);
      if (wasProbe || (stoppedUntilMs === undefined && failuresInARow >= FAILURES_TO_STOP)) {
        return { isOwnFault, retryInMs: stop(nowMs) };
      }
      // Others of the same bad moment: they wait for the same probe.
      const retryInMs = stoppedUntilMs === undefined ? FIRST_RETRY_MS : Math.max(PROBE_WAIT_MS, stoppedUntilMs - nowMs);
      return { isOwnFault, retryInMs };
    },

    gaveUp(run) {
      // The next one probes.
      endProbe(run);
    },

    stoppedForMs: (nowMs) => (stoppedUntilMs === undefined ? undefined : Math.max(0, stoppedUntilMs - nowMs)),
  };
}
