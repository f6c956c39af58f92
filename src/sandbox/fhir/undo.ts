// Undoing: what a transaction did is taken back, last thing first, when one of its entries is refused.

export type UndoLog = {
  /** Remembers how to take back what is about to be done. Forgotten at once where nothing is under way. */
  readonly remember: (undo: () => void) => void;
  /** Whatever `work` did before it threw is taken back. */
  readonly run: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

export function makeUndoLog(): UndoLog {
  let steps: (() => void)[] | undefined;
  return {
    remember: (undo) => steps?.push(undo),
    run: async (work) => {
      // Inside of another one: that one takes back all of it.
      if (steps) return work();
      const own: (() => void)[] = [];
      steps = own;
      try {
        return await work();
      } catch (error) {
        for (const undo of own.toReversed()) undo();
        throw error;
      } finally {
        steps = undefined;
      }
    },
  };
}
