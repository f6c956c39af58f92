// Runs pieces of work one after another, in the order of the calls.

export type Mutex = { readonly run: <Result>(work: () => Promise<Result>) => Promise<Result> };

export function makeMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (work) => {
      const turn = last.then(work);
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
