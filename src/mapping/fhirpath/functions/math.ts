// Functions on numbers. What has no result, such as the root of a negative number, is empty.
import { calculate, withoutNoise } from '../arithmetic.ts';
import type { Frame } from '../frame.ts';
import { isQuantity } from '../quantity.ts';
import { itemsOf, numberOf, type Value } from '../values.ts';
import {
  type CallParts,
  type Calls,
  type MakeCall,
  numberAt,
  ofItem,
  ofItems,
  ofNumber,
  wholeNumberAt,
} from './make-call.ts';

const MOST_DIGITS = 15;

/** Also of a quantity, which keeps its unit. */
function keepingUnit(work: (value: number) => number | undefined): MakeCall {
  return ofItem((item, { parts }) => {
    if (!isQuantity(item)) return work(numberOf(item, parts.spot) ?? 0);
    const value = work(item.value);
    return value === undefined ? undefined : { ...item, value };
  });
}

/** Half is rounded up, on the decimal digits: 1.005 to two of them is 1.01. */
export function roundTo(value: number, digits: number): number {
  const places = Math.min(Math.max(0, digits), MOST_DIGITS);
  const factor = 10 ** places;
  const scaled = value * factor;
  const isHalf = Math.abs(scaled - Math.floor(scaled) - 0.5) < 1e-4;
  if (!isHalf && Math.abs(scaled) < 1e9) return Math.round(scaled) / factor || 0;
  const rounded = Math.round(Number(shift(value, places)));
  if (!Number.isFinite(rounded)) return value;
  return rounded === 0 ? 0 : Number(shift(rounded, -places));
}

/** By the text of the number, since a multiplication would bring binary noise. */
function shift(value: number, places: number): string {
  const [digits = '0', exponent = '0'] = String(value).split('e');
  return `${digits}e${Number(exponent) + places}`;
}

function finite(value: number): number | undefined {
  return withoutNoise(value);
}

function total(frame: Frame, value: Value, { spot }: CallParts): unknown {
  const [first, ...rest] = itemsOf(value);
  frame.budget.spendSteps(rest.length);
  const plus = { name: '+', at: spot.at };
  return rest.reduce<unknown>(
    (sum, item) => (sum === undefined ? undefined : calculate(frame, { left: sum, right: item, spot: plus })),
    first,
  );
}

export const MATH_CALLS: Calls = {
  abs: keepingUnit(Math.abs),
  ceiling: keepingUnit(Math.ceil),
  floor: keepingUnit(Math.floor),
  truncate: keepingUnit(Math.trunc),
  round: ofItem((item, call) => {
    const digits = wholeNumberAt(call, 0) ?? 0;
    if (isQuantity(item)) return { ...item, value: roundTo(item.value, digits) };
    return roundTo(numberOf(item, call.parts.spot) ?? 0, digits);
  }),
  sqrt: ofNumber((value) => finite(Math.sqrt(value))),
  exp: ofNumber((value) => finite(Math.exp(value))),
  ln: ofNumber((value) => finite(Math.log(value))),
  log: ofNumber((value, call) => {
    const base = numberAt(call, 0);
    return base === undefined ? undefined : finite(Math.log(value) / Math.log(base));
  }),
  power: ofNumber((value, call) => {
    const exponent = numberAt(call, 0);
    return exponent === undefined ? undefined : finite(value ** exponent);
  }),
  sum: ofItems((value, { frame, parts }) => total(frame, value, parts)),
  avg: ofItems((value, { frame, parts }) => {
    const sum = total(frame, value, parts);
    const right = itemsOf(value).length;
    return sum === undefined
      ? undefined
      : calculate(frame, { left: sum, right, spot: { name: '/', at: parts.spot.at } });
  }),
};
