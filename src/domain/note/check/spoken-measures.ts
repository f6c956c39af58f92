// The amounts, pressures, frequencies and times of a conversation, each under the keys by which a note may name it.

import { type Cues, cuesOf } from '../../../clinical-text/cues/cues.ts';
import type { PhraseSet } from '../../../clinical-text/cues/phrase-set.ts';
import type { Amount, Measure } from '../../../clinical-text/measures/measures.ts';
import type { KeyedMeasure } from '../../../clinical-text/measures/number-pairs.ts';
import { baseOf, isDoseUnit } from '../../../clinical-text/measures/units.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import { assignDrugs } from './dose-drugs.ts';
import { memberAt, relativeBefore } from './relatives.ts';
import type { TextFacts } from './text-facts.ts';

export type SpokenAmount = {
  readonly utterance: number;
  readonly amount: Amount;
  readonly wordBefore: string;
  /** The relative whose age or years these are. */
  readonly relative?: string;
};

export type SpokenMeasures = {
  /** Amounts by the number (`500`), by number and drug (`500 metformin`), and both in the base unit (`=500000 mcg`). */
  readonly amounts: ReadonlyMap<string, readonly SpokenAmount[]>;
  /** The first utterance with `pressure 120/80`, `frequency 2`, `frequency 2 metformin`, `clock 420`. */
  readonly keyed: ReadonlyMap<string, number>;
  readonly years: ReadonlyMap<number, ReadonlySet<number>>;
  /** Relatives of whom the conversation begins: the patient may be one of them. */
  readonly subjects: ReadonlySet<string>;
  /** Utterances about a scale of ten, a pain or a mood. */
  readonly scaleTalk: ReadonlySet<number>;
  /** Utterances about a blood pressure. */
  readonly pressureTalk: ReadonlySet<number>;
};

/** The drug of an amount may be named this many utterances before. */
const DRUG_REACH = 2;
const FREQUENCY_REACH = 4;
/** A changed dose may be far behind the name of its drug; it belongs to one of the last that were named. */
const FAR_REACH = 40;
const FAR_DRUGS = 3;
/** An utterance with more drugs does not show which one an amount belongs to. */
const MAX_DRUGS = 20;
const ALL_OF_THEM = new Set(['both', 'each', 'all', 'ambos', 'ambas', 'todos', 'todas']);
/** Words between `if` and what makes a drug needed. */
const NEED_REACH = 5;
const RELATIVE_REACH = 8;
/** An answer of so few words belongs to the relative of the question. */
const SHORT_ANSWER = 6;
/** The first utterances say who the patient is: `How did your mother fall?` */
const BEGINNING = 3;

type Keep = (key: string, drugs: readonly string[], utterance: number) => void;

export function collectMeasures(readings: readonly TextFacts[], language: Language | undefined): SpokenMeasures {
  const cues = cuesOf(language);
  const amounts = new Map<string, SpokenAmount[]>();
  const keyed = new Map<string, number>();
  const years = new Map<number, Set<number>>();
  const keep: Keep = (key, drugs, utterance) => {
    for (const one of [key, ...drugs.map((id) => `${key} ${id}`)]) if (!keyed.has(one)) keyed.set(one, utterance);
  };
  const hasMember = readings.map(({ tokens }) =>
    tokens.some((_, index) => memberAt(tokens, index, cues) !== undefined),
  );
  const keepAmount = (amount: Amount, drugs: readonly string[], utterance: number) => {
    const isNear = hasMember[utterance] === true || hasMember[utterance - 1] === true;
    const relative = isNear ? relativeOf(readings, utterance, amount, cues) : undefined;
    const wordBefore = readings[utterance]?.tokens[amount.first - 1]?.word ?? '';
    const spoken = { utterance, amount, wordBefore, ...(relative !== undefined && { relative }) };
    for (const value of amount.values) {
      for (const key of amountKeys(value, amount.unit, drugs)) append(amounts, key, spoken);
      if (value >= 1900 && value < 2100) years.set(value, (years.get(value) ?? new Set()).add(utterance));
    }
  };
  readings.forEach((reading, utterance) => {
    for (const { measure, drugs } of measuresOf(readings, utterance, cues)) {
      if (measure.kind === 'amount') keepAmount(measure, drugs, utterance);
      else keepKeyed(measure, drugs, utterance, keep);
    }
    keepTimesOfDay(readings, utterance, cues, keep);
    if (isIfNeeded(reading, cues)) keep('frequency prn', drugsOf(readings, utterance), utterance);
  });
  const [scaleTalk, pressureTalk] = [cues.scales, cues.pressures].map((words) => talkOf(readings, words));
  return {
    amounts,
    keyed,
    years,
    subjects: subjectsOf(readings, cues),
    scaleTalk: scaleTalk ?? new Set(),
    pressureTalk: pressureTalk ?? new Set(),
  };
}

function subjectsOf(readings: readonly TextFacts[], cues: Cues): ReadonlySet<string> {
  const isOwnTalk = ({ tokens }: TextFacts) =>
    tokens.some(({ word }, index) => word !== 'mi' && cues.self.lengthAt(tokens, index) > 0);
  // `My father had it, and I have it, too`: the patient is the speaker.
  const isOfSpeaker = readings.slice(0, BEGINNING + 2).some(isOwnTalk);
  const members = isOfSpeaker
    ? []
    : readings.slice(0, BEGINNING).flatMap(({ tokens }) => tokens.map((_, index) => memberAt(tokens, index, cues)));
  return new Set(members.filter((member) => member !== undefined));
}

/** The keys under which an amount is kept, and looked up. */
export function amountKeys(value: number, unit: string | undefined, drugs: readonly string[]): readonly string[] {
  const base = baseOf(value, unit);
  const keys = base === undefined ? [`${value}`] : [`${value}`, `=${base}`];
  return keys.flatMap((key) => [key, ...drugs.map((id) => `${key} ${id}`)]);
}

export function append<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const members = groups.get(key);
  if (members) members.push(item);
  else groups.set(key, [item]);
}

function keepKeyed({ kind, key }: KeyedMeasure, drugs: readonly string[], utterance: number, keep: Keep): void {
  for (const one of kind === 'clock' ? key.split('|') : [key]) keep(`${kind} ${one}`, drugs, utterance);
  // What is taken at bedtime is taken once a day.
  if (kind === 'frequency' && key === 'bedtime') keep('frequency 1', drugs, utterance);
}

function measuresOf(
  readings: readonly TextFacts[],
  utterance: number,
  cues: Cues,
): readonly { readonly measure: Measure; readonly drugs: readonly string[] }[] {
  const reading = readings[utterance];
  if (reading === undefined) return [];
  const { tokens, measures, drugs: named } = reading;
  const isOfAll = tokens.some(({ word }) => ALL_OF_THEM.has(word));
  const all = isOfAll ? drugsAt(reading) : undefined;
  const near = new Map<number, readonly string[]>();
  const nearWithin = (reach: number) => {
    const drugs = near.get(reach) ?? drugsNear(readings, utterance, reach);
    near.set(reach, drugs);
    return drugs;
  };
  let isDosing: boolean | undefined;
  let far: readonly string[] | undefined;
  return assignDrugs(tokens, measures, named).map(({ measure, drug }) => {
    const found = all ?? drug?.ids ?? nearWithin(measure.kind === 'frequency' ? FREQUENCY_REACH : DRUG_REACH);
    if (found.length > 0 || (measure.kind === 'amount' && measure.label !== undefined))
      return { measure, drugs: found };
    isDosing ??= isAboutDoses(reading, cues);
    if (isDosing) far ??= drugsBefore(readings, utterance);
    return { measure, drugs: isDosing ? (far ?? []) : [] };
  });
}

function isAboutDoses({ tokens, measures }: TextFacts, cues: Cues): boolean {
  const isDose = (measure: Measure) =>
    measure.kind === 'frequency' ||
    (measure.kind === 'amount' && measure.unit !== undefined && isDoseUnit(measure.unit));
  return measures.some(isDose) || tokens.some((_, index) => cues.dosing.lengthAt(tokens, index) > 0);
}

function drugsAt({ drugs }: TextFacts): readonly string[] | undefined {
  return drugs.length === 0 ? undefined : drugs.slice(-MAX_DRUGS).flatMap(({ ids }) => ids);
}

function drugsOf(readings: readonly TextFacts[], utterance: number): readonly string[] {
  const reading = readings[utterance];
  return (reading && drugsAt(reading)) ?? drugsNear(readings, utterance, FREQUENCY_REACH);
}

/** The drugs of the last utterance that names any, or else of the next one: `Ten milligrams.` - `Of lisinopril?` */
function drugsNear(readings: readonly TextFacts[], utterance: number, reach: number): readonly string[] {
  const places = [...Array.from({ length: reach }, (_, back) => utterance - 1 - back), utterance + 1];
  const place = places.find((at) => (readings[at]?.drugs.length ?? 0) > 0);
  const reading = place === undefined ? undefined : readings[place];
  return (reading && drugsAt(reading)) ?? [];
}

/** The drugs of the last few utterances that name any, however far before. */
function drugsBefore(readings: readonly TextFacts[], utterance: number): readonly string[] {
  const drugs: string[] = [];
  let places = 0;
  for (let at = utterance - 1; at >= Math.max(0, utterance - FAR_REACH) && places < FAR_DRUGS; at -= 1) {
    const reading = readings[at];
    const named = reading && drugsAt(reading);
    if (named === undefined) continue;
    drugs.push(...named);
    places += 1;
  }
  return drugs;
}

/** `One in the morning and one at night` is twice a day, and `with breakfast` once. */
function keepTimesOfDay(readings: readonly TextFacts[], utterance: number, cues: Cues, keep: Keep): void {
  const reading = readings[utterance];
  const times = reading === undefined ? [] : timesOfDay(reading.tokens, cues);
  if (reading === undefined || times.length === 0) return;
  const groups = [cues.morning, cues.noon, cues.evening, cues.night];
  const count = (own: readonly { readonly set: PhraseSet }[]) =>
    groups.filter((set) => own.some((time) => time.set === set)).length;
  const drugs = drugsOf(readings, utterance);
  keep(`frequency ${count(times)}`, drugs, utterance);
  const byDrug = Map.groupBy(assignDrugs(reading.tokens, times.map(asMeasure), reading.drugs), ({ drug }) => drug);
  for (const [drug, own] of byDrug) {
    const mine = times.filter(({ first }) => own.some(({ measure }) => measure.first === first));
    const ids = drug?.ids ?? drugs;
    keep(`frequency ${count(mine)}`, ids, utterance);
    if (mine.some(({ set }) => set === cues.night)) keep('frequency bedtime', ids, utterance);
  }
}

type TimeOfDay = { readonly set: PhraseSet; readonly first: number; readonly end: number };

function timesOfDay(tokens: readonly Token[], cues: Cues): readonly TimeOfDay[] {
  const found: TimeOfDay[] = [];
  for (let first = 0; first < tokens.length; first += 1) {
    if (cues.timesOfDay.lengthAt(tokens, first) === 0) continue;
    for (const set of [cues.morning, cues.noon, cues.evening, cues.night]) {
      const length = set.lengthAt(tokens, first);
      if (length > 0) found.push({ set, first, end: first + length });
    }
  }
  return found;
}

function asMeasure({ first, end }: TimeOfDay): Measure {
  return { kind: 'frequency', key: `at ${first}`, first, end, isLoose: true };
}

/** True of `if it hurts`, `si tiene dolor`, `se precisar`, and of any finding behind an `if`. */
function isIfNeeded({ tokens, findings }: TextFacts, cues: Cues): boolean {
  const found = new Set(findings.map(({ first }) => first));
  return tokens.some(({ word, sentence }, index) => {
    if (!IF.has(word)) return false;
    for (let next = index + 1; next <= index + NEED_REACH && tokens[next]?.sentence === sentence; next += 1)
      if (found.has(next) || cues.needing.lengthAt(tokens, next) > 0) return true;
    return false;
  });
}

const IF = new Set(['if', 'when', 'whenever', 'si', 'cuando', 'se', 'quando']);

/** The relative of the sentence, of the sentence before it, or of the question that this answers. */
function relativeOf(
  readings: readonly TextFacts[],
  utterance: number,
  { first, unit }: Amount,
  cues: Cues,
): string | undefined {
  const tokens = readings[utterance]?.tokens ?? [];
  if (unit !== undefined && unit !== 'year') return undefined;
  const own = relativeBefore(tokens, first, cues, RELATIVE_REACH);
  if (own !== undefined) return own;
  const sentence = tokens[first]?.sentence ?? 0;
  const isOwn = tokens.some((token, index) => token.sentence === sentence && cues.self.lengthAt(tokens, index) > 0);
  if (isOwn) return undefined;
  const start = tokens.findIndex((token) => token.sentence === sentence);
  if (start > 0) return lastMember(tokens, start, cues);
  const question = readings[utterance - 1]?.tokens ?? [];
  return tokens.length <= SHORT_ANSWER && question.some(({ word }) => word === '?')
    ? lastMember(question, question.length, cues)
    : undefined;
}

/** The relative of the sentence that ends before this place. */
function lastMember(tokens: readonly Token[], end: number, cues: Cues): string | undefined {
  const sentence = tokens[end - 1]?.sentence;
  for (let index = end - 1; tokens[index]?.sentence === sentence && index >= 0; index -= 1) {
    const member = memberAt(tokens, index, cues);
    if (member !== undefined) return member;
  }
  return undefined;
}

function talkOf(readings: readonly TextFacts[], words: PhraseSet): ReadonlySet<number> {
  const talk = new Set<number>();
  for (const [utterance, { tokens }] of readings.entries()) {
    for (let index = 0; index < tokens.length; index += 1) {
      if (words.lengthAt(tokens, index) === 0) continue;
      talk.add(utterance);
      break;
    }
  }
  return talk;
}
