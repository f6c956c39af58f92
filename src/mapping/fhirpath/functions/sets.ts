// Functions that compare the items of collections with each other. Plain values are looked up, so that a thousand of them cost a
// thousand steps; objects are compared pair by pair, and paid for.
import { areSame, PRECISION } from '../equality.ts';
import type { Frame } from '../frame.ts';
import { collected, countOf, itemsOf, pushValue, spendOnText, type Value } from '../values.ts';
import { type Calls, ofItems, valueAt } from './make-call.ts';

type SeenItems = { readonly has: (item: unknown) => boolean; readonly add: (item: unknown) => void };

/** Remembers which items were seen. */
export function makeSeenItems(frame: Frame): SeenItems {
  const plain = new Set<unknown>();
  const others: unknown[] = [];
  return {
    has: (item) => {
      frame.budget.spendSteps(1);
      if (typeof item === 'string') spendOnText(frame, item.length);
      const key = keyOf(item);
      if (key !== undefined && plain.has(key)) return true;
      if (others.length === 0) return false;
      frame.budget.spendSteps(others.length);
      return others.some((other) => areSame(frame, item, other) === true);
    },
    add: (item) => {
      const key = keyOf(item);
      if (key === undefined) others.push(item);
      else plain.add(key);
    },
  };
}

/** Equal plain values have the same key; objects and dates have none. A number's is no text that an expression could hold. */
function keyOf(item: unknown): unknown {
  if (typeof item === 'number') return Math.round(item / PRECISION);
  return typeof item === 'string' || typeof item === 'boolean' ? item : undefined;
}

function distinct(frame: Frame, value: Value): Value {
  if (!Array.isArray(value)) return value;
  const known = makeSeenItems(frame);
  const out: unknown[] = [];
  for (const item of value) {
    if (known.has(item)) continue;
    known.add(item);
    out.push(item);
  }
  return out.length === value.length ? value : collected(out);
}

export function union(frame: Frame, one: Value, other: Value): Value {
  if (other === undefined) return distinct(frame, one);
  return one === undefined ? distinct(frame, other) : distinct(frame, combined(frame, one, other));
}

function combined(frame: Frame, one: Value, other: Value): Value {
  frame.budget.spendSteps(countOf(one) + countOf(other));
  const out: unknown[] = [];
  pushValue(out, one);
  pushValue(out, other);
  return collected(out);
}

function knownOf(frame: Frame, value: Value): SeenItems {
  const known = makeSeenItems(frame);
  frame.budget.spendSteps(countOf(value));
  for (const item of itemsOf(value)) known.add(item);
  return known;
}

function isSubset(frame: Frame, one: Value, other: Value): boolean {
  const known = knownOf(frame, other);
  return itemsOf(one).every((item) => known.has(item));
}

export const SET_CALLS: Calls = {
  distinct: ofItems((value, { frame }) => distinct(frame, value)),
  isDistinct: ofItems((value, { frame }) => countOf(distinct(frame, value)) === countOf(value)),
  union: ofItems((value, call) => union(call.frame, value, valueAt(call, 0))),
  combine: ofItems((value, call) => combined(call.frame, value, valueAt(call, 0))),
  subsetOf: ofItems((value, call) => isSubset(call.frame, value, valueAt(call, 0))),
  supersetOf: ofItems((value, call) => isSubset(call.frame, valueAt(call, 0), value)),
  intersect: ofItems((value, call) => {
    const known = knownOf(call.frame, valueAt(call, 0));
    return distinct(call.frame, collected(itemsOf(value).filter((item) => known.has(item))));
  }),
  exclude: ofItems((value, call) => {
    const known = knownOf(call.frame, valueAt(call, 0));
    return collected(itemsOf(value).filter((item) => !known.has(item)));
  }),
};
