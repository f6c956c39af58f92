/** Waits until all have ended; then resolves with their values in order, or rejects with the first failure of the list. */
export async function settleAll<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
