// Clock, randomness and digests, passed in so that tests can control them.

export type Runtime = {
  readonly now: () => Date;
  /** Milliseconds that only ever grow; for durations. */
  readonly monotonicMs: () => number;
  /** Resolves after that time; rejects with the signal's reason. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A random number from 0 up to but not 1, to spread waits. It never influences what is written. */
  readonly chance: () => number;
  readonly makeUuid: () => string;
  /** Cryptographically random bytes. */
  readonly makeSecret: (sizeBytes: number) => Uint8Array;
  readonly digest: (text: string) => Uint8Array;
  /** Compares in constant time. */
  readonly isSameDigest: (a: Uint8Array, b: Uint8Array) => boolean;
};
