// `did you mean sections?`: the known word that somebody probably meant, or nothing where none is near enough to be helpful.

const MAX_LENGTH = 100;
/** Of more words only the first are looked at. */
const MAX_KNOWN = 1_000;

/** By letters first, by capitals second; of equally near words the first. */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const limit = Math.max(1, Math.floor(word.length / 3));
  const lowerWord = word.toLowerCase();
  let best: { readonly name: string; readonly letters: number; readonly capitals: number } | undefined;
  let count = 0;
  for (const name of known) {
    if (++count > MAX_KNOWN) break;
    if (name === word || name.length > MAX_LENGTH || Math.abs(name.length - word.length) > limit) continue;
    const letters = distance(lowerWord, name.toLowerCase());
    if (letters > limit || letters >= word.length || letters > (best?.letters ?? limit)) continue;
    const capitals = distance(word, name);
    if (best && letters === best.letters && capitals >= best.capitals) continue;
    best = { name, letters, capitals };
  }
  return best?.name;
}

/** `; did you mean sections?`, or the empty string. */
export function didYouMean(word: string, known: Iterable<string>, show = (name: string) => name): string {
  const name = suggest(word, known);
  return name === undefined ? '' : `; did you mean ${show(name)}?`;
}

/** Damerau-Levenshtein with adjacent swaps: how many letters were added, left out, changed or swapped with their neighbour. */
function distance(one: string, other: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
