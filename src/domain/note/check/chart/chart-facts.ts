// The chart as it is compared with a note: each entry read once, with its drugs, doses, groups, problems and sides.
import { findDrugsInNote } from '../../../../clinical-text/drugs/find-drugs.ts';
import { foldText } from '../../../../clinical-text/fold.ts';
import type { Measure } from '../../../../clinical-text/measures/measures.ts';
import { LANGUAGES, type Language } from '../../../language.ts';
import type { ChartEntry, ChartToCheck } from '../../chart-to-check.ts';
import type { ChartList, ChartSource } from '../../check-report.ts';
import type { Lexicon } from '../../lexicon.ts';
import type { Side } from '../body-words.ts';
import { readFacts, type TextFacts } from '../text-facts.ts';
import { groupsNamedIn } from './drug-groups.ts';
import { problemIdsOf } from './problem-names.ts';

export type ReadEntry = {
  readonly source: ChartSource;
  /** `No known allergies` */
  readonly isDenial: boolean;
  readonly drugs: ReadonlySet<string>;
  /** Groups of drugs that it names as a whole. */
  readonly groups: ReadonlySet<string>;
  /** `latex`, `peanut`: what else may cause an allergy. */
  readonly allergens: ReadonlySet<string>;
  /** The words before the colon, of an entry that names nothing that is known: `Macrogol: rash`. */
  readonly name: readonly string[];
  readonly problems: ReadonlySet<string>;
  /** Findings of the lexicon. */
  readonly findings: readonly string[];
  /** Its words, with their stems, and its numbers. */
  readonly words: ReadonlySet<string>;
  readonly measures: readonly Measure[];
  readonly sides: ReadonlySet<Side>;
};

export type ChartFacts = {
  /** Undefined if the list could not be read. */
  readonly allergies: readonly ReadEntry[] | undefined;
  /** The list was read and has no allergy: the entry that says so, or the empty list. */
  readonly noAllergies: ChartSource | undefined;
  readonly drugs: readonly ReadEntry[] | undefined;
  readonly problems: readonly ReadEntry[] | undefined;
  readonly chart: ChartToCheck;
};

type Parts = { readonly chart: ChartToCheck; readonly language: Language; readonly lexicon?: Lexicon };

export function readChartToCheck({ chart, language, lexicon }: Parts): ChartFacts {
  const read = (list: ChartList, entries: readonly ChartEntry[] | undefined) =>
    entries?.map((entry) => readEntry({ list, ...entry }, language, lexicon));
  const listed = read('allergies', chart.allergies);
  const allergies = listed?.filter(({ isDenial }) => !isDenial);
  const [denial] = listed ?? [];
  return {
    allergies,
    noAllergies: allergies?.length === 0 ? (denial?.source ?? { list: 'allergies', text: '' }) : undefined,
    drugs: read('drugs', chart.drugs),
    problems: read('problems', chart.problems),
    chart,
  };
}

const DENIAL =
  /^(?:no (?:known|allerg|hay|presenta|se conoc|alerg|refiere)|nkda|nka\b|none\b|not known|sin alerg|sem alerg|niega|nega\b|negad|ningun|nenhum|alergia(?:s)? (?:no conocida|desconhecida))/;
/** A shorter word would be found in too many statements. */
const SHORTEST_NAME = 5;

function readEntry(source: ChartSource, language: Language, lexicon: Lexicon | undefined): ReadEntry {
  const read = (one: Language) => readFacts({ text: source.text, language: one, findDrugs: findDrugsInNote });
  const own = read(language);
  const all = LANGUAGES.map((one) => (one === language ? own : read(one)));
  const drugs = new Set(own.drugs.flatMap(({ ids }) => ids));
  const groups = new Set(groupsNamedIn(own.tokens).map(({ id }) => id));
  const allergens = new Set(all.flatMap(allergensIn));
  const isKnown = drugs.size + groups.size + allergens.size > 0;
  return {
    source,
    isDenial: DENIAL.test(foldText(source.text)),
    drugs,
    groups,
    allergens,
    name: isKnown ? [] : nameOf(own.tokens),
    problems: problemIdsOf(own.tokens),
    findings: lexicon?.mentionsIn(source.text, language).map(({ id }) => id) ?? [],
    words: new Set(own.tokens.flatMap(({ word, stem }) => [word, stem])),
    measures: all.flatMap(({ measures }) => measures),
    sides: new Set(all.flatMap(({ sides }) => [...sides.sided, ...sides.open].map(({ side }) => side))),
  };
}

function nameOf(tokens: TextFacts['tokens']): readonly string[] {
  const end = tokens.findIndex(({ kind }) => kind === 'mark');
  const words = tokens.slice(0, end < 0 ? tokens.length : end).filter(({ kind }) => kind === 'word');
  return words.map(({ stem }) => stem).filter((stem) => stem.length >= SHORTEST_NAME);
}

function allergensIn({ substances }: Pick<TextFacts, 'substances'>): readonly string[] {
  return substances.map(({ id }) => id).filter((id) => !id.startsWith('drug:'));
}
