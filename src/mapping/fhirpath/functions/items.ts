// Functions on a collection and its items: is there something, which of them, how many, one after another.
import { compare } from '../equality.ts';
import { ExpressionError, type Frame } from '../frame.ts';
import { isTemporal } from '../temporal.ts';
import {
  collected,
  countOf,
  firstOf,
  itemsOf,
  pushValue,
  type Run,
  type Spot,
  truthOf,
  type Value,
  wrongType,
} from '../values.ts';
import {
  argument,
  type CallParts,
  type Calls,
  type MakeCall,
  ofItems,
  type Running,
  wholeNumberAt,
} from './make-call.ts';
import { makeSeenItems } from './sets.ts';

/** Evaluates the argument for each item, with `$index` set meanwhile. */
function forEach(frame: Frame, value: Value, visit: (item: unknown) => void): void {
  const outer = frame.index;
  const items = itemsOf(value);
  frame.budget.spendSteps(items.length);
  for (let index = 0; index < items.length; index++) {
    frame.index = index;
    visit(items[index]);
  }
  frame.index = outer;
}

type Fits = (frame: Frame, item: unknown, index: number) => boolean;

/** Whether the first argument is true for an item, with `$index` set meanwhile. */
function fitting(parts: CallParts): Fits {
  const criterion = argument(parts, 0);
  const { spot } = parts;
  return (frame, item, index) => {
    const outer = frame.index;
    frame.index = index;
    const truth = truthOf(criterion(frame, item), spot);
    frame.index = outer;
    return truth === true;
  };
}

function where(parts: CallParts): Run {
  const fits = fitting(parts);
  const { target } = parts;
  return (frame, focus) => {
    const value = target(frame, focus);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return fits(frame, value, 0) ? value : undefined;
    frame.budget.spendSteps(value.length);
    const out: unknown[] = [];
    for (let index = 0; index < value.length; index++) if (fits(frame, value[index], index)) out.push(value[index]);
    return collected(out);
  };
}

function select(parts: CallParts): Run {
  const projection = argument(parts, 0);
  return (frame, focus) => {
    const value = parts.target(frame, focus);
    if (value === undefined) return undefined;
    const out: unknown[] = [];
    forEach(frame, value, (item) => pushValue(out, projection(frame, item)));
    return collected(out);
  };
}

function exists(parts: CallParts): Run {
  const { target, args } = parts;
  if (args.length === 0) return (frame, focus) => target(frame, focus) !== undefined;
  const fits = fitting(parts);
  return (frame, focus) => {
    const items = itemsOf(target(frame, focus));
    frame.budget.spendSteps(items.length);
    return items.some((item, index) => fits(frame, item, index));
  };
}

function all(parts: CallParts): Run {
  const fits = fitting(parts);
  return (frame, focus) => {
    const items = itemsOf(parts.target(frame, focus));
    frame.budget.spendSteps(items.length);
    return items.every((item, index) => fits(frame, item, index));
  };
}

/** Each round evaluates only the items that are new. */
function repeat(parts: CallParts): Run {
  const projection = argument(parts, 0);
  return (frame, focus) => {
    const known = makeSeenItems(frame);
    const out: unknown[] = [];
    let fresh = itemsOf(parts.target(frame, focus));
    while (fresh.length > 0) {
      const found: unknown[] = [];
      forEach(frame, collected(fresh), (item) => pushValue(found, projection(frame, item)));
      fresh = found.filter((item) => {
        if (known.has(item)) return false;
        known.add(item);
        out.push(item);
        return true;
      });
    }
    return collected(out);
  };
}

function aggregate(parts: CallParts): Run {
  const [aggregator, start] = [argument(parts, 0), parts.args[1]];
  return (frame, focus) => {
    const outer = frame.total;
    const value = parts.target(frame, focus);
    let total = start?.(frame, focus);
    forEach(frame, value, (item) => {
      frame.total = itemsOf(total);
      total = aggregator(frame, item);
      frame.budget.spendSteps(countOf(total));
    });
    frame.total = outer;
    return total;
  };
}

/** Only the branch that is taken is evaluated. */
function iif(parts: CallParts): Run {
  const [criterion, then, otherwise] = [argument(parts, 0), argument(parts, 1), argument(parts, 2)];
  return (frame, focus) => {
    const value = parts.target(frame, focus);
    return (truthOf(criterion(frame, value), parts.spot) === true ? then : otherwise)(frame, value);
  };
}

function coalesce({ args }: CallParts): Run {
  return (frame, focus) => {
    for (const arg of args) {
      const value = arg(frame, focus);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

/** Each must be true or false; there need not be any. */
function truths(decide: (items: readonly boolean[]) => boolean): MakeCall {
  return ofItems((value, { frame, parts }) => {
    const items = itemsOf(value);
    frame.budget.spendSteps(items.length);
    return decide(items.map((item) => truthItem(item, parts.spot)));
  });
}

function truthItem(item: unknown, spot: Spot): boolean {
  if (typeof item === 'boolean') return item;
  throw wrongType(item, spot, 'true or false');
}

function extreme(isBetter: (difference: number) => boolean): MakeCall {
  return ofItems((value, { frame, parts }) => {
    const [first, ...rest] = itemsOf(value);
    frame.budget.spendSteps(rest.length);
    return rest.reduce<unknown>((best, item) => {
      const difference = compare(frame, [item, best], parts.spot);
      return difference !== undefined && isBetter(difference) ? item : best;
    }, first);
  });
}

function part(call: Running, value: Value, [from, to]: readonly [number, number | undefined]): Value {
  const items = itemsOf(value);
  call.frame.budget.spendSteps(items.length >> 4);
  return collected(items.slice(Math.max(0, from), to === undefined ? undefined : Math.max(0, to)));
}

export const ITEM_CALLS: Calls = {
  where,
  select,
  exists,
  all,
  repeat,
  aggregate,
  iif,
  coalesce,
  empty: ofItems((value) => value === undefined),
  not: ofItems((value, { parts }) => {
    const truth = truthOf(value, parts.spot);
    return truth === undefined ? undefined : !truth;
  }),
  allTrue: truths((items) => items.every((item) => item)),
  anyTrue: truths((items) => items.some((item) => item)),
  allFalse: truths((items) => items.every((item) => !item)),
  anyFalse: truths((items) => items.some((item) => !item)),
  count: ofItems(countOf),
  first: ofItems(firstOf),
  last: ofItems((value) => (Array.isArray(value) ? value.at(-1) : value)),
  tail: ofItems((value, call) => part(call, value, [1, undefined])),
  single: ofItems((value, { parts }) => {
    const count = countOf(value);
    if (count > 1) throw new ExpressionError(`single() allows one item, and there are ${count}`, parts.spot.at);
    return value;
  }),
  skip: ofItems((value, call) => part(call, value, [wholeNumberAt(call, 0) ?? 0, undefined])),
  take: ofItems((value, call) => part(call, value, [0, wholeNumberAt(call, 0) ?? 0])),
  min: extreme((difference) => difference < 0),
  max: extreme((difference) => difference > 0),
  hasValue: ofItems((value) => isPlain(value)),
  getValue: ofItems((value) => (isPlain(value) ? value : undefined)),
};

/** A single text, number, truth value or time. */
function isPlain(value: Value): boolean {
  return value !== undefined && (typeof value !== 'object' || isTemporal(value));
}
