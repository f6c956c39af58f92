// The processor time that the files of one request may use together. Time on the clock would refuse a good file on a busy machine.

/**
 * Together for all files of a request: five seconds, less the start of a child process, which is not counted because no file can make
 * it longer.
 */
const FILES_OF_A_REQUEST_MS = 4_500;

export type ProcessorTime = {
  /** Does one piece of work after another. Each gets what is left, which may be nothing, and returns what it used. */
  readonly spend: <T extends { readonly usedMs: number }>(work: (leftMs: number) => Promise<T>) => Promise<T>;
};

export function makeProcessorTime(budgetMs: number = FILES_OF_A_REQUEST_MS): ProcessorTime {
  let leftMs = budgetMs;
  let lastWork: Promise<unknown> = Promise.resolve();

  async function doWork<T extends { readonly usedMs: number }>(work: (leftMs: number) => Promise<T>): Promise<T> {
    const done = await work(leftMs);
    leftMs = Math.max(0, leftMs - done.usedMs);
    return done;
  }

  return {
    spend(work) {
      const turn = lastWork.then(() => doWork(work));
      lastWork = turn.catch(() => undefined);
      return turn;
    },
  };
}
