// A set of phrases that is asked at one place of a text: `a no ser`, `only`, `mejor*`.
import type { Token } from '../tokens/tokens.ts';

export type PhraseSet = {
  /** The number of tokens of the longest phrase that begins at this place; 0 if none does. */
  readonly lengthAt: (tokens: readonly Token[], index: number) => number;
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
    lengthAt: (tokens, index) => {
      const word = tokens[index]?.word;
      if (word === undefined) return 0;
      const candidates = known.get(word) ?? beginningWith(word);
      let longest = 0;
      for (const phrase of candidates) {
        if (phrase.length > longest && fits(phrase, tokens, index)) longest = phrase.length;
      }
      return longest;
    },
  };
}

/** True if the words behind the first one fit, too. */
function fits(phrase: Phrase, tokens: readonly Token[], index: number): boolean {
  const sentence = tokens[index]?.sentence;
  for (let ahead = 1; ahead < phrase.length; ahead += 1) {
    const token = tokens[index + ahead];
    if (token?.sentence !== sentence || !isFitting(phrase[ahead] ?? '', token?.word ?? '')) return false;
  }
  return true;
}

function isFitting(part: string, word: string): boolean {
  return part.endsWith('*') ? word.startsWith(part.slice(0, -1)) : word === part;
}
