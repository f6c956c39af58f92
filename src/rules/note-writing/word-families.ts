// Splits a text into words with their families: parts of the body, complaints, numbers, drugs.

import { findDrugsInNote } from '../../clinical-text/drugs/find-drugs.ts';
import { foldWord } from '../../clinical-text/fold.ts';
import { numbersIn } from '../../clinical-text/numbers/number-words.ts';
import { type FamilyWord, type FindPhrases, makeFindPhrases } from '../../clinical-text/phrases/family-phrases.ts';
import { readTokens, type Token } from '../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../domain/language.ts';
import { type CueFiles, inAllLanguages } from './cue-files.ts';

export type ReadWords = (text: string) => readonly FamilyWord[];

/** Letters of the beginning of a word, and before an ending. */
const MIN_LETTERS = 2;
const MAX_REMEMBERED = 20_000;
const NONE: ReadonlySet<string> = new Set();

export function makeReadWords(
  { words: families, speech }: Pick<CueFiles, 'words' | 'speech'>,
  language: Language,
): ReadWords {
  const rarelyNumbers = new Set(inAllLanguages(speech['rarely-numbers']));
  const look = makeFamilies(Object.entries(families).map(([name, lists]) => [name, lists[language]]));
  const numbers = numbersIn(language).words;
  return (text) => {
    const tokens = readTokens(text);
    const drugs = new Set(findDrugsInNote(tokens).map(({ first }) => tokens[first]?.from));
    return joinHyphens(tokens).map((token) => {
      const { kind, from, to } = token;
      // `The calf's thicker`: the known word without its ending.
      const base = kind === 'word' && /['’]s$/i.test(text.slice(to - 2, to)) ? token.word.slice(0, -1) : '';
      const word = base !== '' && look(base).size > 0 ? base : token.word;
      const own = kind === 'word' ? look(word) : NONE;
      const isNumber = kind === 'number' || (numbers.has(word) && !rarelyNumbers.has(word));
      if (!isNumber && !drugs.has(from)) return { word, from, to, families: own };
      return {
        word,
        from,
        to,
        families: new Set([...own, ...(isNumber ? ['number'] : []), ...(drugs.has(from) ? ['drug'] : [])]),
      };
    });
  };
}

export function findAny(phrases: readonly string[]): FindPhrases<string> {
  return makeFindPhrases(phrases.map((phrase) => [phrase, phrase] as const));
}

export function finds(phrases: readonly string[]): (words: readonly FamilyWord[]) => boolean {
  const find = findAny(phrases);
  return (words) => find(words).length > 0;
}

export function startsWith(phrases: readonly string[]): (words: readonly FamilyWord[]) => boolean {
  const find = findAny(phrases);
  return (words) => find(words.slice(0, 3)).some(({ first }) => first === 0);
}

/** Joins `x-ray` to one word and drops punctuation. */
function joinHyphens(tokens: readonly Token[]): readonly Token[] {
  const joined: Token[] = [];
  for (const [index, token] of tokens.entries()) {
    const last = joined.at(-1);
    const before = tokens[index - 1];
    if (token.kind === 'mark') continue;
    if (before?.word === '-' && token.isGlued && before.isGlued && last?.kind === 'word' && token.kind === 'word') {
      joined[joined.length - 1] = { ...last, word: `${last.word}-${token.word}`, to: token.to };
    } else joined.push(token);
  }
  return joined;
}

/** Caches the families of each word: a talk repeats few words. */
export function makeFamilies(lists: Iterable<readonly [name: string, words: readonly string[]]>) {
  const exact = new Map<string, Set<string>>();
  const starts = new Map<string, Set<string>>();
  const ends = new Map<string, Set<string>>();
  const add = (map: Map<string, Set<string>>, key: string, name: string) => {
    map.set(key, (map.get(key) ?? new Set()).add(name));
  };
  for (const [name, words] of lists) {
    for (const word of words) {
      if (word.startsWith('*')) add(ends, foldWord(word.slice(1)), name);
      else if (word.endsWith('*')) add(starts, foldWord(word.slice(0, -1)), name);
      else add(exact, foldWord(word), name);
    }
  }
  const seen = new Map<string, ReadonlySet<string>>();
  return (word: string): ReadonlySet<string> => {
    const cached = seen.get(word);
    if (cached) return cached;
    if (seen.size > MAX_REMEMBERED) seen.clear();
    const found = new Set(exact.get(word));
    // Tokens have at most forty letters, so this loop is bounded.
    for (let length = MIN_LETTERS; length <= word.length; length += 1) {
      for (const name of starts.get(word.slice(0, length)) ?? []) found.add(name);
      for (const name of ends.get(word.slice(length)) ?? []) found.add(name);
    }
    seen.set(word, found);
    return found;
  };
}
