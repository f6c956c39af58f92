// Finds phrases in a row of words, one phrase after the other. Each is looked for only at its first word and reaches a bounded number of
// words, so that a text of any length is read in linear time. The rules find the many phrases of the knowledge with a tree instead.
import type { Literal, PhrasePart, Step } from './phrase-notation.ts';

/** What a finder has to know of the words in a row. */
export type RowReading<Item> = {
  /** Compared with whole words. */
  readonly formOf: (item: Item) => string;
  /** Compared with the beginnings of words. */
  readonly wordOf: (item: Item) => string;
  readonly familiesOf: (item: Item) => ReadonlySet<string>;
  /** It ends each phrase before it. */
  readonly isBarrier: (item: Item) => boolean;
  /** Letters of the shortest beginning. */
  readonly startLetters: number;
};

export type FindablePhrase<T> = { readonly what: T; readonly elements: readonly Element[] };
type Element = Step & { readonly isOptional: boolean };

export type PhraseFinder<T, Item> = {
  readonly startingWith: (item: Item) => readonly FindablePhrase<T>[];
  /** The place behind the phrase, if it begins at `first`. */
  readonly endOf: (items: readonly Item[], first: number, phrase: FindablePhrase<T>) => number | undefined;
};

export function makePhraseFinder<T, Item>(
  phrases: Iterable<readonly [parts: readonly PhrasePart[], what: T]>,
  reading: RowReading<Item>,
): PhraseFinder<T, Item> {
  const { formOf, wordOf, familiesOf, isBarrier, startLetters } = reading;
  const byKey = new Map<string, FindablePhrase<T>[]>();
  for (const [parts, what] of phrases) {
    for (const elements of variants(parts.flatMap(toElements))) {
      for (const [literal] of elements[0]?.choices ?? []) {
        const key = literal && keyOf(literal, startLetters);
        if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), { what, elements }]);
      }
    }
  }
  const isLiteral = (item: Item | undefined, { text, kind }: Literal): boolean => {
    if (item === undefined) return false;
    if (kind === 'family') return familiesOf(item).has(text.slice(1, -1));
    return kind === 'start' ? wordOf(item).startsWith(text) : formOf(item) === text;
  };
  const endOfStep = (items: readonly Item[], from: number, reach: number, { choices }: Step): number | undefined => {
    for (let index = from; index <= reach; index += 1) {
      const item = items[index];
      if (item === undefined) return undefined;
      const found = choices.find((choice) =>
        choice.every((literal, ahead) => isLiteral(items[index + ahead], literal)),
      );
      if (found) return index + found.length;
      if (isBarrier(item)) return undefined;
    }
    return undefined;
  };
  return {
    startingWith: (item) =>
      [
        formOf(item),
        `${wordOf(item).slice(0, startLetters)}*`,
        ...[...familiesOf(item)].map((name) => `<${name}>`),
      ].flatMap((key) => byKey.get(key) ?? []),
    endOf: (items, first, { elements }) => {
      let index = first;
      for (const [place, element] of elements.entries()) {
        const end = endOfStep(items, index, place === 0 ? index : index + element.gap, element);
        if (end === undefined && !element.isOptional) return undefined;
        index = end ?? index;
      }
      return index;
    },
  };
}

function toElements({ steps, isOptional }: PhrasePart): readonly Element[] {
  return steps.map((step) => ({ ...step, isOptional }));
}

/** With and without the words that may be absent at the beginning; later ones are tried while reading. */
function variants(elements: readonly Element[]): readonly (readonly Element[])[] {
  const [first, ...rest] = elements;
  return first?.isOptional && rest.length > 0 ? [elements, ...variants(rest)] : [elements];
}

function keyOf({ text, kind }: Literal, startLetters: number): string {
  return kind === 'start' ? `${text.slice(0, startLetters)}*` : text;
}
