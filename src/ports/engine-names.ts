// Under which names engines work on a database: each name is one living process's, whatever lies in a folder that somebody copied.

export type TakenName = {
  /** Nobody else can have the name from then on. Never throws. */
  readonly giveBack: () => Promise<void>;
};

export type EngineNames = {
  /** Undefined where another living process has it. It ends with the process, however that ends. Throws `overloaded`. */
  readonly take: (name: string) => Promise<TakenName | undefined>;
};
