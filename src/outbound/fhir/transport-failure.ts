// What is no answer of the EHR: a call that was not made, or that broke off. The words are ours: never an address with an id, never a
// foreign message, never a secret.

export type TransportFailureKind =
  /** The address is not the site's own, or no address: no packet was sent. */
  | 'address'
  /** No token could be had, or the credentials in the settings cannot be used. */
  | 'credentials'
  /** Not reached, or broken off. */
  | 'network'
  /** The other side is not who it should be, or speaks no TLS that we take. */
  | 'tls'
  /** The proxy of the site's settings refused. */
  | 'proxy'
  | 'timeout'
  /** By the caller's signal; the reason is the cause. */
  | 'aborted'
  /** It answered, but with something that is no answer: not HTTP, or compressed. */
  | 'answer';

type FailureParts = {
  readonly kind: TransportFailureKind;
  readonly wasSent: boolean;
  readonly isPassing: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
};

/** `wasSent` false: certainly nothing reached the EHR, or all that reached it was refused with 401. */
export class TransportFailure extends Error {
  readonly kind: TransportFailureKind;
  readonly wasSent: boolean;
  /** Whether the same call may well succeed later without anybody changing a setting. */
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
