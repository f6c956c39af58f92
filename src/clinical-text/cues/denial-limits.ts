// Where a denial ends or does not count, for every reader of it: a finding that does not go away persists, what a treatment is for is there, and
// what is denied except on an occasion is present at times. Each is asked at one place of a row of words.
import type { Cues } from './cues.ts';
import type { PhraseWord } from './phrase-set.ts';

type Words = readonly PhraseWord[];

/** Words between a denial and the verb that says that the finding persists. */
const GOES_ON_REACH = 5;
/** Words between a purpose (`for the cough`) and what is taken. */
const TAKEN_REACH = 5;
/** Words between a denied finding and the occasion on which it is present. */
const ONLY_REACH = 6;

/** True of the denial in `does not go away`, `no se me quita`, `não baixa`: the finding persists. */
export function isGoingOn(words: Words, index: number, cues: Cues): boolean {
  for (let next = index + 1; next <= index + GOES_ON_REACH; next += 1) {
    if (words[next]?.sentence !== words[index]?.sentence) return false;
    if (cues.goesOn.lengthAt(words, next) > 0) return true;
    if (cues.between.lengthAt(words, next) === 0) return false;
  }
  return false;
}

/** True of the `for` in `nothing for the cough`, `no tomé nada para la tos`: what is behind it is treated, not denied. */
export function isPurposeOfTreatment(words: Words, index: number, cues: Cues): boolean {
  if (cues.purposes.lengthAt(words, index) === 0) return false;
  for (let back = index - 1; back >= index - TAKEN_REACH && back >= 0; back -= 1) {
    if (words[back]?.sentence !== words[index]?.sentence) return false;
    if (cues.taken.lengthAt(words, back) > 0) return true;
  }
  return false;
}

/** True of what ends at `end` in `no pain at rest, only on stairs`. */
export function isOnlySometimes(
  words: Words,
  end: number,
  cues: Cues,
  isCounted: (index: number) => boolean = () => true,
): boolean {
  const sentence = words[end - 1]?.sentence ?? 0;
  for (let index = end, count = 0; count <= ONLY_REACH; index += 1) {
    const word = words[index];
    if (word === undefined) return false;
    // The next sentence counts if it begins so: `No pain at rest. Only on stairs.`
    if (word.sentence > sentence) return isOccasional(words, index, cues);
    if (isOccasional(words, index, cues)) return true;
    if (isCounted(index)) count += 1;
  }
  return false;
}

/** True of `only on stairs`, `solo al subir`. */
export function isOccasional(words: Words, index: number, cues: Cues): boolean {
  const length = cues.only.lengthAt(words, index);
  return length > 0 && cues.occasions.lengthAt(words, index + length) > 0;
}
