// Circuit breaker of one outside service. After several failures in a row no call is let through; after a pause one caller probes, and
// the result closes the circuit or opens it again for longer. Pure: the time is handed in.
import { backoffMs } from '../backoff.ts';

export type Circuit = {
  /** A caller that may call must report the result once: with `succeeded`, `failed` or `abandoned`. */
  readonly enter: (
    caller: string,
    nowMs: number,
  ) => { readonly mayCall: true } | { readonly mayCall: false; readonly retryInMs: number };
  /** Returns true if the circuit was open until now: callers that wait for the service may go on. */
  readonly succeeded: (caller: string) => boolean;
  /** `isOwnFault`: the service served other callers since this caller's last failure, so the problem is in what this caller sends. */
  readonly failed: (caller: string, nowMs: number) => { readonly isOwnFault: boolean; readonly retryInMs: number };
  /** The call ended for a reason that says nothing about the service. */
  readonly abandoned: (caller: string) => void;
  /** Milliseconds until the next probe; undefined while the circuit is closed. */
  readonly openForMs: (nowMs: number) => number | undefined;
};

const PAUSE = { firstMs: 5_000, longestMs: 60_000 };
/** Wait of the callers that arrive while another one probes. */
const PROBE_WAIT_MS = 1_000;
const FIRST_RETRY_MS = 1_000;
/** A failure is remembered until its caller succeeds; beyond this number the oldest is forgotten. */
const MAX_REMEMBERED = 10_000;

/** A single failure may be the caller's own. */
export function makeCircuit({ failuresToOpen = 3 } = {}): Circuit {
  let failuresInARow = 0;
  let pauses = 0;
  let openUntilMs: number | undefined;
  let prober: string | undefined;
  let successes = 0;
  /** By caller: the number of successes at the moment of its last failure. */
  const successesAtFailure = new Map<string, number>();

  const endProbe = (caller: string): boolean => {
    if (prober !== caller) return false;
    prober = undefined;
    return true;
  };
  const open = (nowMs: number): number => {
    const pauseMs = backoffMs(pauses, PAUSE);
    pauses += 1;
    openUntilMs = nowMs + pauseMs;
    return pauseMs;
  };
  const rememberFailure = (caller: string): void => {
    const [oldest] = successesAtFailure.keys();
    if (successesAtFailure.size >= MAX_REMEMBERED && oldest !== undefined) successesAtFailure.delete(oldest);
    successesAtFailure.delete(caller);
    successesAtFailure.set(caller, successes);
  };

  return {
    enter(caller, nowMs) {
      if (openUntilMs === undefined) return { mayCall: true };
      if (nowMs < openUntilMs) return { mayCall: false, retryInMs: openUntilMs - nowMs };
      if (prober !== undefined) return { mayCall: false, retryInMs: PROBE_WAIT_MS };
      prober = caller;
      return { mayCall: true };
    },

    succeeded(caller) {
      const wasOpen = openUntilMs !== undefined;
      successes += 1;
      failuresInARow = 0;
      pauses = 0;
      openUntilMs = undefined;
      prober = undefined;
      successesAtFailure.delete(caller);
      return wasOpen;
    },

    failed(caller, nowMs) {
      const before = successesAtFailure.get(caller);
      const isOwnFault = before !== undefined && successes > before;
      rememberFailure(caller);
      failuresInARow += 1;
      const wasProbe = endProbe(caller);
      if (wasProbe || (openUntilMs === undefined && failuresInARow >= failuresToOpen)) {
        return { isOwnFault, retryInMs: open(nowMs) };
      }
      // Calls that were under way when the circuit opened wait for the same probe.
      const retryInMs = openUntilMs === undefined ? FIRST_RETRY_MS : Math.max(PROBE_WAIT_MS, openUntilMs - nowMs);
      return { isOwnFault, retryInMs };
    },

    // The next caller probes.
    abandoned: (caller) => void endProbe(caller),

    openForMs: (nowMs) => (openUntilMs === undefined ? undefined : Math.max(0, openUntilMs - nowMs)),
  };
}
