// Functions that go down into values of the input.

import { memberNamed, readMember } from '../compile-path.ts';
import { typeInfo } from '../compile-type.ts';
import { ExpressionError, type Frame } from '../frame.ts';
import { isQuantity } from '../quantity.ts';
import { collected, isObject, itemsOf, pushOutside, type Run, type Value } from '../values.ts';
import { type Calls, ofItem, ofItems, type Running, textAt } from './make-call.ts';

const MAX_DEPTH = 200;
const EXTENSION = memberNamed('extension');

/** The keys of an object without its type and the siblings of primitives (`_birthDate`). */
function childrenOf(frame: Frame, items: readonly unknown[]): readonly unknown[] {
  const out: unknown[] = [];
  for (const item of items) {
    if (!isObject(item) || isQuantity(item)) continue;
    const keys = Object.keys(item);
    frame.budget.spendSteps(keys.length);
    for (const key of keys) if (key !== 'resourceType' && !key.startsWith('_')) pushOutside(frame, out, item[key]);
  }
  return out;
}

function descendants(value: Value, { frame, parts: { spot } }: Running): Value {
  const out: unknown[] = [];
  let level = childrenOf(frame, itemsOf(value));
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new ExpressionError(`${spot.name}: a value is nested too deeply`, spot.at);
    frame.budget.spendSteps(level.length);
    for (const item of level) out.push(item);
    level = childrenOf(frame, level);
  }
  return collected(out);
}

/** `birthDate.extension`: FHIR keeps the extensions of a primitive beside it, in `_birthDate`. */
export function primitiveExtensions(of: Run, name: string): Run {
  const [member, beside] = [memberNamed(name), memberNamed(`_${name}`)];
  return (frame, focus) => {
    const out: unknown[] = [];
    const parents = itemsOf(of(frame, focus));
    frame.budget.spendSteps(parents.length);
    for (const parent of parents) {
      if (!isObject(parent)) continue;
      const holders: unknown[] = [];
      pushOutside(frame, holders, readMember(parent, member));
      pushOutside(frame, holders, readMember(parent, beside));
      for (const holder of holders) if (isObject(holder)) pushOutside(frame, out, readMember(holder, EXTENSION));
    }
    return collected(out);
  };
}

export const TREE_CALLS: Calls = {
  children: ofItems((value, { frame }) => collected(childrenOf(frame, itemsOf(value)))),
  descendants: ofItems(descendants),
  type: ofItem(typeInfo),
  // Its target was compiled to give the extensions.
  extension: ofItems((value, call) => {
    const url = textAt(call, 0);
    call.frame.budget.spendSteps(itemsOf(value).length);
    return collected(
      itemsOf(value).filter((item) => isObject(item) && Object.hasOwn(item, 'url') && item['url'] === url),
    );
  }),
};
