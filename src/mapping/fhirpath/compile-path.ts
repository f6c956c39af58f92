// Members and literal indexes as direct walks over JSON. Only properties of the objects themselves are ever read.
import type { Frame } from './frame.ts';
import { CHOICE_ELEMENTS, CHOICE_TYPES } from './known-types.ts';
import { collected, firstOf, fromOutside, isObject, pushOutside, type Run, type Value } from './values.ts';

export type Member = {
  readonly name: string;
  /** Objects have the name from their prototype, so that a plain read would find it there. */
  readonly isOnPrototype: boolean;
  /** `value` also finds `valueQuantity`. */
  readonly choices: ReadonlySet<string> | undefined;
};

/** A member, or which item. */
export type Step = Member | number;

type Plain = Readonly<Record<string, unknown>>;

export function memberNamed(name: string): Member {
  const choices = CHOICE_ELEMENTS.has(name) ? new Set(CHOICE_TYPES.map((type) => name + type)) : undefined;
  return { name, isOnPrototype: name in Object.prototype, choices };
}

/** Undefined or null if it is missing. */
export function readMember(object: object, member: Member): unknown {
  const { name, isOnPrototype, choices } = member;
  const value = isOnPrototype && !Object.hasOwn(object, name) ? undefined : (object as Plain)[name];
  if (value !== undefined || !choices) return value;
  for (const key in object) if (choices.has(key)) return (object as Plain)[key];
  return undefined;
}

/** Dates of an expression are objects without members: nothing is found in them. */
function hasMembers(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The member of every item. */
export function membersOf(frame: Frame, value: Value, member: Member): Value {
  if (!Array.isArray(value)) return hasMembers(value) ? fromOutside(frame, readMember(value, member)) : undefined;
  frame.budget.spendSteps(value.length);
  const out: unknown[] = [];
  for (const item of value) if (hasMembers(item)) pushOutside(frame, out, readMember(item, member));
  return collected(out);
}

export function itemAt(value: Value, index: number): Value {
  if (Array.isArray(value)) return value[index];
  return index === 0 ? value : undefined;
}

export function walk(frame: Frame, start: Value, steps: readonly Step[]): Value {
  let value = start;
  for (const step of steps) {
    if (value === undefined) return undefined;
    value = typeof step === 'number' ? itemAt(value, step) : membersOf(frame, value, step);
  }
  return value;
}

/** The first item that `walk` would give. As long as no list is in the way, nothing is allocated. */
export function walkFirst(frame: Frame, raw: unknown, steps: readonly Step[]): unknown {
  let value = raw;
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at];
    if (step === undefined || value === null || value === undefined) return undefined;
    if (Array.isArray(value)) {
      const item = typeof step === 'number' ? plainItemAt(value, step) : undefined;
      if (item === undefined) return firstOf(walk(frame, fromOutside(frame, value), steps.slice(at)));
      value = item;
    } else if (typeof step === 'number') {
      if (step !== 0) return undefined;
    } else {
      if (!hasMembers(value)) return undefined;
      value = readMember(value, step);
    }
  }
  if (!Array.isArray(value)) return value ?? undefined;
  return plainItemAt(value, 0) ?? firstOf(fromOutside(frame, value));
}

/** The item of a list if no item before it is null or a list; undefined otherwise, even if there is one. */
function plainItemAt(list: readonly unknown[], index: number): unknown {
  for (let at = 0; at <= index; at++) {
    const item = list[at];
    if (item === null || item === undefined || Array.isArray(item)) return undefined;
  }
  return list[index];
}

/** What every resource is. */
const BASE_TYPES: ReadonlySet<string> = new Set(['Resource', 'DomainResource']);

/** In `Patient.name` on a Patient, the name of the type is the item itself. */
export function rootMember(name: string): Run {
  const member = memberNamed(name);
  const readOne = (item: unknown) => {
    if (!isObject(item)) return undefined;
    const isNamed = Object.hasOwn(item, 'resourceType') && (item['resourceType'] === name || BASE_TYPES.has(name));
    return isNamed ? item : readMember(item, member);
  };
  return (frame, focus) => {
    if (!Array.isArray(focus)) return fromOutside(frame, readOne(focus));
    frame.budget.spendSteps(focus.length);
    const out: unknown[] = [];
    for (const item of focus) pushOutside(frame, out, readOne(item));
    return collected(out);
  };
}
