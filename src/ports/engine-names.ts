// The names under which engines work on a database. One living process at a time has a name, even if its data folder was copied.

export type ClaimedName = {
  /** Frees the name for other processes. Never throws. */
  readonly release: () => Promise<void>;
};

export type EngineNames = {
  /** Undefined if another living process has the name. The claim ends with the process, also after a crash. Throws `overloaded`. */
  readonly claim: (name: string) => Promise<ClaimedName | undefined>;
};
