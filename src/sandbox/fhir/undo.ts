// Undoing: what a transaction did is taken back, last thing first, when one of its entries is refused.

export type UndoLog = {
  /** Remembers how to take back what is about to be done. Forgotten at once where nothing is under way. */
  readonly remember: (undo: () => void) => void;
  /** To be done once it is sure that nothing is taken back: at once where nothing is under way, never where it is taken back. */
  readonly afterwards: (work: () => void) => void;
  /** Whatever `work` did before it threw is taken back. */
  readonly run: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

export function makeUndoLog(): UndoLog {
  let steps: (() => void)[] | undefined;
  let later: (() => void)[] = [];
  return {
    remember: (undo) => steps?.push(undo),
    afterwards: (work) => {
      if (steps) later.push(work);
      else work();
    },
    run: async (work) => {
      // Inside of another one: that one takes back all of it.
      if (steps) return work();
      const own: (() => void)[] = [];
      steps = own;
      later = [];
      try {
        return await work().finally(() => {
          steps = undefined;
        });
      } catch (error) {
        for (const undo of own.toReversed()) undo();
        later = [];
        throw error;
      } finally {
        for (const each of later.splice(0)) each();
      }
    },
  };
}
