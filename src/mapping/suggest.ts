// Suggestions for misspelled words, as in `did you mean sections?`: the nearest known word, or none if no word is near enough.

const MAX_LENGTH = 100;
const MAX_DISTANCE = 4;
/** Only this many known words are compared. */
const MAX_KNOWN = 1_000;

/** By letters first, by capitals second, by how much of both ends is the same third; of equally near words the first. */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const limit = Math.min(MAX_DISTANCE, Math.max(1, Math.floor(word.length / 3)));
  const lowerWord = word.toLowerCase();
  let best: Candidate | undefined;
  let count = 0;
  for (const name of known) {
    if (++count > MAX_KNOWN) break;
    if (name === word || name.length > MAX_LENGTH || Math.abs(name.length - word.length) > limit) continue;
    const letters = distance(lowerWord, name.toLowerCase(), limit);
    if (letters > limit || letters >= word.length || letters > (best?.letters ?? limit)) continue;
    const candidate = { name, letters, capitals: distance(word, name, limit), ends: sameEnds(lowerWord, name) };
    if (best === undefined || isNearer(candidate, best)) best = candidate;
  }
  return best?.name;
}

type Candidate = {
  readonly name: string;
  readonly letters: number;
  readonly capitals: number;
  readonly ends: number;
};

function isNearer(one: Candidate, other: Candidate): boolean {
  if (one.letters !== other.letters) return one.letters < other.letters;
  if (one.capitals !== other.capitals) return one.capitals < other.capitals;
  return one.ends > other.ends;
}

/** How many letters are the same at the beginning and at the end: of `notce`, five of `notice` and four of `note`. */
function sameEnds(one: string, name: string): number {
  return one.length - withoutSameEnds(one, name.toLowerCase())[0].length;
}

/** `; did you mean sections?`, or the empty string. */
export function didYouMean(word: string, known: Iterable<string>, show = (name: string) => name): string {
  const name = suggest(word, known);
  return name === undefined ? '' : `; did you mean ${show(name)}?`;
}

/**
 * Damerau-Levenshtein with adjacent swaps: how many letters were added, left out, changed or swapped with their neighbour. More than
 * the limit is the limit and one: only as many columns beside the diagonal are looked at, since a file may ask very often.
 */
function distance(whole: string, otherWhole: string, limit: number): number {
  const [one, other] = withoutSameEnds(whole, otherWhole);
  const far = limit + 1;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => Math.min(column, far));
  for (let row = 1; row <= one.length; row++) {
    const current = new Array<number>(other.length + 1).fill(far);
    current[0] = Math.min(row, far);
    let nearest = current[0];
    for (let column = Math.max(1, row - limit); column <= Math.min(other.length, row + limit); column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const steps = Math.min(
        (last[column] ?? far) + 1,
        (current[column - 1] ?? far) + 1,
        (last[column - 1] ?? far) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] ?? far) + 1 : far,
        far,
      );
      current[column] = steps;
      nearest = Math.min(nearest, steps);
    }
    // Nothing behind this row can be nearer than the nearest of two rows.
    if (nearest > limit && Math.min(...last) > limit) return far;
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? far;
}

function withoutSameEnds(one: string, other: string): readonly [string, string] {
  const length = Math.min(one.length, other.length);
  let start = 0;
  while (start < length && one[start] === other[start]) start++;
  let end = 0;
  while (end < length - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)];
}
