// One after another, in the order in which they came.

export type Turns = { readonly take: <Result>(work: () => Promise<Result>) => Promise<Result> };

export function makeTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take: (work) => {
      const turn = last.then(work);
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
