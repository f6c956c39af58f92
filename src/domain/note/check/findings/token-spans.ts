// The tokens of a text that characters of it belong to.
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';

export type TokenSpan = { readonly first: number; readonly end: number };

/** At least one token, if there are any. */
export function spanAt(tokens: readonly Token[], from: number, to: number): TokenSpan {
  const first = firstEndingBehind(tokens, from);
  let end = first + 1;
  while (end < tokens.length && (tokens[end]?.from ?? to) < to) end += 1;
  return { first, end };
}

function firstEndingBehind(tokens: readonly Token[], place: number): number {
  let [low, high] = [0, tokens.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tokens[middle]?.to ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
