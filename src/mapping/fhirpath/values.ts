// What the closures of an expression pass to each other: a collection without a wrapper. Undefined is the empty one, an array has
// two or more items, anything else is a single item. So most values are passed as they came, and nothing is allocated for them.
import { ExpressionError, type Frame } from './frame.ts';
import { isQuantity } from './quantity.ts';
import { isTemporal, kindOf } from './temporal.ts';

export type Value = unknown;

/** `focus` is `$this`: the value that a bare name reads. */
export type Run = (frame: Frame, focus: Value) => Value;

/** A part of an expression with its position, for messages. */
export type Spot = { readonly name: string; readonly at: number };

const MAX_NESTING = 100;
const MOST_WRAPPERS = 10_000;
const ENDLESS = 'a value has lists in lists without end';
const NONE: readonly unknown[] = [];
/** Longer arrays are paid for each time that they are looked through. */
const FREE_LENGTH = 16;
const TEXT_PER_STEP = 4096;

/** A value as it came from outside, with its null items and inner arrays smoothed out. Most arrays need nothing and are not copied. */
export function fromOutside(frame: Frame, raw: unknown): Value {
  let value = raw;
  for (let depth = 0; Array.isArray(value) && value.length === 1; depth++) {
    if (depth > MOST_WRAPPERS) throw new ExpressionError(ENDLESS);
    value = value[0];
  }
  if (!Array.isArray(value)) return value ?? undefined;
  if (value.length > FREE_LENGTH) frame.budget.spendSteps(value.length >> 4);
  return value.length > 0 && value.every(isItem) ? value : collected(flat(frame, value));
}

function isItem(item: unknown): boolean {
  return item !== null && item !== undefined && !Array.isArray(item);
}

function flat(frame: Frame, raw: readonly unknown[]): unknown[] {
  const out: unknown[] = [];
  pushFlat({ frame, out }, raw, 0);
  return out;
}

type Into = { readonly frame: Frame; readonly out: unknown[] };

function pushFlat(into: Into, raw: unknown, depth: number): void {
  if (!Array.isArray(raw)) {
    if (raw !== null && raw !== undefined) into.out.push(raw);
    return;
  }
  if (depth > MAX_NESTING) throw new ExpressionError(ENDLESS);
  into.frame.budget.spendSteps(raw.length);
  for (const item of raw) pushFlat(into, item, depth + 1);
}

/** Adds a value of the input to a list that is being made. */
export function pushOutside(frame: Frame, out: unknown[], raw: unknown): void {
  if (raw === null || raw === undefined) return;
  if (Array.isArray(raw)) pushFlat({ frame, out }, raw, 0);
  else out.push(raw);
}

export function pushValue(out: unknown[], value: Value): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) out.push(value);
  else for (const item of value) out.push(item);
}

/** A list of items as a value. The list is not to be changed afterwards. */
export function collected(items: readonly unknown[]): Value {
  return items.length > 1 ? items : items[0];
}

export function itemsOf(value: Value): readonly unknown[] {
  if (value === undefined) return NONE;
  return Array.isArray(value) ? value : [value];
}

export function countOf(value: Value): number {
  if (value === undefined) return 0;
  return Array.isArray(value) ? value.length : 1;
}

export function firstOf(value: Value): unknown {
  return Array.isArray(value) ? value[0] : value;
}

/** What it costs to compare a text with another, or to look for it: nothing for those of everyday length. */
export function spendOnText(frame: Frame, length: number, otherLength = 1): void {
  const steps = Math.floor((length * otherLength) / TEXT_PER_STEP);
  if (steps > 0) frame.budget.spendSteps(steps);
}

/** The only item, or nothing. */
export function single(value: Value, { name, at }: Spot): unknown {
  if (!Array.isArray(value)) return value;
  throw new ExpressionError(
    `${name} works on a single value, and there are ${value.length}: use first() or where(…)`,
    at,
  );
}

/** HL7's singleton evaluation: true or false as it is, any other single item is true. */
export function truthOf(value: Value, spot: Spot): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  single(value, spot);
  return true;
}

export function textOf(value: Value, spot: Spot): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw wrongType(single(value, spot), spot, 'a text');
}

export function numberOf(value: Value, spot: Spot): number | undefined {
  if (value === undefined || typeof value === 'number') return value;
  throw wrongType(single(value, spot), spot, 'a number');
}

export function wholeNumberOf(value: Value, spot: Spot): number | undefined {
  const number = numberOf(value, spot);
  if (number === undefined || Number.isSafeInteger(number)) return number;
  throw new ExpressionError(`${spot.name} needs a whole number`, spot.at);
}

/** Names the type, never the value: that may be patient data. */
export function wrongType(value: unknown, { name, at }: Spot, needed: string): ExpressionError {
  return new ExpressionError(`${name} needs ${needed}, and this is ${typeInWords(value)}`, at);
}

export function typeInWords(value: unknown): string {
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'number') return 'a number';
  if (typeof value === 'boolean') return 'true or false';
  if (isTemporal(value)) return kindOf(value) === 'time' ? 'a time' : `a ${kindOf(value)}`;
  if (isQuantity(value)) return 'a quantity';
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'resourceType')) return 'an object';
  // The types of resources are no secret, but what came as `resourceType` is input.
  return 'a resource';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !isTemporal(value);
}
