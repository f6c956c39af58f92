// A set of phrases that is asked at one place of a text: `a no ser`, `only`, `mejor*`.
import type { Token } from '../tokens/tokens.ts';

/** All that a phrase is compared with. A phrase does not go on in the next sentence. */
export type PhraseWord = Pick<Token, 'word' | 'sentence'>;

export type PhraseSet = {
  /** The number of words of the longest phrase that begins at this place; 0 if none does. */
  readonly lengthAt: (words: readonly PhraseWord[], index: number) => number;
};

type Phrase = readonly string[];

/** Shorter beginnings would fit too many words. */
const START = 2;

/** Words whose phrases are kept for the next time. A conversation has few different ones. */
const MOST_KEPT = 10_000;

export const NO_PHRASES: PhraseSet = { lengthAt: () => 0 };

/** `list`: phrases with a bar between them. The star at the end of a word is any ending. */
export function makePhraseSet(list: string): PhraseSet {
  const phrases = list
    .split('|')
    .filter(Boolean)
    .map((phrase): Phrase => phrase.trim().split(' '));
  const byWord = Map.groupBy(
    phrases.filter(([first = '']) => !first.endsWith('*')),
    ([first]) => first,
  );
  const byStart = Map.groupBy(
    phrases.filter(([first = '']) => first.endsWith('*')),
    ([first = '']) => first.slice(0, START),
  );
  const known = new Map<string, readonly Phrase[]>();
  const beginningWith = (word: string): readonly Phrase[] => {
    const starting = (byStart.get(word.slice(0, START)) ?? []).filter(([first = '']) => isFitting(first, word));
    const found = [...(byWord.get(word) ?? []), ...starting];
    if (known.size >= MOST_KEPT) known.clear();
    known.set(word, found);
    return found;
  };
  return {
    lengthAt: (words, index) => {
      const word = words[index]?.word;
      if (word === undefined) return 0;
      const candidates = known.get(word) ?? beginningWith(word);
      let longest = 0;
      for (const phrase of candidates) {
        if (phrase.length > longest && fits(phrase, words, index)) longest = phrase.length;
      }
      return longest;
    },
  };
}

/** True if the words behind the first one fit, too. */
function fits(phrase: Phrase, words: readonly PhraseWord[], index: number): boolean {
  const sentence = words[index]?.sentence;
  for (let ahead = 1; ahead < phrase.length; ahead += 1) {
    const next = words[index + ahead];
    if (next?.sentence !== sentence || !isFitting(phrase[ahead] ?? '', next?.word ?? '')) return false;
  }
  return true;
}

function isFitting(part: string, word: string): boolean {
  return part.endsWith('*') ? word.startsWith(part.slice(0, -1)) : word === part;
}
