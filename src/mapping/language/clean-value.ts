// Cleans the value of an expression for the result: no empty objects and lists, no lists in lists, nothing that JSON does not
// have. A clean value is returned as it is, and nothing is changed in place.
import { ExpressionError } from '../fhirpath/frame.ts';
import { type Run, spendResult } from './run.ts';

const MAX_RESULT_DEPTH = 100;

/** `depth` is the depth of the value in the result. Undefined is nothing. */
export function cleanValue(run: Run, value: unknown, depth: number): unknown {
  if (typeof value === 'string') {
    spendResult(run, value.length);
    return value;
  }
  if (typeof value === 'number') return finite(value);
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object') return undefined;
  if (depth > MAX_RESULT_DEPTH)
    throw new ExpressionError(`this result is nested deeper than ${MAX_RESULT_DEPTH} levels`);
  return Array.isArray(value) ? cleanList(run, value, depth) : cleanObject(run, value, depth);
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new ExpressionError('this gives a number that is too large');
}

export function cleanList(run: Run, list: readonly unknown[], depth: number): readonly unknown[] | undefined {
  run.budget.spendSteps(list.length + 1);
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const before = list[index];
    const after = cleanValue(run, before, depth + 1);
    if (copy === undefined && after === before && after !== undefined && !Array.isArray(after)) continue;
    copy ??= list.slice(0, index);
    append(copy, after);
  }
  const cleaned = copy ?? list;
  return cleaned.length > 0 ? cleaned : undefined;
}

/** Adds a value that is clean: a list joins the list. */
export function append(list: unknown[], value: unknown): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) list.push(value);
  else for (const item of value) list.push(item);
}

type Plain = Record<string, unknown>;

function cleanObject(run: Run, object: object, depth: number): unknown {
  const source = object as Readonly<Plain>;
  const keys = Object.keys(source);
  run.budget.spendSteps(keys.length + 1);
  let copy: Plain | undefined;
  let isEmpty = true;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const before = source[key];
    // It would become the prototype of the copy.
    const after = key === '__proto__' ? undefined : cleanValue(run, before, depth + 1);
    if (after === undefined || after !== before) copy ??= copyOf(source, keys, index);
    if (after === undefined) continue;
    spendResult(run, key.length);
    isEmpty = false;
    if (copy !== undefined) copy[key] = after;
  }
  return isEmpty ? undefined : (copy ?? source);
}

function copyOf(source: Readonly<Plain>, keys: readonly string[], end: number): Plain {
  const copy: Plain = {};
  for (let index = 0; index < end; index++) copy[keys[index] as string] = source[keys[index] as string];
  return copy;
}
