// Work of which one at a time is enough for each site: whoever asks while it is under way gets the next turn, together with all the
// others who ask meanwhile. What began before somebody asked may have looked too early for them.

export type Coalesce<T> = (key: string, work: () => Promise<T>) => Promise<T>;

type Turns<T> = { readonly current: Promise<T>; next?: Promise<T> };

export function makeCoalesce<T>(): Coalesce<T> {
  const turns = new Map<string, Turns<T>>();
  const begin = (key: string, work: () => Promise<T>): Promise<T> => {
    const turn: Turns<T> = {
      current: work().finally(() => {
        if (turns.get(key) === turn && turn.next === undefined) turns.delete(key);
      }),
    };
    turns.set(key, turn);
    return turn.current;
  };
  return (key, work) => {
    const turn = turns.get(key);
    if (turn === undefined) return begin(key, work);
    turn.next ??= turn.current.then(
      () => begin(key, work),
      () => begin(key, work),
    );
    return turn.next;
  };
}
