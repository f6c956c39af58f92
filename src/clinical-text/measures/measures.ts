// Reads the amounts, blood pressures, frequencies and scores of a text. A number without a unit is an amount, too: people leave units out.
import type { Language } from '../../domain/language.ts';
import { type NumberWords, numbersIn } from '../numbers/number-words.ts';
import { type NumberReading, readNumbers } from '../numbers/read-numbers.ts';
import type { Token } from '../tokens/tokens.ts';
import { type NumbersAt, readFrequency } from './frequencies.ts';
import { readUnit, type Unit, unitOfWord } from './units.ts';

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
export type KeyedMeasure = {
  readonly kind: 'pressure' | 'frequency' | 'score';
  /** `120/80` of a pressure, times a day of a frequency, `7` of a score out of ten. */
  readonly key: string;
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
  a1c: 'a1c hba1c hemoglobina glicosilada',
  creatinine: 'creatinine creatinina',
  potassium: 'potassium potasio potassio',
  sodium: 'sodium sodio',
  hemoglobin: 'hemoglobin haemoglobin hgb hb',
  cholesterol: 'cholesterol colesterol',
  ldl: 'ldl',
  hdl: 'hdl',
  inr: 'inr',
  tsh: 'tsh',
  bmi: 'bmi imc',
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
const OVER = new Set(['/', 'over', 'sobre', 'por', 'con']);
const TO = new Set(['to', 'a', 'ate', 'hasta', '-', '–', '—', 'or', 'o', 'ou']);
const AGE_TAILS = [['-', 'old'], ['old'], ['de', 'edad'], ['de', 'idade'], ['of', 'age']];

export function readMeasures(tokens: readonly Token[], language: Language | undefined): readonly Measure[] {
  const numberWords = numbersIn(language);
  const numbers = readNumbers(tokens, numberWords);
  const at: NumbersAt = Map.groupBy(numbers, ({ first }) => first);
  const keyed = [...readFrequencies(tokens, at), ...readPairs(tokens, numbers, at, language)];
  const taken = new Set(keyed.flatMap(({ first, end }) => rangeOf(first, end)));
  // `For a week` is also an amount of one week, `twice a week` is not.
  const begun = new Set(keyed.map(({ first }) => first));
  const ones = articles(tokens, numberWords).filter(({ first }) => begun.has(first) || !taken.has(first));
  const amounts = [...numbers.filter(({ first }) => !taken.has(first)), ...ones].map((number) =>
    toAmount(tokens, number),
  );
  return [...keyed, ...withRanges(tokens, amounts)].toSorted((a, b) => a.first - b.first);
}

/** The value that an amount belongs to, by its label or by its unit. */
export function labelOf({ label, unit }: Pick<Amount, 'label' | 'unit'>): string | undefined {
  return label ?? (unit === undefined ? undefined : UNIT_LABELS[unit]);
}

function rangeOf(first: number, end: number): readonly number[] {
  return Array.from({ length: end - first }, (_, ahead) => first + ahead);
}

function readFrequencies(tokens: readonly Token[], at: NumbersAt): readonly KeyedMeasure[] {
  const found: KeyedMeasure[] = [];
  for (let index = 0; index < tokens.length; ) {
    const frequency = readFrequency(tokens, index, at);
    if (frequency) found.push({ kind: 'frequency', ...frequency, first: index, isLoose: false });
    index = frequency?.end ?? index + 1;
  }
  return found;
}

/** Two numbers with `over` or a slash between them: a blood pressure, or a score out of ten. */
function readPairs(
  tokens: readonly Token[],
  numbers: readonly NumberReading[],
  at: NumbersAt,
  language: Language | undefined,
): readonly KeyedMeasure[] {
  return numbers.flatMap((upper): readonly KeyedMeasure[] => {
    const link = tokens[upper.end]?.word ?? '';
    const value = upper.values[0] ?? 0;
    const lowerStart =
      ['out', 'de', 'em'].includes(link) && tokens[upper.end + 1]?.word === 'of' ? upper.end + 2 : upper.end + 1;
    const lower = at.get(lowerStart)?.[0];
    const below = lower?.values[0];
    if (lower === undefined || below === undefined) return [];
    const span = { first: upper.first, end: lower.end, isLoose: upper.isLoose };
    if (below === 10 && value <= 10 && /^(\/|out|de|em|sobre|over)$/.test(link)) {
      return [{ kind: 'score', key: String(value), ...span }];
    }
    const pressure = OVER.has(link) ? asPressure(value, below, language !== 'en' && link !== '/') : undefined;
    if (pressure === undefined) return [];
    const unit = readUnit(tokens, lower.end);
    return [{ kind: 'pressure', key: pressure, ...span, end: unit?.unit === 'mmhg' ? unit.end : lower.end }];
  });
}

/** In Spanish and Portuguese 120/80 is also spoken as twelve by eight. */
function asPressure(upper: number, lower: number, maySayShort: boolean): string | undefined {
  if (upper > lower && upper >= 50 && upper <= 290 && lower >= 20 && lower <= 180) return `${upper}/${lower}`;
  const isShort = maySayShort && upper > lower && upper >= 7 && upper <= 26 && lower >= 3 && lower <= 16;
  return isShort ? `${upper * 10}/${lower * 10}` : undefined;
}

/** The articles of `a week` and `an hour` mean one, but only right before a unit. */
function articles(tokens: readonly Token[], { articles: words }: NumberWords): readonly NumberReading[] {
  return tokens.flatMap((token, index) => {
    const next = tokens[index + 1];
    const isOne = words.has(token.word) && next !== undefined && next.kind === 'word' && next.word.length > 2;
    return isOne && unitOfWord(next) ? [{ values: [1], first: index, end: index + 1, isLoose: true }] : [];
  });
}

function toAmount(tokens: readonly Token[], { values, first, end, isLoose }: NumberReading): Amount {
  const unit = readUnit(tokens, end);
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
  const tail = AGE_TAILS.find((words) => words.every((word, ahead) => tokens[unit.end + ahead]?.word === word));
  const whole = unit.end + (unit.unit === 'year' ? (tail?.length ?? 0) : 0);
  return { kind: 'amount', values, unit: unit.unit, first, end: whole, isLoose, ...(label && { label }) };
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
