// Checks keys that a site adds to an inherited table. A key that is almost an inherited one is probably a typing mistake, and the inherited
// code would silently stay in force.
import type { CodeTable } from '../../domain/mapping/code-table.ts';
import type { Problem } from '../../domain/mapping/mapping.ts';
import type { SourceEntry, SourceNode } from '../../mapping/mapping.ts';

/** Shorter words often differ by one letter and mean different things: ED and ER. */
const MIN_LETTERS = 4;

/** Applies only if the inherited table has fixed keys. A site that has both keys in its own table means both. */
export function misspeltKeys(root: SourceNode, inherited: CodeTable): readonly Problem[] {
  if (inherited.unmapped !== 'report') return [];
  const entries = codesOf(root);
  const own = new Set(entries.map(({ key }) => key));
  const others = Object.keys(inherited.codes).filter((key) => !own.has(key));
  return entries.flatMap(({ key, keyPlace }) => {
    if (Object.hasOwn(inherited.codes, key)) return [];
    const meant = others.find((other) => isNearly(key, other));
    const message = `${key} is no key of the inherited table; did you mean ${meant}?`;
    return meant === undefined ? [] : [{ place: keyPlace, message }];
  });
}

function codesOf(root: SourceNode): readonly SourceEntry[] {
  const codes = root.kind === 'map' ? root.entries.find(({ key }) => key === 'codes')?.value : undefined;
  return codes?.kind === 'map' ? codes.entries : [];
}

/** Compares word by word: equal, or one letter added, missing, changed or swapped. */
function isNearly(one: string, other: string): boolean {
  const [words, otherWords] = [wordsOf(one), wordsOf(other)];
  if (words.join('') === otherWords.join('')) return words.length > 0;
  if (words.length !== otherWords.length) return false;
  return words.every((word, index) => isNearlyWord(word, otherWords[index] ?? ''));
}

function wordsOf(key: string): readonly string[] {
  return key
    .toLowerCase()
    .split(/[\s_.-]+/)
    .filter((word) => word !== '');
}

function isNearlyWord(one: string, other: string): boolean {
  if (one === other) return true;
  // LEVEL1 and LEVEL2 are different words, not a typing mistake.
  return Math.max(one.length, other.length) >= MIN_LETTERS && !/\d/.test(one + other) && isOneStepAway(one, other);
}

function isOneStepAway(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [rest, otherRest] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  const isSwap = rest.length === 2 && otherRest === `${rest[1]}${rest[0]}`;
  return isSwap || (rest.length <= 1 && otherRest.length <= 1);
}
