// Time and chance, handed in so that flows are the same in a test.

export type Runtime = {
  readonly now: () => Date;
  /** Milliseconds that only ever grow; for durations. */
  readonly monotonicMs: () => number;
  /** Resolves after that time; rejects with the signal's reason. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 up to but not 1: for waits that must not fall together, never for what is written. */
  readonly chance: () => number;
  readonly makeUuid: () => string;
  /** Bytes that nobody can guess. */
  readonly makeSecret: (sizeBytes: number) => Uint8Array;
  readonly digest: (text: string) => Uint8Array;
  /** Compares in a time that does not depend on where they differ. */
  readonly isSameDigest: (a: Uint8Array, b: Uint8Array) => boolean;
};
