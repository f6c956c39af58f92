// Operators as closures. Where a side is empty the result is mostly empty; `and`, `or`, `xor` and `implies` know three values and
// do not look at the right side where the left one decides.
import { calculate } from './arithmetic.ts';
import { areEqual, areEquivalent, areSame, compare } from './equality.ts';
import type { Frame } from './frame.ts';
import { union } from './functions/sets.ts';
import type { Operator } from './syntax.ts';
import { itemsOf, type Run, type Spot, single, spendOnText, textOf, truthOf, type Value } from './values.ts';

type Sides = {
  readonly left: Run;
  readonly right: Run;
  readonly spot: Spot;
  /** Where the right side is one. */
  readonly constant?: string | boolean;
};

export function compileOperation({ left, right, spot, constant }: Sides): Run {
  if (spot.name === '=' && constant !== undefined) return equalTo(left, constant);
  return MAKERS[spot.name as Operator]({ left, right, spot });
}

const MAKERS: Readonly<Record<Operator, (sides: Sides) => Run>> = {
  '=': ({ left, right }) => bothThere({ left, right }, equal),
  '!=': ({ left, right }) => bothThere({ left, right }, (frame, one, other) => opposite(equal(frame, one, other))),
  '~':
    ({ left, right }) =>
    (frame, focus) =>
      areEquivalent(frame, left(frame, focus), right(frame, focus)),
  '!~':
    ({ left, right }) =>
    (frame, focus) =>
      !areEquivalent(frame, left(frame, focus), right(frame, focus)),
  '<': (sides) => inOrder(sides, (difference) => difference < 0),
  '<=': (sides) => inOrder(sides, (difference) => difference <= 0),
  '>': (sides) => inOrder(sides, (difference) => difference > 0),
  '>=': (sides) => inOrder(sides, (difference) => difference >= 0),
  '+': arithmetic,
  '-': arithmetic,
  '*': arithmetic,
  '/': arithmetic,
  div: arithmetic,
  mod: arithmetic,
  '&': joined,
  '|':
    ({ left, right }) =>
    (frame, focus) =>
      union(frame, left(frame, focus), right(frame, focus)),
  and:
    ({ left, right, spot }) =>
    (frame, focus) => {
      const one = truthOf(left(frame, focus), spot);
      if (one === false) return false;
      const other = truthOf(right(frame, focus), spot);
      return other === false ? false : one && other;
    },
  or:
    ({ left, right, spot }) =>
    (frame, focus) => {
      const one = truthOf(left(frame, focus), spot);
      if (one === true) return true;
      const other = truthOf(right(frame, focus), spot);
      return other === true ? true : one === undefined ? undefined : other;
    },
  xor:
    ({ left, right, spot }) =>
    (frame, focus) => {
      const one = truthOf(left(frame, focus), spot);
      const other = truthOf(right(frame, focus), spot);
      return one === undefined || other === undefined ? undefined : one !== other;
    },
  implies:
    ({ left, right, spot }) =>
    (frame, focus) => {
      const one = truthOf(left(frame, focus), spot);
      if (one === false) return true;
      const other = truthOf(right(frame, focus), spot);
      return other === true ? true : one === undefined ? undefined : other;
    },
  in:
    ({ left, right, spot }) =>
    (frame, focus) =>
      isAmong(frame, [left(frame, focus), right(frame, focus)], spot),
  contains:
    ({ left, right, spot }) =>
    (frame, focus) =>
      isAmong(frame, [right(frame, focus), left(frame, focus)], spot),
};

type TwoValues = (frame: Frame, one: Value, other: Value) => Value;

function bothThere({ left, right }: Omit<Sides, 'spot'>, work: TwoValues): Run {
  return (frame, focus) => {
    const one = left(frame, focus);
    if (one === undefined) return undefined;
    const other = right(frame, focus);
    return other === undefined ? undefined : work(frame, one, other);
  };
}

function equal(frame: Frame, one: Value, other: Value): boolean | undefined {
  if (typeof one === 'string') spendOnText(frame, one.length);
  return one === other || areEqual(frame, one, other);
}

/** `key = 'PLAN'`: by far the most frequent one. */
function equalTo(left: Run, constant: string | boolean): Run {
  return (frame, focus) => {
    const one = left(frame, focus);
    if (one === undefined || one === constant) return one === undefined ? undefined : true;
    return typeof one === 'object' ? areEqual(frame, one, constant) : false;
  };
}

function opposite(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

function inOrder({ left, right, spot }: Sides, decide: (difference: number) => boolean): Run {
  return bothThere({ left, right }, (frame, one, other) => {
    const difference = compare(frame, [one, other], spot);
    return difference === undefined ? undefined : decide(difference);
  });
}

function arithmetic({ left, right, spot }: Sides): Run {
  return bothThere({ left, right }, (frame, one, other) =>
    calculate(frame, { left: single(one, spot), right: single(other, spot), spot }),
  );
}

/** Nothing counts as an empty text. */
function joined({ left, right, spot }: Sides): Run {
  return (frame, focus) => {
    const one = textOf(left(frame, focus), spot) ?? '';
    const other = textOf(right(frame, focus), spot) ?? '';
    if (one === '' || other === '') return one + other;
    frame.budget.spendCharacters(one.length + other.length);
    return one + other;
  };
}

function isAmong(frame: Frame, [one, others]: readonly [Value, Value], spot: Spot): boolean | undefined {
  if (one === undefined) return undefined;
  if (others === undefined) return false;
  const item = single(one, spot);
  const list = itemsOf(others);
  frame.budget.spendSteps(list.length);
  return list.some((other) => areSame(frame, item, other) === true);
}
