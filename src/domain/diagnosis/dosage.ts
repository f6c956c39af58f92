// Judges whether a dosage that a model wrote can be meant: known units, numbers that are possible, no dose more often than each hour and no
// rate except by infusion. It knows no drug: a dosage that passes can still be wrong.
import { foldText } from '../../clinical-text/fold.ts';
import { HOUR, intervalsIn, isBounded } from './dosage-intervals.ts';
import { readTokens, skipRange, type Token } from './dosage-tokens.ts';
import {
  AMOUNT_UNITS,
  DENOMINATORS,
  INFUSION,
  INTRAVENOUS,
  MOST_PER_KG,
  REPEATED_IF_NEEDED,
  RESUSCITATION,
  TIME_UNITS,
  WORDS_BEHIND_NUMBERS,
} from './dosage-words.ts';

const LONGEST = 2000;
/** Of a fluid; oxygen has more in each minute. */
const MOST_LITRES = 10;

/** General wording without a number passes. */
export function isPlausibleDosage(dosage: string): boolean {
  if (dosage.length > LONGEST) return false;
  const text = foldText(dosage)
    .replace(/[½¼¾]/g, ' 0.5 ')
    .replace(/m²/g, 'm2')
    .replace(/\bq\.?\s?(?=\d)/g, 'every ');
  const tokens = readTokens(text);
  const setting = {
    isInfusion: INFUSION.test(text),
    isByVein: INTRAVENOUS.test(text),
    isBounded: isBounded(tokens) || RESUSCITATION.test(text) || REPEATED_IF_NEEDED.test(text),
  };
  return (
    tokens.every((token, index) => token.value === undefined || isPlausibleAt(tokens, index, setting)) &&
    areIntervalsPlausible(tokens, setting)
  );
}

type Setting = { readonly isInfusion: boolean; readonly isByVein: boolean; readonly isBounded: boolean };

function isPlausibleAt(tokens: readonly Token[], index: number, setting: Setting): boolean {
  const { value = 0 } = tokens[index] ?? {};
  const unitAt = skipRange(tokens, index);
  const unit = tokens[unitAt];
  if (unit === undefined) return isCount(tokens, index, value);
  const amount = AMOUNT_UNITS.get(unit.word);
  if (amount !== undefined) return isAmountPlausible({ tokens, value, amount, unitAt, setting });
  if (TIME_UNITS.has(unit.word)) return isTimePlausible(value, TIME_UNITS.get(unit.word) ?? 1);
  if (unit.word === 'kg' || unit.word === 'kilos' || unit.word === 'quilos') return isWeight(tokens, index, value);
  if (!/[a-z%µμ]/.test(unit.word)) return isMarkPlausible(unit.word) && isCount(tokens, index, value);
  if (/^(?:time|times|vez|veces|vezes|x)$/.test(unit.word)) return value <= 24;
  if (unit.isAttached && unitAt === index + 1 && !/^(?:st|nd|rd|th|o|a|x|am|pm|h)$/.test(unit.word)) return false;
  if (
    /^(?:every|each|cada|daily|weekly|nightly|monthly|once|twice|bid|tid|qid|bd|tds|qds|od|qd|ao|al)$/.test(unit.word)
  )
    return isCount(tokens, index, value);
  return WORDS_BEHIND_NUMBERS.has(unit.word) || DENOMINATORS.has(unit.word);
}

/** A number without a unit is one of tablets, doses or times; of 20 and more it is an amount whose unit is missing. */
function isCount(tokens: readonly Token[], index: number, value: number): boolean {
  const before = tokens.slice(Math.max(0, index - 3), index).map(({ word }) => word);
  return value < 20 || before.some((word) => CONTEXT.has(word));
}

const CONTEXT = new Set(
  'age aged over above below under than older younger weight weighing gfr egfr clearance crcl crea creatinine day week < > ≤ ≥ edad anos mayores menores mas menos de peso filtrado aclaramiento idade maiores mais depuracao ph'.split(
    ' ',
  ),
);

function isWeight(tokens: readonly Token[], index: number, value: number): boolean {
  const before = tokens.slice(Math.max(0, index - 4), index).map(({ word }) => word);
  return value <= 400 && before.some((word) => CONTEXT.has(word) || WEIGHT_WORDS.has(word));
}

const WEIGHT_WORDS = new Set('per por / each cada weighs pesa pesan up hasta ate a to if si se -'.split(' '));

function isMarkPlausible(mark: string): boolean {
  return /^[.,;:)(/+<>=≤≥–—\-×°*[\]!?"'“”·•]$/.test(mark);
}

function isTimePlausible(value: number, seconds: number): boolean {
  return value >= 0 && value * seconds <= 120 * 31_536_000;
}

type AmountParts = {
  readonly tokens: readonly Token[];
  readonly value: number;
  readonly amount: { readonly name: string; readonly most: number };
  readonly unitAt: number;
  readonly setting: Setting;
};

function isAmountPlausible({ tokens, value, amount, unitAt, setting }: AmountParts): boolean {
  const below = readDenominators(tokens, unitAt + 1);
  if (below === undefined) return false;
  const isKidney =
    amount.name === 'ml' && below.perSeconds === 60 && tokens.slice(0, unitAt).some(({ word }) => CONTEXT.has(word));
  if (isKidney) return true;
  const most = below.isPerKg ? (MOST_PER_KG[amount.name] ?? amount.most) : amount.most;
  if (value <= 0 || value > most) return false;
  const isRate = below.perSeconds !== undefined && below.perSeconds <= HOUR;
  if (amount.name === 'l' && !isRate && value > MOST_LITRES) return false;
  return !isRate || setting.isInfusion || setting.isByVein;
}

/** `/kg/day`, `per hour`, `/8 h`. Undefined if a denominator is no known one. */
function readDenominators(tokens: readonly Token[], first: number) {
  let [at, isPerKg, perSeconds]: [number, boolean, number | undefined] = [first, false, undefined];
  for (;;) {
    const sign = tokens[at];
    if (sign === undefined || !/^(?:\/|per|por)$/.test(sign.word)) return { isPerKg, perSeconds };
    const number = tokens[at + 1]?.value;
    const unit = tokens[at + (number === undefined ? 1 : 2)];
    const seconds = unit && TIME_UNITS.get(unit.word);
    // "500/125 mg/5 mL", and "por vía oral".
    if (unit === undefined) return number === undefined ? undefined : { isPerKg, perSeconds };
    if (seconds !== undefined) perSeconds = seconds * (number ?? 1);
    else if (!DENOMINATORS.has(unit.word)) {
      if (sign.word === '/' && number === undefined) return undefined;
      return { isPerKg, perSeconds };
    }
    isPerKg ||= /^(?:kg|kilo|kilos|quilo|kilogram|kilogramo|quilograma)$/.test(unit.word);
    at += number === undefined ? 2 : 3;
  }
}

/** Each interval is at least an hour, unless it is an infusion or the number of doses is limited. */
function areIntervalsPlausible(tokens: readonly Token[], { isInfusion, isBounded: hasLimit }: Setting): boolean {
  return isInfusion || hasLimit || intervalsIn(tokens).every((seconds) => seconds >= HOUR);
}
