// The words that decide how a finding is meant: denied, asked, supposed, long past, or of another person. Each language has a table of its
// own, because a word of denial in one language is a common word in another: `no` is "in the" in Portuguese.
import type { Language } from '../../domain/language.ts';
import { CUE_LISTS, type CueListName, type CueWords } from './cue-words.ts';
import { EN } from './en.ts';
import { ES } from './es.ts';
import { makePhraseSet, NO_PHRASES, type PhraseSet } from './phrase-set.ts';
import { PT } from './pt.ts';

/**
 * - `denies` deny a whole list behind them, `before` what is close behind them, `after` what is right before them if the clause ends
 *   there or goes on with one of `behindAfter`; `always` deny what is right before them in any case
 * - `affirms` affirm what is right before them
 * - `pseudo` contain a denial and deny no finding; a denial with one of `goesOn` behind it, and only `between` words, says that the
 *   finding persists
 * - a denial ends at `scopeEnd`, at `having` without a denial of its own, at one of the `copulas` behind a comma, and at the `purposes`
 *   of what is `taken` (`nothing for the cough`)
 * - with `only` and one of the `occasions` behind it a denied finding is present at times
 * - `healthy` call a part of the body or a function sound: `the right one is fine`
 * - `self` ends what is said of a relative; `owners` and `belonging` tie a relative to the finding before, and `who` with `are` one behind it
 *   (`who takes it is my wife`); with an `emphatic` I a relative speaks of herself (`it's me that takes it`)
 */
export type Cues = Readonly<Record<CueListName, PhraseSet>> & {
  /** All of `morning`, `noon`, `evening` and `night`. */
  readonly timesOfDay: PhraseSet;
  /** All words that begin, end or mislead a denial: most words are none. */
  readonly ofDenial: PhraseSet;
  /** The word, singular and folded, with the member of the family. */
  readonly kin: ReadonlyMap<string, string>;
};

const CUES: Readonly<Record<Language, Cues>> = { en: compile(EN), es: compile(ES), pt: compile(PT) };
/** In a language without a table no word denies or asks. */
const NO_CUES: Cues = {
  ...(Object.fromEntries(CUE_LISTS.map((name) => [name, NO_PHRASES])) as Record<CueListName, PhraseSet>),
  timesOfDay: NO_PHRASES,
  ofDenial: NO_PHRASES,
  kin: new Map(),
};

export function cuesOf(language: Language | undefined): Cues {
  return language === undefined ? NO_CUES : CUES[language];
}

function compile(words: CueWords): Cues {
  const lists = CUE_LISTS.map((name) => [name, makePhraseSet(words[name])] as const);
  return {
    ...(Object.fromEntries(lists) as Record<CueListName, PhraseSet>),
    ofDenial: makePhraseSet(
      [words.pseudo, words.denies, words.before, words.scopeEnd, words.having, words.copulas, words.purposes].join('|'),
    ),
    timesOfDay: makePhraseSet([words.morning, words.noon, words.evening, words.night].join('|')),
    kin: new Map(
      Object.entries(words.kin).flatMap(([member, names]) => names.split('|').map((name) => [name, member] as const)),
    ),
  };
}
