// Undoing: what a transaction did is taken back, last thing first, when one of its entries is refused or cannot be kept.
import type { LogRecord } from './charts-log.ts';

export type UndoLog = {
  /** To be kept, together with all the rest of the transaction once that is through; at once where none is under way. */
  readonly note: (record: LogRecord) => void;
  /** Remembers how to take back what is about to be done. Forgotten at once where nothing is under way. */
  readonly remember: (undo: () => void) => void;
  /** To be done once it is sure that nothing is taken back: at once where nothing is under way, never where it is taken back. */
  readonly afterwards: (work: () => void) => void;
  /** Whatever `work` did before it threw is taken back. */
  readonly run: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

/** `keep` throws where the records cannot be kept: then nothing has happened. */
export function makeUndoLog(keep: (records: readonly LogRecord[]) => void): UndoLog {
  let steps: (() => void)[] | undefined;
  let later: (() => void)[] = [];
  let noted: LogRecord[] = [];
  return {
    note: (record) => {
      if (steps) noted.push(record);
      else keep([record]);
    },
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
      noted = [];
      try {
        const result = await work().finally(() => {
          steps = undefined;
        });
        if (noted.length > 0) keep(noted);
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
