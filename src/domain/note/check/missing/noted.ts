// What the note has, read once: the same things by which the talk is searched.
import { cuesOf } from '../../../../clinical-text/cues/cues.ts';
import { meaningsOf } from '../../../../clinical-text/drugs/find-drugs.ts';
import { foldText } from '../../../../clinical-text/fold.ts';
import type { Measure } from '../../../../clinical-text/measures/measures.ts';
import { baseOf } from '../../../../clinical-text/measures/units.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../../language.ts';
import { isFormOf, isSameAct } from '../acts/act-tables.ts';
import { readNotedChanges } from '../acts/drug-changes.ts';
import { readActs } from '../acts/read-acts.ts';
import { groupsNamedIn, isMemberOf } from '../chart/drug-groups.ts';
import type { CheckWork, NoteText } from '../check-work.ts';
import { isOfRelative } from '../relatives.ts';
import type { TextFacts } from '../text-facts.ts';
import { alarmsIn } from './alarm-signs.ts';

export type NotedStatement = {
  readonly folded: string;
  readonly stems: ReadonlySet<string>;
  readonly drugs: ReadonlySet<string>;
  readonly values: ReadonlySet<number>;
  /** Spans of time in seconds or months: `1209600 second`. */
  readonly times: ReadonlySet<string>;
};

export type Noted = {
  readonly statements: readonly NotedStatement[];
  readonly hasAct: (id: string) => boolean;
  readonly hasDrug: (ids: readonly string[]) => boolean;
  readonly hasGroup: (group: string) => boolean;
  readonly changedDrugs: ReadonlySet<string>;
  /** Values of all numbers. */
  readonly values: ReadonlySet<number>;
  readonly alarms: ReadonlySet<string>;
  readonly allergens: ReadonlySet<string>;
  readonly hasAllergies: boolean;
};

const SHORTEST_WORD = 4;

export function readNoted(work: CheckWork, spokenLanguage: Language): Noted {
  const { texts, statements, statementFacts, language } = work;
  const readings = texts.map(({ reading }) => reading);
  const acts = readings.flatMap((reading) => readActs(reading, language).map(({ id }) => id));
  const drugs = new Set(readings.flatMap(({ drugs: named }) => named.flatMap(({ ids }) => ids.flatMap(meaningsOf))));
  const groups = new Set(readings.flatMap(({ tokens }) => groupsNamedIn(tokens, [language]).map(({ id }) => id)));
  const textOf = new Map(texts.map(({ name, text }) => [name, text]));
  return {
    statements: statementFacts.map((facts, index) => {
      const { section = '', from, to } = statements[index] ?? {};
      return readStatement(facts, (textOf.get(section) ?? '').slice(from, to));
    }),
    hasAct: (id) => acts.some((own) => isSameAct(id, own) || isSameAct(own, id) || isFormOf(own, id)),
    hasDrug: (ids) => ids.some((id) => meaningsOf(id).some((meaning) => drugs.has(meaning))),
    hasGroup: (group) => groups.has(group) || [...drugs].some((drug) => isMemberOf(group, drug)),
    changedDrugs: new Set(
      texts.flatMap(({ reading, text }) => readNotedChanges(reading, text, language).flatMap((one) => one.drugs)),
    ),
    values: new Set(readings.flatMap(({ tokens, measures }) => [...valuesIn(tokens), ...measures.flatMap(valuesOf)])),
    alarms: new Set(readings.flatMap((reading) => affirmedAlarms(reading, spokenLanguage))),
    allergens: new Set(readings.flatMap(({ substances }) => substances.map(({ id }) => id))),
    hasAllergies: readings.some(({ allergies, tokens }) => {
      return allergies.some(({ first }) => !isOfRelative(tokens, first, cuesOf(language)));
    }),
  };
}

function affirmedAlarms({ tokens, polarity }: NoteText['reading'], language: Language): readonly string[] {
  const found = alarmsIn(tokens, language);
  const denied = polarity.findDenied(found);
  return found.filter((_, index) => denied[index] !== true).map(({ id }) => id);
}

function readStatement({ tokens, drugs, measures }: TextFacts, text: string): NotedStatement {
  return {
    folded: foldText(text),
    stems: stemsIn(tokens),
    drugs: new Set(drugs.flatMap(({ ids }) => ids.flatMap(meaningsOf))),
    values: new Set([...valuesIn(tokens), ...measures.flatMap(valuesOf)]),
    times: new Set(timesIn({ measures })),
  };
}

export function stemsIn(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(
    tokens.filter(({ kind, word }) => kind === 'word' && word.length >= SHORTEST_WORD).map(({ stem }) => stem),
  );
}

function valuesOf(measure: Measure): readonly number[] {
  return measure.kind === 'amount' ? measure.values : [];
}

/** The numbers that are written as digits. */
function valuesIn(tokens: readonly Token[]): readonly number[] {
  return tokens
    .filter(({ kind }) => kind === 'number')
    .flatMap(({ word }) => word.split(/[/x-]/).map((part) => Number(part.replace(',', '.'))))
    .filter(Number.isFinite);
}

export function timesIn({ measures }: Pick<NoteText['reading'], 'measures'>): readonly string[] {
  return measures.flatMap((measure) => {
    if (measure.kind !== 'amount' || measure.unit === undefined) return [];
    const { values, unit } = measure;
    return values.flatMap((value) => (unit === 'week' ? `${value * 7 * 86_400} second` : (baseOf(value, unit) ?? [])));
  });
}

/** A statement that has most of the words of what was said. */
export function hasMostWords(tokens: readonly Token[], { statements }: Noted): boolean {
  const stems = [...stemsIn(tokens)];
  if (stems.length < 2) return false;
  return statements.some(({ stems: own }) => {
    const shared = stems.filter((stem) => own.has(stem)).length;
    return shared >= 2 && shared > stems.length / 2;
  });
}
