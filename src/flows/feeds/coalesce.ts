// Runs one piece of work at a time for each key. Calls during the work share the next one: the current work may have begun too early to see what
// they need.

export type Coalesce<T> = (key: string, work: () => Promise<T>) => Promise<T>;

type Running<T> = { readonly current: Promise<T>; next?: Promise<T> };

export function makeCoalesce<T>(): Coalesce<T> {
  const running = new Map<string, Running<T>>();
  const begin = (key: string, work: () => Promise<T>): Promise<T> => {
    const started: Running<T> = {
      current: work().finally(() => {
        if (running.get(key) === started && started.next === undefined) running.delete(key);
      }),
    };
    running.set(key, started);
    return started.current;
  };
  return (key, work) => {
    const active = running.get(key);
    if (active === undefined) return begin(key, work);
    active.next ??= active.current.then(
      () => begin(key, work),
      () => begin(key, work),
    );
    return active.next;
  };
}
