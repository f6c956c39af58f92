// The words that decide how a finding is meant: denied, asked, supposed, long past, or of another person. Each language has a table of its
// own, because a word of denial in one language is a common word in another: `no` is "in the" in Portuguese.
import type { Language } from '../../domain/language.ts';
import { EN } from './en.ts';
import { ES } from './es.ts';
import { makePhraseSet, NO_PHRASES, type PhraseSet } from './phrase-set.ts';
import { PT } from './pt.ts';

const LISTS = [
  // Denials
  'denies',
  'before',
  'after',
  'always',
  'behindAfter',
  'affirms',
  'pseudo',
  'goesOn',
  'between',
  'unsure',
  // Ends of a denial
  'scopeEnd',
  'having',
  'copulas',
  'taken',
  'purposes',
  'only',
  'occasions',
  'links',
  'large',
  // Readings other than present and own
  'supposed',
  'past',
  'self',
  'owners',
  'belonging',
  // Questions and answers
  'leadIns',
  'openers',
  'fillers',
  'yes',
  'no',
  'notSure',
  'stopped',
  'allOfThem',
] as const;
type ListName = (typeof LISTS)[number];

/** The phrases of each list have a bar between them; a star is any ending. All are without accents. */
export type CueWords = Readonly<Record<ListName, string>> & {
  /** Members of a family, each with the words for it: `mother = mother, mom`. */
  readonly kin: Readonly<Record<string, string>>;
};

/**
 * - `denies` deny a whole list behind them, `before` what is close behind them, `after` what is right before them if the clause ends
 *   there or goes on with one of `behindAfter`; `always` deny what is right before them in any case
 * - `affirms` affirm what is right before them
 * - `pseudo` contain a denial and deny no finding; a denial with one of `goesOn` behind it, and only `between` words, says that the
 *   finding persists
 * - a denial ends at `scopeEnd`, at `having` without a denial of its own, at one of the `copulas` behind a comma, and at the `purposes`
 *   of what is `taken` (`nothing for the cough`)
 * - with `only` and one of the `occasions` behind it a denied finding is present at times
 * - `self` ends what is said of a relative; `owners` and `belonging` tie a relative to the finding before
 */
export type Cues = Readonly<Record<ListName, PhraseSet>> & {
  /** The word, singular and folded, with the member of the family. */
  readonly kin: ReadonlyMap<string, string>;
};

const CUES: Readonly<Record<Language, Cues>> = { en: compile(EN), es: compile(ES), pt: compile(PT) };
/** In a language without a table no word denies or asks. */
const NO_CUES: Cues = {
  ...(Object.fromEntries(LISTS.map((name) => [name, NO_PHRASES])) as Record<ListName, PhraseSet>),
  kin: new Map(),
};

export function cuesOf(language: Language | undefined): Cues {
  return language === undefined ? NO_CUES : CUES[language];
}

function compile(words: CueWords): Cues {
  const lists = LISTS.map((name) => [name, makePhraseSet(words[name])] as const);
  return {
    ...(Object.fromEntries(lists) as Record<ListName, PhraseSet>),
    kin: new Map(
      Object.entries(words.kin).flatMap(([member, names]) => names.split('|').map((name) => [name, member] as const)),
    ),
  };
}
