// The table of diseases: which codes each name may have. The data beside this file is written by hand. A row is keyed by its codes, the
// most usual one first, and holds names in English, Spanish and Portuguese: their common spellings are one (spelling-key.ts), so that a
// name is repeated only if another language has another word. `;` separates things of the same codes; a thing that begins with `=` has
// only names of one disease. Abbreviations in capitals are read only in capitals. The index is built at its
// first use, which takes a fifth of a second: an engine asks for it before the first request does.

import { isContextWord, withoutSetPhrases } from './context-words.ts';
import {
  type DiseasePhrase,
  type DiseasePhrases,
  makeDiseasePhrases,
  type NameWord,
  type PhraseMatch,
} from './disease-phrases.ts';
import data from './diseases.json' with { type: 'json' };
import {
  type CodeRange,
  categoryOf,
  holdsCategory,
  type IcdCode,
  isWide,
  overlap,
  readCodeRanges,
} from './icd-codes.ts';

export type DiseaseReading = {
  readonly words: readonly NameWord[];
  readonly matches: readonly DiseaseMatch[];
  /** Also the diseases within a disease of pregnancy or of the newborn, which may have either code. */
  readonly wider: readonly DiseaseMatch[];
  /** Words that no match uses. */
  readonly details: readonly NameWord[];
  /** Those of them that may make another disease of it. */
  readonly rest: readonly NameWord[];
};
export type DiseaseMatch = {
  readonly codes: readonly CodeRange[];
  /** Equal for names of the same thing. */
  readonly identity: string;
  /** All names of its row are names of one disease. */
  readonly isOneThing: boolean;
  /** A bit for each word that it uses. */
  readonly words: number;
};

export type DiseaseTable = {
  readonly read: (name: string) => DiseaseReading;
  /** True if any name has the word. */
  readonly isKnownWord: (word: NameWord) => boolean;
  /** True if a name of this category has the word. */
  readonly isWordOf: (word: NameWord, code: IcdCode) => boolean;
  readonly isNeighbour: (codes: readonly CodeRange[], code: IcdCode) => boolean;
  /** True if one of them is a sign of the other: chest pain of angina. */
  readonly isSignOf: (codes: readonly CodeRange[], code: IcdCode) => boolean;
  /** A sign or finding of which the table does not know the diseases. */
  readonly isOtherSign: (code: IcdCode) => boolean;
};

type Row = { readonly codes: readonly CodeRange[]; readonly phrases: string; readonly isOneThing: boolean };

let table: DiseaseTable | undefined;

export function diseaseTable(): DiseaseTable {
  table ??= makeDiseaseTable();
  return table;
}

export function isDiseaseTableBuilt(): boolean {
  return table !== undefined;
}

function makeDiseaseTable(): DiseaseTable {
  const rows = readRows(data.diseases);
  const phrases = makeDiseasePhrases(
    rows.map((row) => row.phrases),
    data.families,
  );
  const groups = data.related.map(readCodeRanges);
  const signs = new Map(Object.entries(data.signs).map(([sign, codes]) => [sign, readCodeRanges(codes)]));
  const byCategory = phrasesByCategory(phrases, rows);
  return {
    read: remember(READINGS, (name) => readDiseases(name, phrases, rows)),
    isKnownWord: phrases.isKnown,
    isWordOf: (word, code) => (byCategory.get(categoryOf(code)) ?? []).some((phrase) => phrases.hasWord(phrase, word)),
    isNeighbour: ([first], code) =>
      first !== undefined &&
      !isWide(first) &&
      groups.some(
        (group) => group.some((range) => holdsCategory(range, code)) && group.some((range) => overlap(range, first)),
      ),
    isOtherSign: (code) => code.startsWith('R') && !signs.has(categoryOf(code)),
    isSignOf: (codes, code) => {
      const ofCode = signs.get(categoryOf(code)) ?? [];
      const ofName = signs.get(categoryOf(codes[0]?.from ?? '')) ?? [];
      return (
        ofCode.some((range) => codes.some((other) => !isWide(other) && overlap(range, other))) ||
        ofName.some((range) => holdsCategory(range, code))
      );
    },
  };
}

/** The names of some answers: every two names of an answer are compared. */
const READINGS = 200;

/** Keeps the latest results. */
function remember<Value>(most: number, read: (name: string) => Value): (name: string) => Value {
  const latest = new Map<string, Value>();
  return (name) => {
    const value = latest.get(name) ?? read(name);
    latest.delete(name);
    latest.set(name, value);
    const [oldest] = latest.keys();
    if (latest.size > most && oldest !== undefined) latest.delete(oldest);
    return value;
  };
}

function readRows(diseases: Readonly<Record<string, string>>): readonly Row[] {
  return Object.entries(diseases).flatMap(([codes, things]) => {
    const ranges = readCodeRanges(codes);
    return things.split(';').map((text) => {
      const phrases = text.trim();
      const isOneThing = phrases.startsWith('= ');
      return { codes: ranges, phrases: isOneThing ? phrases.slice(2) : phrases, isOneThing };
    });
  });
}

function readDiseases(name: string, phrases: DiseasePhrases, rows: readonly Row[]): DiseaseReading {
  const words = withoutSetPhrases(phrases.readWords(name));
  const found = phrases.find(words);
  const used = found.reduce((bits, match) => bits | match.words, 0);
  const all = found.flatMap((match) => toDiseaseMatch(match, rows));
  const details = words.filter((_, index) => (used & (1 << index)) === 0);
  return {
    words,
    matches: all.filter((match) => !all.some((other) => isWithin(match, other))),
    wider: all.filter((match) => !all.some((other) => isWithin(match, other) && !isOfBirth(other))),
    details,
    rest: details.filter(({ key }) => !isContextWord(key)),
  };
}

/** `herpes` within `herpes zoster` is not a second disease. */
function isWithin(one: DiseaseMatch, other: DiseaseMatch): boolean {
  return one.words !== other.words && (one.words & other.words) === one.words;
}

function isOfBirth({ codes: [first] }: DiseaseMatch): boolean {
  return first !== undefined && /^[OP]/.test(first.from);
}

function toDiseaseMatch({ phrase, meaning, words }: PhraseMatch, rows: readonly Row[]): readonly DiseaseMatch[] {
  const row = rows[phrase.row];
  if (row === undefined) return [];
  const { codes, isOneThing } = row;
  return [{ codes, isOneThing, words, identity: isOneThing ? `=${phrase.row}` : meaning }];
}

function phrasesByCategory(
  phrases: DiseasePhrases,
  rows: readonly Row[],
): ReadonlyMap<string, readonly DiseasePhrase[]> {
  const byCategory = new Map<string, DiseasePhrase[]>();
  for (const phrase of phrases.all) {
    for (const range of rows[phrase.row]?.codes ?? []) {
      if (isWide(range)) continue;
      const category = categoryOf(range.from);
      const known = byCategory.get(category);
      if (known === undefined) byCategory.set(category, [phrase]);
      else known.push(phrase);
    }
  }
  return byCategory;
}
