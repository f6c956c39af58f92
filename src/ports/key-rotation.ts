// Replaces the master key of the database while engines work.

export type RotationProgress = {
  /** How many stored values have been sealed anew. */
  readonly done: number;
  /** How many values were stored when the master key was replaced. */
  readonly total: number;
  readonly startedAt: Date;
  /** Absent while values are sealed anew. */
  readonly endedAt?: Date;
};

export type KeyRotation = {
  /**
   * Replaces the master key; the values are sealed anew afterwards, in the background. Throws `conflict` if there is no new key, if an
   * engine does not have it, or while an earlier replacement goes on: then nothing was changed.
   */
  readonly rotate: () => Promise<RotationProgress>;
  /** The last replacement. Undefined: the first master key is in force. */
  readonly progress: () => Promise<RotationProgress | undefined>;
  /** True: the master key was replaced, and this engine does not have the new one. */
  readonly isLocked: () => boolean;
  readonly remains: () => Promise<string | undefined>;
};
