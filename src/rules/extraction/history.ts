// A clinical history as tokens, with the word lists of the knowledge.
import type { WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import type { PatternName, WordFiles, WordListName } from '../knowledge/word-lists.ts';

export type History = { readonly tokens: readonly WordToken[]; readonly words: WordLists };

/** Indexes of tokens; `to` is behind the last one. */
export type Stretch = { readonly from: number; readonly to: number };

export type WordLists = {
  readonly has: (list: WordListName, word: string | undefined) => boolean;
  readonly patterns: Readonly<Record<PatternName, RegExp>>;
};

type Matchers = Readonly<Record<WordListName, (word: string) => boolean>>;

/** True if the token at this index is in the list. */
export function isWord({ tokens, words }: History, at: number, list: WordListName): boolean {
  return words.has(list, tokens[at]?.text);
}

export function hasWord(history: History, { from, to }: Stretch, list: WordListName): boolean {
  for (let at = from; at < to; at++) if (isWord(history, at, list)) return true;
  return false;
}

export function makeWordLists(files: WordFiles): WordLists {
  const { health, persons, relatives, scopes, times, values, patterns } = files;
  const lists = { ...health, ...persons, ...relatives, ...scopes, ...times, ...values };
  const matchers: Matchers = mapValues(lists, makeMatcher);
  return {
    has: (list, word) => word !== undefined && matchers[list](word),
    patterns: mapValues(patterns, (alternatives) => new RegExp(alternatives.join('|'))),
  };
}

function mapValues<Name extends string, From, To>(from: Readonly<Record<Name, From>>, to: (value: From) => To) {
  const entries = Object.entries<From>(from).map(([name, value]) => [name, to(value)]);
  return Object.fromEntries(entries) as Record<Name, To>;
}

/** A star is the rest of a word, at its beginning or end. */
function makeMatcher(list: readonly string[]): (word: string) => boolean {
  const whole = new Set(list.filter((word) => !word.includes('*')));
  const parts = list.filter((word) => word.includes('*')).map((word) => word.replaceAll('*', '.*'));
  if (parts.length === 0) return (word) => whole.has(word);
  const pattern = new RegExp(`^(?:${parts.join('|')})$`);
  return (word) => whole.has(word) || pattern.test(word);
}
