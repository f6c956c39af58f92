// The beginnings of the words of a talk: an act may be named in it by another form of its word (`hidratação`, `hidrate bem`).
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';

const LETTERS = 5;
const SHORTEST = 3;

export function beginningsOf(readings: readonly { readonly tokens: readonly Token[] }[]): ReadonlySet<string> {
  return new Set(readings.flatMap(({ tokens }) => tokens.map(beginningOf)));
}

/** Any of its longer words was said, or all of its words: of `lumbar X-ray`, `lumbar` alone names nothing. */
export function isNamedIn(spoken: ReadonlySet<string>, tokens: readonly Token[], needsAll: boolean): boolean {
  const words = tokens.filter(({ kind, word }) => kind === 'word' && word.length >= SHORTEST);
  const long = words.filter(({ word }) => word.length >= LETTERS);
  const isSaid = (token: Token) => spoken.has(beginningOf(token));
  return needsAll ? long.length > 0 && words.every(isSaid) : long.some(isSaid);
}

function beginningOf({ word }: Token): string {
  return word.slice(0, LETTERS);
}
