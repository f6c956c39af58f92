// The words for relatives in the talk's language, and the signs that tell who came with the patient.
import { foldWord } from '../../clinical-text/fold.ts';
import { type FamilyWord, makeFindPhrases } from '../../clinical-text/phrases/family-phrases.ts';
import type { Language } from '../../domain/language.ts';
import type { CueFiles } from './cue-files.ts';
import { startsWith } from './word-families.ts';

type RelativesFile = CueFiles['relatives'];
export type Relation = string;
export type RelativeSign = 'self' | 'asked' | 'shown' | 'along' | 'theirs';
export type RelativeHit = { readonly sign: RelativeSign; readonly relation: Relation };

export type RelativeWords = {
  /** `É, minha irmã me trouxe` shows no one: a sign is not broken by a comma. */
  readonly signsIn: (sentence: {
    readonly text: string;
    readonly words: readonly FamilyWord[];
  }) => readonly RelativeHit[];
  /** `Sou.`: the answer of one who is it. */
  readonly confirms: (words: readonly FamilyWord[]) => boolean;
  /** The relation that one word names: `mum`. */
  readonly relationOf: (word: FamilyWord) => Relation | undefined;
  /** Who calls another one `mum` is a child. */
  readonly otherSideOf: (relation: Relation) => Relation | undefined;
};

const SIGNS = ['self', 'asked', 'shown', 'along', 'theirs'] as const satisfies readonly RelativeSign[];

/** Throws an Error if the other side of a relation is not a relation itself. */
export function makeRelativeWords({ relatives }: Pick<CueFiles, 'relatives'>, language: Language): RelativeWords {
  const entries = Object.entries(relatives.relations);
  const sides = new Map(entries.map(([relation, { other }]) => [relation, other]));
  const unknown = [...sides.values()].filter((other) => other !== 'patient' && !sides.has(other));
  if (unknown.length > 0) throw new Error(`The cues of the note writer: unknown relations [${unknown}]`);
  const named = new Map(
    entries.flatMap(([relation, one]) => one[language].map((word) => [foldWord(word), relation] as const)),
  );
  const find = makeFindPhrases(SIGNS.flatMap((sign) => phrasesOf(relatives, sign, language)));
  const isConfirmed = startsWith(relatives.confirms[language]);
  return {
    signsIn: ({ text, words }) =>
      find(words)
        .filter(({ first, end }) => !/[,.;:]/.test(text.slice(words[first]?.from, words[end - 1]?.to)))
        .map(({ gives }) => gives),
    confirms: isConfirmed,
    relationOf: ({ word }) => named.get(word),
    otherSideOf: (relation) => sides.get(relation),
  };
}

/** Each sign with the words of each relation in the place of `R`. */
function phrasesOf({ relations, confirms: _, ...signs }: RelativesFile, sign: RelativeSign, language: Language) {
  return Object.entries(relations).flatMap(([relation, one]) => {
    const words = one[language];
    if (words.length === 0) return [];
    return signs[sign][language].map(
      (phrase) => [phrase.replace(/\bR\b/, words.join('|')), { sign, relation }] as const,
    );
  });
}

/** What the note calls a relative, in its own language. */
export function labelOf({ relations }: RelativesFile, relation: Relation, language: Language): string | undefined {
  return relations[relation]?.label[language];
}
