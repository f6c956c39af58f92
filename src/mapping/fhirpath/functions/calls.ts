// All functions by name, as closures are made of them.
import { ADDED_CALLS } from './added.ts';
import { CONVERSION_CALLS } from './conversions.ts';
import { ITEM_CALLS } from './items.ts';
import type { MakeCall } from './make-call.ts';
import { MATH_CALLS } from './math.ts';
import { SET_CALLS } from './sets.ts';
import { STRING_CALLS } from './strings.ts';
import { TREE_CALLS } from './tree.ts';

export const CALLS: ReadonlyMap<string, MakeCall> = new Map(
  [ITEM_CALLS, SET_CALLS, STRING_CALLS, MATH_CALLS, CONVERSION_CALLS, TREE_CALLS, ADDED_CALLS].flatMap((calls) =>
    Object.entries(calls),
  ),
);
