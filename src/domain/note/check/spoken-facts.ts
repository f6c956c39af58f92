// The facts of a transcript, read once and looked up often: amounts with their drugs, sides with their parts of the body, questions with
// their answers. Each look-up goes through one list of an index, never through the whole conversation.

import { cuesOf } from '../../../clinical-text/cues/cues.ts';
import type { FindDrugs } from '../../../clinical-text/drugs/find-drugs.ts';
import { unitOfWord } from '../../../clinical-text/measures/units.ts';
import { LANGUAGES, type Language } from '../../language.ts';
import type { Transcript } from '../../recording/transcript.ts';
import { type Allergy, isAllergyWord } from './allergies.ts';
import { makeAnswers } from './answers.ts';
import { type SpokenAttestations, spokenAttestations } from './attestations.ts';
import { isOfOther, ownDrugs } from './persons.ts';
import { memberAt } from './relatives.ts';
import { shortAnswers } from './short-answers.ts';
import { type FindDigits, makeFindDigits } from './spoken-digits.ts';
import { append, collectMeasures, type SpokenMeasures } from './spoken-measures.ts';
import { collectSides, type SpokenSides } from './spoken-sides.ts';
import { readFacts, type TextFacts } from './text-facts.ts';

/** `unknown`: asked without a clear answer, or only advised, feared, or about another person. */
export type Polarity = 'denied' | 'affirmed' | 'unknown';
type At<T> = T & { readonly utterance: number };

/** `isOfOther`: as that of another person. */
export type SpokenSubstance = At<{ readonly polarity: Polarity; readonly isOfOther: boolean }>;

export type SpokenFacts = SpokenMeasures &
  SpokenSides & {
    /** The utterances as they were read, in their order. */
    readonly readings: readonly TextFacts[];
    /** How an utterance means what it names at this token, with the answer if it is asked there. */
    readonly polarityAt: PolarityAt;
    readonly language: Language | undefined;
    /** The first utterance that names each drug, and the first that does not name it as that of another person, or by a slip. */
    readonly drugs: ReadonlyMap<string, number>;
    readonly ownDrugs: ReadonlyMap<string, number>;
    /** Dates by month (`3`), and by month and day (`3 15`). */
    readonly dates: ReadonlyMap<string, readonly At<{ readonly year?: number }>[]>;
    readonly findings: ReadonlyMap<string, readonly At<{ readonly polarity: Polarity }>[]>;
    /** The utterance that denies any allergy, if no later one affirms an allergy to a drug. */
    readonly noAllergy: number | undefined;
    readonly substances: ReadonlyMap<string, readonly SpokenSubstance[]>;
    /** Utterances about allergies or their symptoms. */
    readonly allergyTalk: ReadonlySet<number>;
    /** Those that ask for allergies, and those about symptoms alone. */
    readonly allergyQuestions: ReadonlySet<number>;
    readonly reactionTalk: ReadonlySet<number>;
    /** Utterances about what a person does not tolerate. */
    readonly toleranceTalk: ReadonlySet<number>;
    /** Utterances in which a unit is named, with or without a number. */
    readonly unitTalk: ReadonlyMap<string, ReadonlySet<number>>;
    readonly attestations: SpokenAttestations;
    /** Who speaks each utterance. */
    readonly speakers: readonly number[];
    /** The recognition has told no speakers apart. */
    readonly isOneVoice: boolean;
    readonly findDigits: FindDigits;
    /** The first utterance that names a relative or the family. */
    readonly familyTalk: number | undefined;
    /** Only the stems that the caller asks for. */
    readonly words: ReadonlyMap<string, readonly At<{ readonly index: number; readonly polarity: Polarity }>[]>;
  };

type TranscriptParts = {
  readonly transcript: Transcript;
  readonly findDrugs: FindDrugs;
  /** Words of the note that are searched as they are. */
  readonly stems: ReadonlySet<string>;
};

const REACTIONS = new Set(['rash', 'itching', 'edema', 'dyspnea', 'vomiting']);
const REACTION_WORD = /^(anaph|anafil|react|reac|hives|roncha|urtic)/;
const TOLERANCE_WORD =
  /^(?:intoler|toler|upset|sick|sient[ae]|sent(?:o|ou)|estomag|stomach|vomit|nause|react|reac|hipersens|hypersens|mal$)/;
const FAMILY = /^(?:famil|heredit)/;
/** `Fumo poquito, tres al día` are cigarettes. */
const SMOKING = /^(?:smok|fum[aoe])/;
const YEAR_TALK = new Set(['old', 'age', 'edad', 'idade', 'birthday']);

export function readTranscript({ transcript, findDrugs, stems }: TranscriptParts): SpokenFacts {
  const [spoken] = transcript.language.toLowerCase().split(/[-_]/);
  const language = LANGUAGES.find((own) => own === spoken);
  const readings = transcript.utterances.map(({ text }) => readFacts({ text, language, findDrugs }));
  const named = readings.map(({ tokens, findings, allergies }) => {
    return new Set([...findings, ...allergies].map(({ first }) => tokens[first]?.sentence ?? 0));
  });
  const speakers = transcript.utterances.map(({ speaker }) => speaker);
  const answers = makeAnswers(
    {
      utterances: transcript.utterances,
      language,
      namesFinding: (utterance, sentence) => named[utterance]?.has(sentence) === true,
    },
    readings.map(({ tokens }) => tokens),
  );

  const polarityAt = (utterance: number, first: number, isDenied: boolean): Polarity => {
    const tokens = readings[utterance]?.tokens ?? [];
    const sentence = tokens[first]?.sentence ?? 0;
    if (answers.isQuestion(utterance, sentence)) {
      const answer = answers.answerTo(utterance, sentence);
      if (isDenied) return answer === 'yes' ? 'unknown' : 'denied';
      return answer === undefined ? 'unknown' : answer === 'no' ? 'denied' : 'affirmed';
    }
    if (isDenied) return 'denied';
    return readings[utterance]?.polarity.isHypothetical(first) === true ? 'unknown' : 'affirmed';
  };

  const cues = cuesOf(language);
  const measures = collectMeasures(readings, language);
  const { subjects } = measures;
  return {
    readings,
    polarityAt,
    language,
    ...measures,
    drugs: firstOf(readings, ({ drugs }) => drugs.flatMap(({ ids }) => ids)),
    ownDrugs: firstOf(readings, (reading) => ownDrugs(reading, subjects, cues)),
    ...collectSides(readings, (...place) => polarityAt(...place) === 'denied'),
    dates: collectDates(readings),
    findings: collectFindings(readings, polarityAt, language),
    ...collectAllergies(readings, polarityAt, (tokens, first) => isOfOther({ tokens, cues, subjects }, first)),
    attestations: spokenAttestations(readings, speakers, language),
    speakers,
    isOneVoice: new Set(speakers).size < 2,
    findDigits: makeFindDigits(readings),
    familyTalk: findFamilyTalk(readings, language),
    unitTalk: collectUnits(readings),
    words: collectWords(readings, stems, polarityAt),
  };
}

export type PolarityAt = (utterance: number, first: number, isDenied: boolean) => Polarity;

function findFamilyTalk(readings: readonly TextFacts[], language: Language | undefined): number | undefined {
  const cues = cuesOf(language);
  const found = readings.findIndex(({ tokens }) => {
    return tokens.some(({ word }, index) => FAMILY.test(word) || isKin(memberAt(tokens, index, cues)));
  });
  return found < 0 ? undefined : found;
}

function isKin(member: string | undefined): boolean {
  return member !== undefined && member !== 'other';
}

function collectFindings(
  readings: readonly TextFacts[],
  polarityAt: PolarityAt,
  language: Language | undefined,
): SpokenFacts['findings'] {
  const named = each(readings, ({ findings }) => findings).map(([utterance, { id, first, isDenied }]) => {
    return { id, utterance, polarity: polarityAt(utterance, first, isDenied) };
  });
  const all = [...named, ...shortAnswers(readings, cuesOf(language))].toSorted((a, b) => a.utterance - b.utterance);
  return Map.groupBy(all, ({ id }) => id);
}

function each<T>(
  readings: readonly TextFacts[],
  pick: (reading: TextFacts) => readonly T[],
): readonly (readonly [number, T])[] {
  return readings.flatMap((reading, utterance) => pick(reading).map((item) => [utterance, item] as const));
}

function group<T, Item>(
  items: readonly (readonly [number, T])[],
  keyOf: (item: T) => string,
  make: (utterance: number, item: T) => Item,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const [utterance, item] of items) append(groups, keyOf(item), make(utterance, item));
  return groups;
}

function firstOf(
  readings: readonly TextFacts[],
  pick: (reading: TextFacts) => readonly string[],
): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const [utterance, id] of each(readings, pick)) if (!first.has(id)) first.set(id, utterance);
  return first;
}

function collectDates(readings: readonly TextFacts[]): SpokenFacts['dates'] {
  const dates = new Map<string, At<{ readonly year?: number }>[]>();
  for (const [utterance, { year, month, day, isEitherWay }] of each(readings, (reading) => reading.dates)) {
    if (month === undefined) continue;
    const date = { utterance, ...(year !== undefined && { year }) };
    append(dates, `${month}`, date);
    if (day !== undefined) append(dates, `${month} ${day}`, date);
    if (day !== undefined && isEitherWay && day !== month) append(dates, `${day} ${month}`, date);
  }
  return dates;
}

function collectAllergies(
  readings: readonly TextFacts[],
  polarityAt: PolarityAt,
  isOfOther: (tokens: TextFacts['tokens'], first: number) => boolean,
): Pick<
  SpokenFacts,
  'noAllergy' | 'substances' | 'allergyTalk' | 'allergyQuestions' | 'reactionTalk' | 'toleranceTalk'
> {
  const allergies = each(readings, (reading) => reading.allergies).map(([utterance, allergy]) => {
    const polarity = polarityAt(utterance, allergy.first, allergy.isDenied);
    // `Any allergies?` - `No, only penicillin.` denies nothing.
    const isExcepted =
      polarity === 'denied' && !allergy.isDenied && (readings[utterance + 1]?.substances.length ?? 0) > 0;
    return { utterance, allergy, polarity: isExcepted ? ('unknown' as const) : polarity };
  });
  const substances = group(
    each(readings, withAllergy),
    ({ id }) => id,
    (utterance, { first, own }) => {
      const tokens = readings[utterance]?.tokens ?? [];
      return {
        utterance,
        polarity: polarityAt(utterance, own?.first ?? first, own?.isDenied ?? false),
        isOfOther: isOfOther(tokens, first),
      };
    },
  );
  const indexesOf = (isTalk: (reading: TextFacts) => boolean) =>
    new Set(readings.flatMap((reading, utterance) => (isTalk(reading) ? [utterance] : [])));
  const isNamed = ({ tokens }: TextFacts) => tokens.some(isAllergyWord);
  const isReaction = ({ tokens, findings }: TextFacts) =>
    findings.some(({ id }) => REACTIONS.has(id)) || tokens.some(({ word }) => REACTION_WORD.test(word));
  return {
    noAllergy: whereNone(allergies),
    substances,
    allergyTalk: indexesOf((reading) => isNamed(reading) || isReaction(reading)),
    allergyQuestions: indexesOf((reading) => isNamed(reading) && reading.tokens.some(({ word }) => word === '?')),
    reactionTalk: indexesOf((reading) => isReaction(reading) && !isNamed(reading)),
    toleranceTalk: indexesOf(({ tokens }) => tokens.some(({ word }) => TOLERANCE_WORD.test(word))),
  };
}

/** Returns each substance with the statement about an allergy that contains it. */
function withAllergy({ substances, allergies }: TextFacts) {
  const owners = new Map(
    allergies.flatMap((own) =>
      Array.from({ length: own.end - own.first }, (_, ahead) => [own.first + ahead, own] as const),
    ),
  );
  return substances.map((substance) => ({ ...substance, own: owners.get(substance.first) }));
}

function whereNone(
  allergies: readonly At<{ readonly allergy: Allergy; readonly polarity: Polarity }>[],
): number | undefined {
  const none = allergies.findLast(
    ({ allergy, polarity }) => polarity === 'denied' && (allergy.substances.length === 0 || allergy.isAll),
  );
  const isTakenBack = allergies.some(
    ({ utterance, allergy, polarity }) =>
      utterance >= (none?.utterance ?? 0) &&
      polarity === 'affirmed' &&
      allergy.substances.some((id) => id.startsWith('drug:')),
  );
  return isTakenBack ? undefined : none?.utterance;
}

function collectUnits(readings: readonly TextFacts[]): ReadonlyMap<string, ReadonlySet<number>> {
  const talk = new Map<string, Set<number>>();
  for (const [utterance, token] of each(readings, ({ tokens }) => tokens)) {
    const unit = YEAR_TALK.has(token.word) ? 'year' : SMOKING.test(token.word) ? 'cigarette' : unitOfWord(token);
    if (unit === undefined) continue;
    const utterances = talk.get(unit) ?? new Set();
    talk.set(unit, utterances.add(utterance));
  }
  return talk;
}

function collectWords(
  readings: readonly TextFacts[],
  stems: ReadonlySet<string>,
  polarityAt: PolarityAt,
): SpokenFacts['words'] {
  const words = new Map<string, At<{ readonly index: number; readonly polarity: Polarity }>[]>();
  if (stems.size === 0) return words;
  readings.forEach(({ tokens, polarity }, utterance) => {
    tokens.forEach(({ stem }, index) => {
      if (!stems.has(stem)) return;
      const [isDenied = false] = polarity.findDenied([{ first: index, end: index + 1 }]);
      append(words, stem, { utterance, index, polarity: polarityAt(utterance, index, isDenied) });
    });
  });
  return words;
}
