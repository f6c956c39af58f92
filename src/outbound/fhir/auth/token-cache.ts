// Caches the current token; all callers share one request for the next. After a failure the token server is not called for a while:
// repeated wrong credentials lock the account. One refusal may be a mishap of the token server: it counts as passing until it has lasted for
// some minutes, so that runs wait for the next answer instead of being parked.
import { TokenRefusal, TransportFailure } from '../transport-failure.ts';
import type { Credentials } from './credentials.ts';

export type IssuedToken = { readonly authorization: string; readonly lifeMs: number };

export type TokenCacheParts = {
  /** It has a deadline of its own. Throws TransportFailures. */
  readonly requestToken: () => Promise<IssuedToken>;
  readonly now: () => Date;
};

type HeldToken = {
  readonly authorization: string;
  readonly issuedAtMs: number;
  readonly useMs: number;
  /** True: it was requested because the EHR had refused the one before. */
  readonly isReplacement: boolean;
};
type PastFailure = { readonly failure: TransportFailure; readonly atMs: number; readonly waitMs: number };

const RENEW_EARLY_MS = 30_000;
const REFUSED_WAIT_MS = 30_000;
/** Refusals for this time stay. It is longer than an EHR may cache the public key that was changed. */
const LASTING_MS = 330_000;
/** After this time without a request the next refusal is a new one: the token server may have worked meanwhile. */
const FORGOTTEN_MS = 900_000;
const PASSING_WAIT_MS = 1000;
const MAX_WAIT_MS = 300_000;

export function makeTokenCache({ requestToken, now }: TokenCacheParts): Credentials {
  let held: HeldToken | undefined;
  let accepted: string | undefined;
  let futileAtMs = Number.NEGATIVE_INFINITY;
  let pastFailure: PastFailure | undefined;
  let refusedSinceMs: number | undefined;
  let underWay: Promise<HeldToken> | undefined;

  const request = async (isReplacement: boolean): Promise<HeldToken> => {
    try {
      const { authorization, lifeMs } = await requestToken();
      const useMs = lifeMs - Math.min(RENEW_EARLY_MS, lifeMs / 2);
      held = { authorization, issuedAtMs: now().getTime(), useMs, isReplacement };
      pastFailure = undefined;
      refusedSinceMs = undefined;
      return held;
    } catch (thrown) {
      const failure = asFailure(thrown);
      const waitMs = waitAfter(failure);
      const kind = failure.kind === 'no-fhir' ? failure.kind : 'credentials';
      const reported = mayPass(failure)
        ? new TokenRefusal(failure.message, { kind, isPassing: true, retryAfterMs: waitMs })
        : failure;
      pastFailure = { failure: reported, atMs: now().getTime(), waitMs };
      throw reported;
    } finally {
      underWay = undefined;
    }
  };
  const mayPass = (failure: TransportFailure): boolean => {
    if (!(failure instanceof TokenRefusal)) return false;
    const goesOn = pastFailure !== undefined && isWithin(pastFailure.atMs, FORGOTTEN_MS, now());
    if (refusedSinceMs === undefined || !goesOn) refusedSinceMs = now().getTime();
    return isWithin(refusedSinceMs, LASTING_MS, now());
  };
  const refresh = (signal: AbortSignal, isReplacement = false): Promise<HeldToken> => {
    if (underWay === undefined) {
      const waiting = pastFailure && stillWaiting(pastFailure, now().getTime());
      if (waiting) return Promise.reject(waiting);
      underWay = request(isReplacement);
      // All waiting callers may have left before it ends.
      underWay.catch(() => undefined);
    }
    return untilAborted(underWay, signal);
  };
  const current = (): HeldToken | undefined =>
    held && isWithin(held.issuedAtMs, held.useMs, now()) ? held : undefined;

  return {
    get: async (signal) => (current() ?? (await refresh(signal))).authorization,
    async renew(refused, signal) {
      const newest = underWay === undefined ? current() : undefined;
      if (newest && newest.authorization !== refused) return newest.authorization;
      // A new token did not help a moment ago: the cause is not the token, and another one would not help either.
      const isHopeless = newest?.isReplacement && accepted !== refused;
      if (isHopeless && isWithin(newest.issuedAtMs, REFUSED_WAIT_MS, now())) return undefined;
      // Some servers answer 401 to what this client may not read, and accept the same token for everything else.
      if (newest && accepted === refused && isWithin(futileAtMs, REFUSED_WAIT_MS, now())) return undefined;
      const { authorization } = await refresh(signal, true);
      return authorization === refused ? undefined : authorization;
    },
    noteAccepted(authorization) {
      accepted = authorization;
    },
    noteFutile() {
      futileAtMs = now().getTime();
    },
  };
}

/** False also if the clock was set back: the time that has passed is then unknown. */
function isWithin(sinceMs: number, spanMs: number, now: Date): boolean {
  const passedMs = now.getTime() - sinceMs;
  return passedMs >= 0 && passedMs < spanMs;
}

function waitAfter({ isPassing, retryAfterMs = 0 }: TransportFailure): number {
  return Math.min(MAX_WAIT_MS, Math.max(retryAfterMs, isPassing ? PASSING_WAIT_MS : REFUSED_WAIT_MS));
}

/** The same failure once more, without a call. */
function stillWaiting({ failure, atMs, waitMs }: PastFailure, nowMs: number): TransportFailure | undefined {
  if (!isWithin(atMs, waitMs, new Date(nowMs))) return undefined;
  const { message, kind, isPassing, cause } = failure;
  return new TransportFailure(message, { kind, isPassing, cause, wasSent: false, retryAfterMs: atMs + waitMs - nowMs });
}

function asFailure(thrown: unknown): TransportFailure {
  if (thrown instanceof TransportFailure) return thrown;
  return new TransportFailure('No token could be had', {
    kind: 'credentials',
    wasSent: false,
    isPassing: false,
    cause: thrown,
  });
}

/** Does not end the shared call: other callers may still wait for it. */
async function untilAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  const left = Promise.withResolvers<never>();
  const leave = () => left.reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([shared, left.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
