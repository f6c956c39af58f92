// A call without an answer: it was not made, or it broke off. The message is ours: never an address with an id, a foreign message or a
// secret.

export type TransportFailureKind =
  /** The address is not the site's own, or no address: no packet was sent. */
  | 'address'
  /** No token could be obtained, or the credentials in the settings cannot be used. */
  | 'credentials'
  /** There is no FHIR server at the base of the site's settings. */
  | 'no-fhir'
  /** Not reached, or broken off. */
  | 'network'
  /** The other side could not be identified, or offers no TLS that the engine accepts. */
  | 'tls'
  /** The proxy of the site's settings refused. */
  | 'proxy'
  | 'timeout'
  /** Aborted by the caller's signal; the reason is the cause. */
  | 'aborted'
  /** The answer cannot be used: it is not HTTP, or is compressed. */
  | 'answer';

type FailureParts = {
  readonly kind: TransportFailureKind;
  readonly wasSent: boolean;
  readonly isPassing: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
};

/** `wasSent` false: nothing reached the EHR, or everything was refused with 401. */
export class TransportFailure extends Error {
  readonly kind: TransportFailureKind;
  readonly wasSent: boolean;
  /** True: the same call may succeed later without a change of settings. */
  readonly isPassing: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { kind, wasSent, isPassing, retryAfterMs, ...rest }: FailureParts) {
    super(message, 'cause' in rest ? { cause: rest.cause } : undefined);
    this.name = 'TransportFailure';
    this.kind = kind;
    this.wasSent = wasSent;
    this.isPassing = isPassing;
    this.retryAfterMs = retryAfterMs;
  }
}

type RefusalParts = {
  readonly kind?: 'credentials' | 'no-fhir';
  readonly retryAfterMs?: number;
  readonly isPassing?: boolean;
};

/** The other side answered and issued no token. A later answer may differ, unlike that of settings that cannot be used. */
export class TokenRefusal extends TransportFailure {
  constructor(message: string, parts: RefusalParts = {}) {
    super(message, { kind: 'credentials', wasSent: false, isPassing: false, ...parts });
    this.name = 'TokenRefusal';
  }
}
