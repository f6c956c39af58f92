// The master keys that this engine was given. All stored keys are sealed under the one that is in force.

export type MasterKeys = {
  /**
   * The key that was given, and after it the one that replaces it, if there is one: a database says which is in force. `isBegun`: whether the
   * database has a master key; only if it has none, a key may be made. Throws `notConfigured` if there is no usable key.
   */
  readonly read: (isBegun: () => Promise<boolean>) => Promise<readonly [Uint8Array, ...Uint8Array[]]>;
  /** The key that will replace the one in force; made if that is up to the engine. Throws `conflict` with what has to be set. */
  readonly next: () => Promise<Uint8Array>;
  /** Called at the start and after a replacement, also if nothing has changed: this key is in force. */
  readonly settle: (inForce: Uint8Array) => Promise<void>;
  /** What the operator has to do now that this key is in force, in a sentence. */
  readonly remains: (inForce: Uint8Array) => Promise<string | undefined>;
};
