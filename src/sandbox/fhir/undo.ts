// Undoes the changes of a transaction in reverse order if one of its entries is refused or cannot be stored.
import type { LogRecord } from './charts-log.ts';

export type UndoLog = {
  /** Stores a record: with the rest of the transaction when it is committed, or at once without a transaction. */
  readonly note: (record: LogRecord) => void;
  /** Registers a function that undoes the next change. Without a transaction it is ignored. */
  readonly remember: (undo: () => void) => void;
  /** Runs the work after the commit; at once without a transaction, never after an undo. */
  readonly afterwards: (work: () => void) => void;
  /** Runs `work` as a transaction: its changes are undone if it throws. */
  readonly run: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

/** `store` throws if the records cannot be stored; then all changes are undone. */
export function makeUndoLog(store: (records: readonly LogRecord[]) => void): UndoLog {
  let steps: (() => void)[] | undefined;
  let later: (() => void)[] = [];
  let noted: LogRecord[] = [];
  return {
    note: (record) => {
      if (steps) noted.push(record);
      else store([record]);
    },
    remember: (undo) => steps?.push(undo),
    afterwards: (work) => {
      if (steps) later.push(work);
      else work();
    },
    run: async (work) => {
      // A nested transaction is undone by the outer one.
      if (steps) return work();
      const own: (() => void)[] = [];
      steps = own;
      later = [];
      noted = [];
      try {
        const result = await work().finally(() => {
          steps = undefined;
        });
        if (noted.length > 0) store(noted);
        return result;
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
