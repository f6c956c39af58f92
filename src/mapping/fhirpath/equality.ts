// When two collections are equal (`=`), equivalent (`~`) or in order (`<`), as HL7 FHIRPath says it. Undefined is its "empty": the
// values do not tell.
import { ExpressionError, type Frame } from './frame.ts';
import { amountIn, differInDimension, isQuantity, quantityFrom, withCalendarUnit } from './quantity.ts';
import { compareTemporals, isTemporal, parseTemporal, partsOf, type Temporal } from './temporal.ts';
import { isObject, itemsOf, type Spot, single, spendOnText, typeInWords, type Value } from './values.ts';

const MAX_DEPTH = 200;
/** HL7: decimals are precise to eight digits behind the point. */
export const PRECISION = 1e-8;
const DAY_TEXT = /^\d{4}-\d\d-\d\d(?:T|$)/;

/** Both are not empty. */
export function areEqual(frame: Frame, left: Value, right: Value): boolean | undefined {
  if (!Array.isArray(left) && !Array.isArray(right)) return areSame(frame, left, right);
  const [ones, others] = [itemsOf(left), itemsOf(right)];
  if (ones.length !== others.length) return false;
  frame.budget.spendSteps(ones.length);
  return ones.every((one, index) => areSame(frame, one, others[index]) === true);
}

export function areSame(frame: Frame, one: unknown, other: unknown): boolean | undefined {
  if (typeof one === 'string') spendOnText(frame, one.length);
  if (one === other) return true;
  if (typeof one === 'number' && typeof other === 'number') return sameNumber(one, other);
  if (typeof one !== 'object' && typeof other !== 'object') return false;
  if (isTemporal(one) || isTemporal(other)) return sameTemporal(frame, one, other);
  if (isQuantity(one) || isQuantity(other)) return sameQuantity(one, other);
  return sameStructure({ frame, isSame: areSame, depth: 0 }, one, other);
}

function sameNumber(one: number, other: number): boolean {
  return one === other || Math.round(one / PRECISION) === Math.round(other / PRECISION);
}

function sameTemporal(frame: Frame, one: unknown, other: unknown): boolean | undefined {
  const pair = temporals(one, other);
  if (!pair) return false;
  const comparison = compareTemporals(...pair, frame.timeZone);
  return comparison === undefined ? undefined : comparison === 0;
}

/** A text compared with a date is read as a date: values of the input have no types. */
function temporals(one: unknown, other: unknown): readonly [Temporal, Temporal] | undefined {
  const left = temporalFrom(one, other);
  const right = temporalFrom(other, one);
  return left && right && [left, right];
}

function temporalFrom(value: unknown, beside: unknown): Temporal | undefined {
  if (isTemporal(value)) return value;
  if (typeof value !== 'string' || !isTemporal(beside)) return undefined;
  return parseTemporal(value, partsOf(beside).kind === 'time' ? 'time' : 'dateTime');
}

function sameQuantity(one: unknown, other: unknown): boolean | undefined {
  const [left, right] = [quantityFrom(one), quantityFrom(other)];
  if (!left || !right || differInDimension(left, right)) return false;
  const amount = amountIn(right, left.unit);
  return amount === undefined ? undefined : sameNumber(left.value, amount);
}

type Structure = {
  readonly frame: Frame;
  readonly isSame: (frame: Frame, one: unknown, other: unknown) => boolean | undefined;
  readonly depth: number;
};

/** Objects and lists from outside: the same keys with the same values, in any order; lists in theirs. */
function sameStructure(structure: Structure, one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' && typeof other !== 'object') {
    return structure.isSame(structure.frame, one, other) === true;
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (structure.depth > MAX_DEPTH) throw new ExpressionError('a value is nested too deeply to be compared');
  const inner = { ...structure, depth: structure.depth + 1 };
  if (Array.isArray(one) || Array.isArray(other)) return sameLists(inner, one, other);
  const keys = Object.keys(one);
  structure.frame.budget.spendSteps(keys.length);
  if (keys.length !== Object.keys(other).length) return false;
  const [left, right] = [one, other] as Readonly<Record<string, unknown>>[];
  return keys.every((key) => Object.hasOwn(other, key) && sameStructure(inner, left?.[key], right?.[key]));
}

function sameLists(structure: Structure, one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  structure.frame.budget.spendSteps(one.length);
  return one.every((item, index) => sameStructure(structure, item, other[index]));
}

/** Never undefined: two empty ones are equivalent. The order of the items does not matter. */
export function areEquivalent(frame: Frame, left: Value, right: Value): boolean {
  const [ones, others] = [itemsOf(left), [...itemsOf(right)]];
  if (ones.length !== others.length) return false;
  frame.budget.spendSteps(ones.length * ones.length);
  return ones.every((one) => {
    const index = others.findIndex((other) => areAlike(frame, one, other));
    if (index >= 0) others.splice(index, 1);
    return index >= 0;
  });
}

function areAlike(frame: Frame, one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one === 'string' && typeof other === 'string') {
    frame.budget.spendCharacters(one.length + other.length);
    return spaced(one) === spaced(other);
  }
  if (typeof one === 'number' && typeof other === 'number') return alikeNumbers(one, other);
  if (typeof one !== 'object' && typeof other !== 'object') return false;
  if (isTemporal(one) || isTemporal(other)) return sameTemporal(frame, one, other) === true;
  if (isQuantity(one) || isQuantity(other)) return alikeQuantities(one, other);
  return sameStructure({ frame, isSame: areAlike, depth: 0 }, one, other);
}

function alikeQuantities(one: unknown, other: unknown): boolean {
  const [left, right] = [quantityFrom(one), quantityFrom(other)];
  return (
    left !== undefined && right !== undefined && sameQuantity(withCalendarUnit(left), withCalendarUnit(right)) === true
  );
}

function spaced(text: string): string {
  return text.toUpperCase().replace(/\s/g, ' ');
}

/** HL7: as precise as the less precise one. */
function alikeNumbers(one: number, other: number): boolean {
  const digits = Math.min(digitsOf(one), digitsOf(other));
  return Math.abs(one - other) < 10 ** -digits && rounded(one, digits) === rounded(other, digits);
}

function rounded(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}

/** Behind the point. */
export function digitsOf(value: number): number {
  const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return Math.min(100, Math.max(0, fraction.length - Number(exponent)));
}

/** Below, at or above zero; undefined if the values do not decide it. Neither is empty. */
export function compare(frame: Frame, [left, right]: readonly [Value, Value], spot: Spot): number | undefined {
  const [one, other] = [single(left, spot), single(right, spot)];
  if (typeof one === 'number' && typeof other === 'number') return sameNumber(one, other) ? 0 : one - other;
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(frame, one, other);
  if (isTemporal(one) || isTemporal(other)) return compareTimes(frame, [one, other], spot);
  const amounts = amountsOf(one, other);
  if (!amounts) throw notComparable([one, other], spot);
  return amounts.length === 0 ? undefined : amounts[0] - amounts[1];
}

/** Two texts that are both days or times of a day are compared as such: their offsets may differ. */
function compareTexts(frame: Frame, one: string, other: string): number | undefined {
  spendOnText(frame, one.length);
  if (DAY_TEXT.test(one) && DAY_TEXT.test(other)) {
    const [left, right] = [parseTemporal(one, 'dateTime'), parseTemporal(other, 'dateTime')];
    const comparison = left && right && compareTemporals(left, right, frame.timeZone);
    if (left && right) return comparison === 'incomparable' ? undefined : comparison;
  }
  return one < other ? -1 : Number(one > other);
}

function compareTimes(frame: Frame, [one, other]: readonly [unknown, unknown], spot: Spot): number | undefined {
  const pair = temporals(one, other);
  const comparison = pair && compareTemporals(...pair, frame.timeZone);
  if (!pair || comparison === 'incomparable') throw notComparable([one, other], spot);
  return comparison;
}

function notComparable([one, other]: readonly [unknown, unknown], { name, at }: Spot): ExpressionError {
  return new ExpressionError(`${name} cannot compare ${typeInWords(one)} with ${typeInWords(other)}`, at);
}

/** The amounts of two quantities in the unit of the first; none without a factor between the units; undefined for other values. */
function amountsOf(one: unknown, other: unknown): readonly [number, number] | readonly [] | undefined {
  if (!isObject(one) && !isObject(other)) return undefined;
  const [left, right] = [quantityFrom(one), quantityFrom(other)];
  if (!left || !right) return undefined;
  const amount = amountIn(right, left.unit);
  return amount === undefined ? [] : [left.value, amount];
}
