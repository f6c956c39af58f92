// An attack: guesses of an operator's key from one address, some at once. Bounded.
const AT_ONCE = 20;

type Order = { readonly url: string; readonly guesses: number };

/** Resolves with the status of each answer, in the order of the guesses. */
export async function guessOperatorKeys({ url, guesses }: Order): Promise<readonly number[]> {
  const statuses: number[] = [];
  while (statuses.length < guesses) {
    const some = Array.from({ length: Math.min(AT_ONCE, guesses - statuses.length) }, async (_, index) => {
      const headers = { authorization: `Bearer guess-${statuses.length + index}` };
      const response = await fetch(`${url}/ops/sites`, { headers });
      await response.arrayBuffer();
      return response.status;
    });
    statuses.push(...(await Promise.all(some)));
  }
  return statuses;
}
