// Forgives one slip in a long word: a letter too much, too few, another one, or two that changed places. Only for words that mean
// nothing else, and only where one single word of the knowledge can be meant.
import { REAL_WORDS } from './real-words.ts';
import { findSlip, type Slip } from './slips.ts';

export type Speller = {
  readonly add: (word: string, isPrefix: boolean) => void;
  /** The word of the knowledge that was meant; several where they sound alike. */
  readonly correct: (word: string) => readonly string[];
};

const SHORTEST = 6;
/** Of the beginning of a word: shorter ones are the beginning of too much. */
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
      // One slip leaves the beginning or the end of a word whole, unless two letters in the very middle changed places.
      const meant = new Set<string>(swaps(word).filter((one) => known.has(one)));
      const near = [...(byStart.get(word.slice(0, SIDE)) ?? []), ...(byEnd.get(word.slice(-SIDE)) ?? [])];
      for (const one of near) if (isMisspelling(word, one)) meant.add(one);
      if (meant.size === 0) addStems(meant, word, stemsByStart.get(word.slice(0, SIDE)) ?? []);
      return isOne(meant) || isSameSound(word, meant) ? [...meant] : [];
    },
  };
}

/** "Cabesa" is cabeza in Spanish and cabeça in Portuguese: which, the sentence says. */
function isSameSound(word: string, meant: ReadonlySet<string>): boolean {
  return meant.size > 0 && [...meant].every((one) => soundOf(one) === soundOf(word));
}

function soundOf(word: string): string {
  return word.replace(/[zcx]/g, 's').replace(/v/g, 'b').replace(/j/g, 'g');
}

/** Several forms of one word are one: "headache", "headaches". */
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

/** One slip away, and no other form of the same word. */
export function isMisspelling(word: string, meant: string): boolean {
  const slip = findSlip(word, meant);
  return slip !== undefined && !isOtherForm(slip);
}

/** "cases" and "caused" are no slips of each other: another consonant is a slip only among those that sound or lie alike. */
function isOtherForm({ one, other, lettersBehind }: Slip): boolean {
  if (one.length !== 1 || other.length !== 1) return false;
  const isVowel = (letter: string): boolean => 'aeiouy'.includes(letter);
  if (isVowel(one) && isVowel(other)) return false;
  if (isVowel(one) !== isVowel(other)) return true;
  return lettersBehind === 0 || !ALIKE.some((group) => group.includes(one) && group.includes(other));
}

const ALIKE = ['bvp', 'szcxç', 'ckqg', 'gjy', 'mn', 'lr', 'dt', 'fv', 'td', 'hjg', 'lk'];
