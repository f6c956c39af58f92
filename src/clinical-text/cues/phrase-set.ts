// A set of phrases that is asked at one place of a text: `a no ser`, `only`, `mejor*`.
import type { Token } from '../tokens/tokens.ts';

export type PhraseSet = {
  /** The number of tokens of the longest phrase that begins at this place; 0 if none does. */
  readonly lengthAt: (tokens: readonly Token[], index: number) => number;
};

type Phrase = readonly string[];

/** Shorter beginnings would fit too many words. */
const START = 2;

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
  return {
    lengthAt: (tokens, index) => {
      const word = tokens[index]?.word;
      if (word === undefined) return 0;
      let longest = 0;
      for (const phrase of byWord.get(word) ?? []) longest = Math.max(longest, fitting(phrase, tokens, index));
      if (byStart.size === 0) return longest;
      for (const phrase of byStart.get(word.slice(0, START)) ?? [])
        longest = Math.max(longest, fitting(phrase, tokens, index));
      return longest;
    },
  };
}

function fitting(phrase: Phrase, tokens: readonly Token[], index: number): number {
  const sentence = tokens[index]?.sentence;
  const fits = phrase.every((part, ahead) => {
    const token = tokens[index + ahead];
    if (token === undefined || token.sentence !== sentence) return false;
    return part.endsWith('*') ? token.word.startsWith(part.slice(0, -1)) : token.word === part;
  });
  return fits ? phrase.length : 0;
}
