// Finds the one name of a set that is a slip away from a word. Each name is stored under what remains of it without each one of its
// letters, so that a look-up costs the letters of the word and not the names of the set.
import { findSlip } from './slips.ts';

export type NearNames = {
  readonly add: (name: string) => void;
  /** The one name that is near; undefined if there are none or several. */
  readonly find: (word: string) => string | undefined;
};

export function makeNearNames(minLetters: number): NearNames {
  const byRemainder = new Map<string, string[]>();
  /** Names that are not in the map yet: it is large, and most engines start long before the first look-up. */
  const waiting: string[] = [];
  const addWaiting = (): void => {
    for (const name of waiting.splice(0)) {
      for (const remainder of remainders(name)) {
        const names = byRemainder.get(remainder);
        if (names === undefined) byRemainder.set(remainder, [name]);
        else if (!names.includes(name)) names.push(name);
      }
    }
  };
  return {
    add(name) {
      if (name.length >= minLetters) waiting.push(name);
    },
    find(word) {
      if (word.length < minLetters - 1) return undefined;
      addWaiting();
      const near = new Set<string>();
      for (const remainder of remainders(word)) {
        for (const name of byRemainder.get(remainder) ?? []) if (name === word || findSlip(name, word)) near.add(name);
      }
      const [only, other] = near;
      return other === undefined ? only : undefined;
    },
  };
}

function remainders(word: string): readonly string[] {
  const letters = Array.from({ length: word.length }, (_, index) => word.slice(0, index) + word.slice(index + 1));
  return [word, ...new Set(letters)];
}
