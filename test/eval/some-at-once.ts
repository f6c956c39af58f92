// A few calls at a time, and what they gave in the order of what was asked.

export async function someAtOnce<T, R>(
  values: readonly T[],
  atOnce: number,
  call: (value: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = values.entries();
  // One iterator for all: each takes the next free item.
  const work = async () => {
    for (const [index, value] of waiting) results[index] = await call(value);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
