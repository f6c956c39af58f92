// Reads all facts that are compared from one text: a section of a note, or an utterance.

import type { DrugMention } from '../../../clinical-text/drugs/find-drugs.ts';
import { type DateReading, readDates } from '../../../clinical-text/measures/dates.ts';
import { type Measure, readMeasures } from '../../../clinical-text/measures/measures.ts';
import { readTelephones, type Telephone } from '../../../clinical-text/measures/telephones.ts';
import { numbersIn } from '../../../clinical-text/numbers/number-words.ts';
import { readNumbers } from '../../../clinical-text/numbers/read-numbers.ts';
import type { NamedThing } from '../../../clinical-text/phrases/named-things.ts';
import { readTokens, type Token } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import { type Allergy, readAllergies, type Substance, substancesIn } from './allergies.ts';
import { findFindings } from './findings.ts';
import { makePolarityReader, type PolarityReader } from './polarity.ts';
import { readSides, type Sides } from './sides.ts';

export type TextFacts = {
  readonly tokens: readonly Token[];
  readonly polarity: PolarityReader;
  readonly language: Language | undefined;
  readonly drugs: readonly DrugMention[];
  readonly measures: readonly Measure[];
  readonly dates: readonly DateReading[];
  readonly telephones: readonly Telephone[];
  readonly sides: Sides;
  readonly substances: readonly Substance[];
  readonly allergies: readonly Allergy[];
  readonly findings: readonly (NamedThing & { readonly isDenied: boolean })[];
};

type ReadingParts = {
  readonly text: string;
  /** Undefined for another language than the three: then only digits and names of drugs are read. */
  readonly language: Language | undefined;
  readonly findDrugs: (tokens: readonly Token[]) => readonly DrugMention[];
};

const NO_SIDES: Sides = { sided: [], open: [], parts: [], places: new Set() };

export function readFacts({ text, language, findDrugs }: ReadingParts): TextFacts {
  const tokens = readTokens(text);
  const polarity = makePolarityReader(tokens, language);
  const drugs = findDrugs(tokens);
  const numbers = readNumbers(tokens, numbersIn(language));
  const dates = readDates(tokens, language, numbers);
  const measures = outside(dates, readMeasures(tokens, language, numbers));
  const inDates = new Set(dates.map(({ first }) => first));
  const telephones = readTelephones(tokens).filter(({ first }) => !inDates.has(first));
  if (language === undefined) {
    return {
      tokens,
      polarity,
      language,
      drugs,
      measures,
      dates,
      telephones,
      sides: NO_SIDES,
      substances: [],
      allergies: [],
      findings: [],
    };
  }
  const substances = substancesIn(tokens, drugs, language);
  const found = findFindings(tokens, language);
  const denied = polarity.findDenied(found);
  return {
    tokens,
    polarity,
    language,
    drugs,
    measures,
    dates,
    telephones,
    sides: readSides(tokens, language),
    substances,
    allergies: readAllergies({ tokens, substances, polarity, language }),
    findings: found.map((finding, index) => ({ ...finding, isDenied: denied[index] ?? false })),
  };
}

/** The numbers of a date are no amounts; a year without a month may also be a number. */
function outside(dates: readonly DateReading[], measures: readonly Measure[]): readonly Measure[] {
  const taken = new Set(
    dates
      .filter(({ month }) => month !== undefined)
      .flatMap(({ first, end }) => Array.from({ length: end - first }, (_, ahead) => first + ahead)),
  );
  return measures.filter(({ first }) => !taken.has(first));
}
