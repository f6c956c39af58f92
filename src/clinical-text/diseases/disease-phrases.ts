// Finds the phrases of the table of diseases in a name. Unlike the other finders of phrases it knows no order of words: a name has few
// words, and `renal calculus`, `cálculo renal` and `calculus of the kidney` are one thing.
import { foldText } from '../fold.ts';
import { type Literal, type Notation, readPhrase } from '../phrases/phrase-notation.ts';
import { readTokens } from '../tokens/tokens.ts';
import { respell, spellingKey } from './spelling-key.ts';

export type NameWord = {
  /** Lower case, without accents. */
  readonly word: string;
  readonly key: string;
  readonly spelled: string;
  /** The word as it is written, if that may be an abbreviation: `PE`. */
  readonly capitals: string | undefined;
  /** By family, which of its meanings: the heel and the foot are of one family. */
  readonly families: ReadonlyMap<string, number>;
};

/** `other` is a second spelling of a beginning. */
type KeyedLiteral = Literal & { readonly other: string | undefined };
type Choice = readonly KeyedLiteral[];
type Part = { readonly choices: readonly Choice[]; readonly isOptional: boolean };
export type DiseasePhrase = { readonly id: number; readonly row: number; readonly parts: readonly Part[] };
/** `words` has a bit for each word that the phrase uses; `meaning` is equal if all words mean the same. */
export type PhraseMatch = {
  readonly phrase: DiseasePhrase;
  readonly words: number;
  readonly meaning: string;
};

export type DiseasePhrases = {
  readonly readWords: (name: string) => readonly NameWord[];
  readonly find: (words: readonly NameWord[]) => readonly PhraseMatch[];
  /** True if the phrase has this word. */
  readonly hasWord: (phrase: DiseasePhrase, word: NameWord) => boolean;
  /** True if any phrase or family has this word. */
  readonly isKnown: (word: NameWord) => boolean;
  readonly all: readonly DiseasePhrase[];
};

/** Names are cut, so that the work is bounded whatever a caller sends. */
const LONGEST_NAME = 300;
const MOST_WORDS = 30;
const SHORTEST_START = 3;
const LONGER_START = 4;
const CAPITALS = /^[A-Z]{2,6}$/;

const NOTATION: Notation = {
  wordsOf: (choice) => (CAPITALS.test(choice) ? [choice] : wordsIn(choice)),
  shortestStart: SHORTEST_START,
  gap: 0,
};

function wordsIn(text: string): string[] {
  return readTokens(text)
    .filter(({ kind }) => kind !== 'mark')
    .map(({ word }) => word);
}

type Families = Readonly<Record<string, string>>;

/** Each row holds phrases separated by commas. Throws an Error that names a phrase which cannot be read. */
export function makeDiseasePhrases(rows: readonly string[], families: Families): DiseasePhrases {
  const familiesOf = makeFamiliesOf(families);
  const phrases: DiseasePhrase[] = [];
  for (const [row, text] of rows.entries()) {
    for (const phrase of text.split(',')) phrases.push({ id: phrases.length, row, parts: partsOf(phrase.trim()) });
  }
  const byKey = indexOf(phrases);
  const vocabulary = vocabularyOf(phrases);
  return {
    all: phrases,
    isKnown: (word) =>
      word.families.size > 0 ||
      keysOf(word).some((key) => vocabulary.get(key)?.some((literal) => isLiteral(word, literal))),
    readWords: (name) => readNameWords(name, familiesOf),
    hasWord: ({ parts }, word) =>
      parts.some(({ choices }) => choices.some((choice) => choice.some((literal) => isLiteral(word, literal)))),
    find: (words) => {
      const seen = new Set<number>();
      const matches: PhraseMatch[] = [];
      for (const word of words) {
        for (const phrase of keysOf(word).flatMap((key) => byKey.get(key) ?? [])) {
          if (seen.has(phrase.id)) continue;
          seen.add(phrase.id);
          const match = matchPhrase(phrase, words);
          if (match !== undefined) matches.push(match);
        }
      }
      return matches;
    },
  };
}

function partsOf(text: string): readonly Part[] {
  const parts = readPhrase(text, NOTATION);
  if ('problem' in parts) throw new Error(`The phrase "${text}" ${parts.problem}`);
  return parts.flatMap(({ steps, isOptional }) =>
    steps.map(({ choices }) => ({ isOptional, choices: choices.map((choice) => choice.map(toKey)) })),
  );
}

function toKey({ text, kind }: Literal): KeyedLiteral {
  if (kind === 'family') return { text: text.slice(1, -1), kind, other: undefined };
  if (kind === 'word') return { text: CAPITALS.test(text) ? text : spellingKey(text), kind, other: undefined };
  const start = respell(foldText(text));
  return { text: start, kind, other: otherEnd(start) };
}

/** `infec*` also begins `infectious`, whose last letter is spelled by another rule. `Colic*` does not begin `colitis`. */
function otherEnd(start: string): string | undefined {
  if (!/.{3}[^i][ct]$/.test(start)) return undefined;
  return start.slice(0, -1) + (start.endsWith('c') ? 't' : 'c');
}

function isLiteral({ key, spelled, capitals, families }: NameWord, { text, kind, other }: KeyedLiteral): boolean {
  if (kind === 'family') return families.has(text);
  if (kind === 'word') return key === text || capitals === text;
  return spelled.startsWith(text) || (other !== undefined && spelled.startsWith(other));
}

function matchPhrase(phrase: DiseasePhrase, words: readonly NameWord[]): PhraseMatch | undefined {
  let used = 0;
  const meaning: string[] = [];
  for (const { choices, isOptional } of phrase.parts) {
    const found = matchChoice(choices, words, used);
    if (found === undefined && !isOptional) return undefined;
    used = found?.used ?? used;
    meaning.push(isOptional ? '' : (found?.meaning ?? ''));
  }
  return { phrase, words: used, meaning: `${phrase.id}:${meaning.join(' ')}` };
}

function matchChoice(choices: readonly Choice[], words: readonly NameWord[], before: number) {
  for (const [place, choice] of choices.entries()) {
    let used = before;
    let meaning = `${place}`;
    for (const literal of choice) {
      const at = words.findIndex((word, index) => (used & (1 << index)) === 0 && isLiteral(word, literal));
      if (at < 0) {
        used = -1;
        break;
      }
      used |= 1 << at;
      if (literal.kind === 'family') meaning += `.${words[at]?.families.get(literal.text)}`;
    }
    if (used !== -1) return { used, meaning };
  }
  return undefined;
}

/** Each phrase is looked for only at the words of one part: the one that the fewest names have, which is the longest. */
function indexOf(phrases: readonly DiseasePhrase[]): ReadonlyMap<string, readonly DiseasePhrase[]> {
  const byKey = new Map<string, DiseasePhrase[]>();
  for (const phrase of phrases) {
    const needed = phrase.parts.filter(({ isOptional }) => !isOptional);
    const rarest = needed.toSorted((one, other) => rarity(other) - rarity(one))[0];
    const literals = rarest?.choices.flatMap((choice) => choice.slice(0, 1)) ?? [];
    for (const key of new Set(literals.flatMap(keysOfLiteral))) addTo(byKey, key, phrase);
  }
  return byKey;
}

function vocabularyOf(phrases: readonly DiseasePhrase[]): ReadonlyMap<string, readonly KeyedLiteral[]> {
  const byText = new Map<string, KeyedLiteral>();
  for (const { parts } of phrases) {
    for (const literal of parts.flatMap(({ choices }) => choices.flat())) {
      byText.set(`${literal.kind} ${literal.text}`, literal);
    }
  }
  const vocabulary = new Map<string, KeyedLiteral[]>();
  for (const literal of byText.values()) {
    for (const key of new Set(keysOfLiteral(literal))) addTo(vocabulary, key, literal);
  }
  return vocabulary;
}

function addTo<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function rarity({ choices }: Part): number {
  return Math.min(...choices.map(([literal]) => (literal?.kind === 'family' ? 0 : (literal?.text.length ?? 0))));
}

function keysOfLiteral({ text, kind, other }: KeyedLiteral): readonly string[] {
  if (kind === 'family') return [`<${text}>`];
  if (kind === 'word') return [text];
  return [text, other ?? text].map((start) => `${start.slice(0, LONGER_START)}*`);
}

function keysOf({ key, spelled, capitals, families }: NameWord): readonly string[] {
  const names = Array.from(families.keys(), (name) => `<${name}>`);
  return [key, ...startsOf(spelled), ...(capitals === undefined ? [] : [capitals]), ...names];
}

function startsOf(spelled: string): readonly string[] {
  return [`${spelled.slice(0, SHORTEST_START)}*`, `${spelled.slice(0, LONGER_START)}*`];
}

type FamiliesOf = (word: Omit<NameWord, 'families'>) => ReadonlyMap<string, number>;

function readNameWords(name: string, familiesOf: FamiliesOf): readonly NameWord[] {
  const text = name.slice(0, LONGEST_NAME);
  const tokens = readTokens(text).filter(({ kind }) => kind !== 'mark');
  return tokens.slice(0, MOST_WORDS).map(({ word, from, to }) => {
    const written = text.slice(from, to).replaceAll('.', '');
    // A name of one word may be an abbreviation in small letters.
    const capitals = tokens.length === 1 ? written.toUpperCase() : written;
    const read = {
      word,
      key: spellingKey(word),
      spelled: respell(word),
      capitals: CAPITALS.test(capitals) ? capitals : undefined,
    };
    return { ...read, families: familiesOf(read) };
  });
}

type FamilyWord = { readonly literal: KeyedLiteral; readonly family: string; readonly meaning: number };

/** In a family, `;` separates the words of one meaning. */
function makeFamiliesOf(families: Families): FamiliesOf {
  const byKey = new Map<string, FamilyWord[]>();
  for (const [family, text] of Object.entries(families)) {
    for (const [meaning, words] of text.split(';').entries()) {
      for (const literal of words.split(',').flatMap((word) => literalsOf(word.trim()))) {
        for (const key of new Set(keysOfLiteral(literal))) addTo(byKey, key, { literal, family, meaning });
      }
    }
  }
  return (read) => {
    const found = new Map<string, number>();
    const word = { ...read, families: found };
    for (const key of keysOf(word)) {
      for (const { literal, family, meaning } of byKey.get(key) ?? []) {
        if (isLiteral(word, literal)) found.set(family, meaning);
      }
    }
    return found;
  };
}

function literalsOf(word: string): readonly KeyedLiteral[] {
  return partsOf(word).flatMap(({ choices }) => choices.flat());
}
