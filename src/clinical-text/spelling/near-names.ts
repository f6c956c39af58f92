// Which of a set of names is one slip away from a word: a letter more, less, other, or two swapped. Each name is entered under what
// remains when one letter is left out, so that a look-up costs the letters of the word and not the names of the set.

export type NearNames = {
  readonly add: (name: string) => void;
  /** The one name that is near; undefined where there are none or several. */
  readonly find: (word: string) => string | undefined;
};

export function makeNearNames(minLetters: number): NearNames {
  const byRemainder = new Map<string, Set<string>>();
  return {
    add(name) {
      if (name.length < minLetters) return;
      for (const remainder of remainders(name)) {
        const names = byRemainder.get(remainder);
        if (names) names.add(name);
        else byRemainder.set(remainder, new Set([name]));
      }
    },
    find(word) {
      if (word.length < minLetters - 1) return undefined;
      const near = new Set<string>();
      for (const remainder of remainders(word)) {
        for (const name of byRemainder.get(remainder) ?? []) if (isOneSlip(name, word)) near.add(name);
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

function isOneSlip(one: string, other: string): boolean {
  const [long, short] = one.length >= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && long[start] === short[start]) start += 1;
  if (long.length > short.length) return long.slice(start + 1) === short.slice(start);
  if (long.slice(start + 1) === short.slice(start + 1)) return true;
  const isSwapped = long[start] === short[start + 1] && long[start + 1] === short[start];
  return isSwapped && long.slice(start + 2) === short.slice(start + 2);
}
