// Finds phrases in words. Each phrase is looked for only where its first word stands, and reaches a bounded number of words, so that a text
// of any length is read in linear time.
import { foldWord } from '../fold.ts';

export type Word = {
  /** Lower case, without accents and apostrophes. */
  readonly word: string;
  readonly from: number;
  readonly to: number;
  readonly families: ReadonlySet<string>;
};

type Test = (word: Word) => boolean;
type Element = {
  readonly tests: readonly Test[];
  readonly keys: readonly string[];
  readonly isOptional: boolean;
  readonly gap: number;
};
type Phrase<T> = { readonly elements: readonly Element[]; readonly gives: T };
export type Hit<T> = { readonly gives: T; readonly first: number; readonly end: number };
export type FindPhrases<T> = (words: readonly Word[]) => readonly Hit<T>[];

const START_LETTERS = 3;

/** Throws an Error that names a phrase which cannot be read. A phrase is found at most once in a text. */
export function makePhrases<T>(phrases: Iterable<readonly [phrase: string, gives: T]>): FindPhrases<T> {
  const byKey = new Map<string, Phrase<T>[]>();
  for (const [text, gives] of phrases) {
    for (const elements of variants(readElements(text))) {
      const phrase = { elements, gives };
      for (const key of elements[0]?.keys ?? []) byKey.set(key, [...(byKey.get(key) ?? []), phrase]);
    }
  }
  return (words) => {
    const found = new Map<Phrase<T>, Hit<T>>();
    for (let index = 0; index < words.length; index += 1) {
      const word = words[index];
      if (word === undefined) continue;
      for (const key of keysOf(word)) {
        for (const phrase of byKey.get(key) ?? []) {
          if (found.has(phrase)) continue;
          const end = endOf(words, index, phrase.elements);
          if (end !== undefined) found.set(phrase, { gives: phrase.gives, first: index, end });
        }
      }
    }
    return [...found.values()];
  };
}

function keysOf({ word, families }: Word): readonly string[] {
  return [word, `${word.slice(0, START_LETTERS)}*`, ...[...families].map((family) => `<${family}>`)];
}

function readElements(text: string): readonly Element[] {
  const elements: Element[] = [];
  let gap = 0;
  for (const part of text.trim().split(/\s+/)) {
    const wait = /^\{(\d)\}$/.exec(part);
    if (wait) {
      gap = Number(wait[1]);
      continue;
    }
    const isOptional = part.startsWith('[') && part.endsWith(']');
    const options = (isOptional ? part.slice(1, -1) : part).split('|');
    elements.push({ ...readOptions(options, text), isOptional, gap });
    gap = 0;
  }
  return elements;
}

function readOptions(options: readonly string[], text: string): Pick<Element, 'tests' | 'keys'> {
  const read = options.map((option): { key: string; test: Test } => {
    if (/^<[a-z-]+>$/.test(option)) {
      const family = option.slice(1, -1);
      return { key: option, test: ({ families }) => families.has(family) };
    }
    const word = foldWord(option.replace(/\*$/, ''));
    if (option.endsWith('*')) {
      if (word.length < START_LETTERS) throw new Error(`too few letters before the star: ${text}`);
      return { key: `${word.slice(0, START_LETTERS)}*`, test: (other) => other.word.startsWith(word) };
    }
    if (word === '') throw new Error(`an empty word in: ${text}`);
    return { key: word, test: (other) => other.word === word };
  });
  return { keys: read.map(({ key }) => key), tests: read.map(({ test }) => test) };
}

/** With and without what may be absent at the beginning; what may be absent later is tried while reading. */
function variants(elements: readonly Element[]): readonly (readonly Element[])[] {
  const [first, ...rest] = elements;
  return first?.isOptional && rest.length > 0 ? [elements, ...variants(rest)] : [elements];
}

function endOf(words: readonly Word[], first: number, elements: readonly Element[]): number | undefined {
  let index = first;
  for (const [place, { tests, gap, isOptional }] of elements.entries()) {
    const reach = place === 0 ? index : index + gap;
    const at = findFrom(words, index, reach, tests);
    if (at === undefined && isOptional) continue;
    if (at === undefined) return undefined;
    index = at + 1;
  }
  return index;
}

function findFrom(words: readonly Word[], from: number, reach: number, tests: readonly Test[]): number | undefined {
  for (let index = from; index <= reach; index += 1) {
    const word = words[index];
    if (word === undefined) return undefined;
    if (tests.some((test) => test(word))) return index;
  }
  return undefined;
}
