// Finds phrases in words that know to which families they belong: `<drug> {2} <number>`.
import { foldWord } from '../fold.ts';
import { makePhraseFinder } from './phrase-finder.ts';
import { type Notation, readPhrase } from './phrase-notation.ts';

export type FamilyWord = {
  /** Lower case, without accents and apostrophes. */
  readonly word: string;
  readonly from: number;
  readonly to: number;
  readonly families: ReadonlySet<string>;
};

export type PhraseHit<T> = { readonly gives: T; readonly first: number; readonly end: number };
export type FindPhrases<T> = (words: readonly FamilyWord[]) => readonly PhraseHit<T>[];

const START_LETTERS = 3;
const NOTATION: Notation = { wordsOf: (choice) => [foldWord(choice)], shortestStart: START_LETTERS, gap: 0 };

/** Throws an Error that names a phrase which cannot be read. A phrase is found at most once in a text. */
export function makeFindPhrases<T>(phrases: Iterable<readonly [phrase: string, gives: T]>): FindPhrases<T> {
  const read = Array.from(phrases, ([text, gives]) => {
    const parts = readPhrase(text, NOTATION);
    if ('problem' in parts) throw new Error(`The phrase "${text}" ${parts.problem}`);
    return [parts, gives] as const;
  });
  const finder = makePhraseFinder<T, FamilyWord>(read, {
    formOf: ({ word }) => word,
    wordOf: ({ word }) => word,
    familiesOf: ({ families }) => families,
    isBarrier: () => false,
    startLetters: START_LETTERS,
  });
  return (words) => {
    const found = new Map<unknown, PhraseHit<T>>();
    for (const [first, word] of words.entries()) {
      for (const phrase of finder.startingWith(word)) {
        const end = found.has(phrase.elements) ? undefined : finder.endOf(words, first, phrase);
        if (end !== undefined) found.set(phrase.elements, { gives: phrase.what, first, end });
      }
    }
    return [...found.values()];
  };
}
