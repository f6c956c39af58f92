// Corrects one slip in a long word: a letter too many, too few or wrong, or two swapped letters. It corrects only words that have no
// meaning of their own, and only if exactly one word of the knowledge is near.
import { REAL_WORDS } from './real-words.ts';
import { findSlip, type Slip } from './slips.ts';

export type Speller = {
  readonly add: (word: string, isPrefix: boolean) => void;
  /** The word of the knowledge that is meant; several if they sound the same. */
  readonly correct: (word: string) => readonly string[];
};

const SHORTEST = 6;
/** The shortest beginning that is corrected: a shorter one is the beginning of too many words. */
const SHORTEST_STEM = 7;
const LONGEST_ENDING = 4;
const LONGEST = 24;
const SIDE = 3;

export function makeSpeller(): Speller {
  const byStart = new Map<string, string[]>();
  const byEnd = new Map<string, string[]>();
  const stemsByStart = new Map<string, string[]>();
  const known = new Set<string>();
  const stems = new Set<string>();
  const put = (map: Map<string, string[]>, key: string, word: string): void => {
    const list = map.get(key);
    if (list === undefined) map.set(key, [word]);
    else list.push(word);
  };
  return {
    add: (word, isPrefix) => {
      const met = isPrefix ? stems : known;
      if (word.length < SHORTEST - 1 || word.length > LONGEST || met.has(word) || !/^[a-z]+$/.test(word)) return;
      met.add(word);
      if (isPrefix) {
        if (word.length >= SHORTEST_STEM) put(stemsByStart, word.slice(0, SIDE), word);
        return;
      }
      put(byStart, word.slice(0, SIDE), word);
      put(byEnd, word.slice(-SIDE), word);
    },
    correct: (word) => {
      if (word.length < SHORTEST || word.length > LONGEST || REAL_WORDS.has(word) || !/^[a-z]+$/.test(word)) return [];
      // One slip leaves the beginning or the end of a word intact, unless two letters in the middle are swapped.
      const meant = new Set<string>(swaps(word).filter((one) => known.has(one)));
      const near = [...(byStart.get(word.slice(0, SIDE)) ?? []), ...(byEnd.get(word.slice(-SIDE)) ?? [])];
      for (const one of near) if (isMisspelling(word, one)) meant.add(one);
      if (meant.size === 0) addStems(meant, word, stemsByStart.get(word.slice(0, SIDE)) ?? []);
      return isOne(meant) || isSameSound(word, meant) ? [...meant] : [];
    },
  };
}

/** "Cabesa" is cabeza in Spanish and cabeça in Portuguese: the language of the sentence decides. */
function isSameSound(word: string, meant: ReadonlySet<string>): boolean {
  return meant.size > 0 && [...meant].every((one) => soundOf(one) === soundOf(word));
}

function soundOf(word: string): string {
  return word.replace(/[zcx]/g, 's').replace(/v/g, 'b').replace(/j/g, 'g');
}

/** True if all are forms of one word: "headache", "headaches". */
function isOne(meant: ReadonlySet<string>): boolean {
  const [first, ...rest] = [...meant];
  return (
    first !== undefined &&
    rest.every((word) => word.slice(0, -1) === first.slice(0, -1) || word === `${first}s` || first === `${word}s`)
  );
}

function addStems(meant: Set<string>, word: string, stems: readonly string[]): void {
  for (const stem of stems) {
    if (word.length > stem.length + LONGEST_ENDING) continue;
    const isNear = [0, -1, 1].some((more) => {
      const start = word.slice(0, stem.length + more);
      return start.at(-1) === stem.at(-1) && isMisspelling(start, stem);
    });
    if (isNear) meant.add(stem);
  }
}

function swaps(word: string): string[] {
  const found: string[] = [];
  for (let at = 0; at + 1 < word.length; at++) {
    if (word[at] !== word[at + 1]) found.push(`${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`);
  }
  return found;
}

/** True if the words are one slip apart and not two forms of one word. */
export function isMisspelling(word: string, meant: string): boolean {
  const slip = findSlip(word, meant);
  return slip !== undefined && !isOtherForm(slip);
}

/** "cases" is no slip of "caused": a wrong consonant is a slip only if the two sound alike or are neighbours on the keyboard. */
function isOtherForm({ one, other, lettersBehind }: Slip): boolean {
  if (one.length !== 1 || other.length !== 1) return false;
  const isVowel = (letter: string): boolean => 'aeiouy'.includes(letter);
  if (isVowel(one) && isVowel(other)) return false;
  if (isVowel(one) !== isVowel(other)) return true;
  return lettersBehind === 0 || !ALIKE.some((group) => group.includes(one) && group.includes(other));
}

const ALIKE = ['bvp', 'szcxç', 'ckqg', 'gjy', 'mn', 'lr', 'dt', 'fv', 'td', 'hjg', 'lk'];
