// Reads the amounts, blood pressures, frequencies and scores of a text. A number without a unit is an amount, too: people leave units out.
import type { Language } from '../../domain/language.ts';
import { makePhraseSet } from '../cues/phrase-set.ts';
import { type NumberWords, numbersIn } from '../numbers/number-words.ts';
import { type NumberReading, readNumbers } from '../numbers/read-numbers.ts';
import type { Token } from '../tokens/tokens.ts';
import { type ClockReading, readClocks } from './clocks.ts';
import { unsaidOnes, withRest } from './compound-amounts.ts';
import { type NumbersAt, readFrequency } from './frequencies.ts';
import { readNamedDays } from './named-days.ts';
import { type KeyedMeasure, readPairs } from './number-pairs.ts';
import { readShortUnit, readTimeFraction } from './short-units.ts';
import { type FoundUnit, isTimeUnit, readUnit, type Unit, unitOfWord } from './units.ts';

export type Amount = {
  readonly kind: 'amount';
  readonly values: readonly number[];
  readonly unit?: Unit;
  /** The name of the value, if it is written before the number: `temperature`. */
  readonly label?: string;
  /** Tokens: `end` is behind the last. */
  readonly first: number;
  readonly end: number;
  readonly isLoose: boolean;
};
export type Measure = Amount | KeyedMeasure;

const LABELS: Readonly<Record<string, string>> = {
  temperature: 'temperature temp fever temperatura fiebre febre',
  pulse: 'pulse hr fc pulso rate cardiaca',
  saturation: 'saturation sat sats spo2 saturacion saturacao saturando satting oximetry',
  respiration: 'rr fr respiratory respiratoria respirations',
  weight: 'weight weigh weighs weighed peso pesa pesando',
  height: 'height altura talla estatura mide tall',
  glucose: 'glucose sugar glucosa azucar glucemia glicemia glicose acucar',
  a1c: 'a1c hba1c glicosilada glucosilada glicada glycated',
  creatinine: 'creatinine creatinina',
  potassium: 'potassium potasio potassio',
  sodium: 'sodium sodio',
  hemoglobin: 'hemoglobin haemoglobin hemoglobina hgb hb',
  cholesterol: 'cholesterol colesterol',
  ldl: 'ldl',
  hdl: 'hdl',
  inr: 'inr',
  tsh: 'tsh',
  bmi: 'bmi imc',
  crp: 'crp pcr',
  troponin: 'troponin troponina',
  lactate: 'lactate lactato',
  ferritin: 'ferritin ferritina',
  platelets: 'platelets plaquetas',
  albumin: 'albumin albumina',
  bnp: 'bnp',
  egfr: 'egfr',
  alt: 'alt tgp',
  urea: 'urea ureia',
  fev: 'fev1 vef1',
  psa: 'psa',
  age: 'age aged edad idade',
};
const LABEL_OF = new Map(
  Object.entries(LABELS).flatMap(([label, words]) => words.split(' ').map((word) => [word, label])),
);
const UNIT_LABELS: Readonly<Record<Unit, string>> = {
  celsius: 'temperature',
  fahrenheit: 'temperature',
  degree: 'temperature',
  beat: 'pulse',
  breath: 'respiration',
  kg: 'weight',
  lb: 'weight',
  cm: 'height',
  m: 'height',
  year: 'age',
};
/** Tokens between a label and its number. */
const LABEL_REACH = 4;
const TO = new Set(['to', 'a', 'ate', 'hasta', '-', '–', '—', 'or', 'o', 'ou']);
const OF = new Set(['of', 'de']);
/** Between a number and a unit of time: `six more months`. */
const MORE = new Set(
  'more further additional extra full whole entire consecutive straight long mas mais largos largas longos longas'.split(
    ' ',
  ),
);
/** Behind these `a week` is a length of time, and not how often. */
const LASTING = new Set(
  'for in within about only just after of lasted lasts than past over last around nearly almost like roughly least take took'.split(
    ' ',
  ),
);
const FORTNIGHT = new Set(['fortnight', 'quincena', 'quinzena']);
const ALL_DAY = makePhraseSet(
  'all day|day and night|round the clock|todo el dia|dia y noche|o dia todo|o dia inteiro|dia e noite',
);
const HALF = new Set(['half', 'mitad', 'metade']);
const AGE_TAILS = [['-', 'old'], ['old'], ['de', 'edad'], ['de', 'idade'], ['of', 'age']];

/** `numbers`: those of the text, if they were read before. */
export function readMeasures(
  tokens: readonly Token[],
  language: Language | undefined,
  numbers: readonly NumberReading[] = readNumbers(tokens, numbersIn(language)),
): readonly Measure[] {
  const numberWords = numbersIn(language);
  const at: NumbersAt = Map.groupBy(numbers, ({ first }) => first);
  const text = { tokens, numbers, at, language, numberWords };
  const clocks = readClocks(tokens, at, language).map(toMeasure);
  const inClocks = placesOf(clocks.filter(({ isLoose }) => !isLoose));
  const frequencies = readFrequencies(text, inClocks).filter(({ first }) => !isLengthOfOne(tokens, first));
  const inBoth = new Set([...inClocks, ...placesOf(frequencies)]);
  const pairs = readPairs(text).filter(({ first }) => !inBoth.has(first));
  const taken = new Set([...inBoth, ...placesOf(pairs)]);
  const keyed = [...clocks, ...frequencies, ...pairs];
  // `For a week` is also an amount of one week, `twice a week` is not.
  const begun = new Set(keyed.map(({ first }) => first));
  const ones = articles(tokens, numberWords).filter(
    ({ first }) => (begun.has(first) && isLasting(tokens, first)) || !taken.has(first),
  );
  const halves = unsaidOnes(tokens, numbers, numberWords);
  const inHalves = new Set(halves.flatMap(({ first, end }) => rangeOf(first, end)));
  const amounts = [...numbers.filter(({ first }) => !taken.has(first) && !inHalves.has(first)), ...ones].map((number) =>
    toAmount(text, number),
  );
  const others = [
    ...halves.map((half) => ({ ...half, kind: 'amount' as const, isLoose: false })),
    ...unspoken(text),
    ...countsOf(tokens, at, frequencies),
  ];
  return [...keyed, ...withoutParts(withRanges(tokens, amounts)), ...others].toSorted((a, b) => a.first - b.first);
}

type Text = {
  readonly tokens: readonly Token[];
  readonly numbers: readonly NumberReading[];
  readonly at: NumbersAt;
  readonly language: Language | undefined;
  readonly numberWords: NumberWords;
};

function placesOf(measures: readonly KeyedMeasure[]): ReadonlySet<number> {
  return new Set(measures.flatMap(({ first, end }) => rangeOf(first, end)));
}

function toMeasure({ minutes, first, end, isExact }: ClockReading): KeyedMeasure {
  return { kind: 'clock', key: minutes.join('|'), first, end, isLoose: !isExact };
}

/** Amounts that words without a number mean: `tomorrow` is one day, `half` is 50 percent. */
function unspoken({ tokens, language }: Text): readonly Amount[] {
  const found: Amount[] = readNamedDays(tokens, language).map(({ days, first, end }) => {
    return { kind: 'amount', values: [days], unit: 'day', first, end, isLoose: true };
  });
  for (let first = 0; first < tokens.length; first += 1) {
    if (FORTNIGHT.has(tokens[first]?.word ?? '')) {
      found.push({ kind: 'amount', values: [2], unit: 'week', first, end: first + 1, isLoose: true });
      found.push({ kind: 'amount', values: [14], unit: 'day', first, end: first + 1, isLoose: true });
    }
    const whole = ALL_DAY.lengthAt(tokens, first);
    if (whole > 0) found.push({ kind: 'amount', values: [24], unit: 'hour', first, end: first + whole, isLoose: true });
    if (!HALF.has(tokens[first]?.word ?? '')) continue;
    found.push({ kind: 'amount', values: [50], unit: 'percent', first, end: first + 1, isLoose: true });
  }
  return found;
}

/** The second part of `82 quilos e 300 gramas` is no amount of its own. */
function withoutParts(amounts: readonly Amount[]): readonly Amount[] {
  const inside = new Set(
    amounts.filter(({ isLoose }) => !isLoose).flatMap(({ first, end }) => rangeOf(first + 1, end)),
  );
  return amounts.filter(({ first, isLoose }) => isLoose || !inside.has(first));
}

/** `A pack a day` has no length, `for a day` and `A day.` have. */
function isLasting(tokens: readonly Token[], first: number): boolean {
  const [before, article, unit] = [tokens[first - 1], tokens[first], tokens[first + 1]];
  if (unit === undefined || unitOfWord(unit) !== 'day' || before?.sentence !== article?.sentence) return true;
  return LASTING.has(before?.word ?? '');
}

function isUnit(token: Token | undefined): boolean {
  return token !== undefined && unitOfWord(token) !== undefined;
}

/** `Two a day` may be two tablets. */
function countsOf(tokens: readonly Token[], at: NumbersAt, frequencies: readonly KeyedMeasure[]): readonly Amount[] {
  return frequencies.flatMap(({ first }) => {
    const number = at.get(first)?.find(({ isLoose }) => !isLoose);
    const next = tokens[number?.end ?? 0];
    // `De oito em oito` counts hours.
    const isTimes = number === undefined || isUnit(next) || next?.kind !== 'word' || /^e[mn]$/.test(next.word);
    return isTimes ? [] : [{ kind: 'amount' as const, values: number.values, first, end: number.end, isLoose: true }];
  });
}

/** The value that an amount belongs to, by its label or by its unit. */
export function labelOf({ label, unit }: Pick<Amount, 'label' | 'unit'>): string | undefined {
  return label ?? (unit === undefined ? undefined : UNIT_LABELS[unit]);
}

function rangeOf(first: number, end: number): readonly number[] {
  return Array.from({ length: end - first }, (_, ahead) => first + ahead);
}

function readFrequencies({ tokens, at, language }: Text, taken: ReadonlySet<number>): readonly KeyedMeasure[] {
  const found: KeyedMeasure[] = [];
  for (let index = 0; index < tokens.length; ) {
    const frequency = taken.has(index) ? undefined : readFrequency(tokens, index, at, language);
    if (frequency) found.push({ kind: 'frequency', ...frequency, first: index, isLoose: false });
    index = frequency?.end ?? index + 1;
  }
  return found;
}

/** `For a month` is as exact as `for one month`, and says not how often. */
function isLengthOfOne(tokens: readonly Token[], first: number): boolean {
  const [before, article, unit] = [tokens[first - 1], tokens[first], tokens[first + 1]];
  const isBehind = /^(?:for|x|in|within|after)$/.test(before?.word ?? '') && before?.sentence === article?.sentence;
  return isBehind && /^an?$/.test(article?.word ?? '') && unit !== undefined && unitOfWord(unit) !== undefined;
}

/** The articles of `a week` and `an hour` mean one, but only right before a unit. */
function articles(tokens: readonly Token[], { articles: words, halves }: NumberWords): readonly NumberReading[] {
  return tokens.flatMap((token, index) => {
    const next = tokens[index + 1];
    const isOne =
      words.has(token.word) &&
      !halves.has(tokens[index - 1]?.word ?? '') &&
      next !== undefined &&
      next.kind === 'word' &&
      next.word.length > 2;
    if (!isOne || unitOfWord(next) === undefined) return [];
    return [{ values: [1], first: index, end: index + 1, isLoose: !isLengthOfOne(tokens, index) }];
  });
}

function toAmount(text: Text, { values, first, end, isLoose }: NumberReading): Amount {
  const { tokens, at, numberWords } = text;
  const unit = unitBehind(text, first, end);
  const label = labelBefore(tokens, first);
  if (unit === undefined) {
    // The word `years` is never written behind `aged 54`.
    return {
      kind: 'amount',
      values,
      first,
      end,
      isLoose,
      ...(label && { label }),
      ...(label === 'age' && { unit: 'year' }),
    };
  }
  const whole = withRest(tokens, { values, ...unit }, at, numberWords);
  const tail = AGE_TAILS.find((words) => words.every((word, ahead) => tokens[whole.end + ahead]?.word === word));
  const tailEnd = whole.end + (unit.unit === 'year' ? (tail?.length ?? 0) : 0);
  return {
    kind: 'amount',
    values: whole.values,
    unit: unit.unit,
    first,
    end: tailEnd,
    isLoose,
    ...(label && { label }),
  };
}

function unitBehind({ tokens, language, numberWords }: Text, first: number, end: number): FoundUnit | undefined {
  const { halves, couples, quarters, articles: small } = numberWords;
  const word = tokens[first]?.word ?? '';
  const isPart =
    ((halves.has(word) || couples.has(word)) && end === first + 1) || quarters.has(tokens[end - 1]?.word ?? '');
  let start = end;
  // `Half an hour`, `un par de días`, `cuarto de hora`
  while (isPart && start < end + 2 && (OF.has(tokens[start]?.word ?? '') || small.has(tokens[start]?.word ?? '')))
    start += 1;
  const behind = tokens[start + 1];
  const unit = behind && MORE.has(tokens[start]?.word ?? '') ? unitOfWord(behind) : undefined;
  if (unit !== undefined && isTimeUnit(unit)) return { unit, end: start + 2 };
  return readTimeFraction(tokens, start, language) ?? readShortUnit(tokens, start, language) ?? readUnit(tokens, start);
}

function labelBefore(tokens: readonly Token[], first: number): string | undefined {
  for (let index = first - 1; index >= Math.max(0, first - LABEL_REACH); index -= 1) {
    const token = tokens[index];
    if (token === undefined || token.kind === 'number' || token.sentence !== tokens[first]?.sentence) return undefined;
    const label = LABEL_OF.get(token.word);
    if (label) return label;
  }
  return undefined;
}

/** `5 to 10 mg`, `7-10 days`: the first number has the unit of the second. */
function withRanges(tokens: readonly Token[], amounts: readonly Amount[]): readonly Amount[] {
  const starting = new Map(amounts.filter(({ unit }) => unit !== undefined).map((amount) => [amount.first, amount]));
  return amounts.map((amount) => {
    if (amount.unit !== undefined || !TO.has(tokens[amount.end]?.word ?? '')) return amount;
    const unit = starting.get(amount.end + 1)?.unit;
    return unit === undefined ? amount : { ...amount, unit };
  });
}
