// Records the source of each part of a result while it is made, if the caller asked for lineage. Containers that the mapping made
// have an entry for each of their parts; a value taken whole from the input is one part.
import type { LineageEntry, Place } from '../../domain/mapping/mapping.ts';
import type { Budget } from '../fhirpath/frame.ts';
import { pathBelow } from './trace-paths.ts';

export type Origin = {
  readonly place: Place;
  readonly sources: readonly string[];
  /** An object that was copied from one source: its parts have the same paths below both. */
  readonly isExact?: boolean;
};

/** A value and its sources. */
export type Traced = {
  readonly value: unknown;
  readonly paths: readonly string[];
  /** True if it was copied from its one path, so that elements below it have paths of their own. */
  readonly isExact: boolean;
};

type Key = string | number;

export type Trace = {
  /** The source of the value that was made last; undefined for a container with entries of its own. */
  last: Origin | undefined;
  /** The values of variables with their sources, by slot; a missing slot is a variable of the input. */
  readonly slots: Map<number, readonly Traced[]>;
  /** The same for the item that bare names read. */
  focus: readonly Traced[];
  readonly parts: WeakMap<object, Map<Key, Origin>>;
  /** The paths of the input's objects, computed at the first need. */
  paths: WeakMap<object, string> | undefined;
  /** Tracing does not count against the budget of the mapping, and has its own. */
  readonly budget: Budget;
};

export function makeTrace(focus: readonly Traced[], budget: Budget): Trace {
  return { last: undefined, slots: new Map(), focus, parts: new WeakMap(), paths: undefined, budget };
}

function partsOf(trace: Trace, container: object): Map<Key, Origin> {
  const known = trace.parts.get(container);
  if (known) return known;
  const made = new Map<Key, Origin>();
  trace.parts.set(container, made);
  return made;
}

/** Records that the value that was made last is under this key. */
export function tracePut(trace: Trace, container: object, key: Key): void {
  const parts = partsOf(trace, container);
  if (trace.last === undefined) parts.delete(key);
  else parts.set(key, trace.last);
  trace.last = undefined;
}

/** A value was added to a list: one item, or the items of a list. */
export function traceAppend(trace: Trace, list: readonly unknown[], value: unknown, from: number): void {
  if (!Array.isArray(value)) {
    tracePut(trace, list, from);
    return;
  }
  const [parts, own] = [partsOf(trace, list), trace.parts.get(value)];
  for (let index = 0; index < value.length; index++) {
    const origin = own?.get(index) ?? trace.last;
    if (origin) parts.set(from + index, origin);
  }
  trace.last = undefined;
}

/** The keys of one object were merged over those of another. */
export function traceMerge(trace: Trace, into: object, merged: object): void {
  const [parts, own, whole] = [partsOf(trace, into), trace.parts.get(merged), trace.last];
  for (const key of Object.keys(merged)) {
    const origin = own?.get(key) ?? (whole && belowWhole(whole, key));
    if (origin) parts.set(key, origin);
    else parts.delete(key);
  }
  trace.last = undefined;
}

function belowWhole(whole: Origin, key: string): Origin {
  const [source] = whole.sources;
  return whole.isExact && source !== undefined ? { ...whole, sources: [pathBelow(source, key)] } : whole;
}

/** In the order of the result. */
export function lineageOf(trace: Trace, result: unknown): readonly LineageEntry[] {
  const entries: LineageEntry[] = [];
  const visit = (value: unknown, element: string, origin: Origin | undefined): void => {
    if (origin) {
      entries.push({ element, place: origin.place, sources: origin.sources });
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const parts = trace.parts.get(value);
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, `${element}[${index}]`, parts?.get(index));
      return;
    }
    for (const [key, child] of Object.entries(value))
      visit(child, element === '' ? key : `${element}.${key}`, parts?.get(key));
  };
  visit(result, '', trace.last);
  return entries;
}
