// Objects as closures: key by key, then `{% merge %}` over them, then `{% if %}` over that.
import { MappingError, type Place } from '../../domain/mapping/mapping.ts';
import { compileBranch } from './compile-blocks.ts';
import { type Compile, type Compiled, kindInWords, type NodeOf, noObject } from './compiled.ts';
import { type Make, type Run, spendResult } from './run.ts';
import type { Scope } from './scope.ts';
import { type Trace, traceMerge, tracePut } from './trace.ts';

type Plain = Record<string, unknown>;

type Key = Compiled & { readonly key: string };

/** What is merged over the keys, and how it is called in messages. */
type Merged = { readonly make: Make; readonly place: Place; readonly what: string };

export function compileObject(node: NodeOf<'object'>, scope: Scope, depth: number, compile: Compile): Compiled {
  const keys = node.keys.map(({ key, value }): Key => ({ key, ...compile(value, scope, depth + 1) }));
  const merged = compileMerged(node, scope, depth, compile);
  const makeKeys = keyMaker(keys);
  if (merged.length > 0) {
    return {
      make(run) {
        // The merged parts come first: a key that they cover is not made, so nothing in it is reported or fails.
        const over: Plain = {};
        for (const part of merged) mergeOver(run, over, part);
        const object: Plain = makeKeys(run, over) ?? {};
        Object.assign(object, over);
        if (run.trace) traceMerge(run.trace, object, over);
        return hasKeys(object) ? object : undefined;
      },
    };
  }
  const constant = constantOf(keys);
  return { make: makeKeys, ...(constant && { constant }) };
}

function hasKeys(object: Plain): boolean {
  for (const _ in object) return true;
  return false;
}

/** Constant keys are not made again, and paid for together. */
function keyMaker(keys: readonly Key[]): (run: Run, over?: Plain) => Plain | undefined {
  const names = keys.map(({ key }) => key);
  const constants = keys.map(({ constant }) => constant?.value);
  const makes = keys.map(({ make, constant }) => (constant ? undefined : make));
  const steps = keys.reduce((sum, { constant }) => sum + (constant?.steps ?? 0), keys.length + 1);
  const characters = keys.reduce((sum, { key, constant }) => sum + key.length + (constant?.characters ?? 0), 0);
  return (run, over) => {
    if (run.trace) return makeTraced(keys, run, run.trace, over);
    run.budget.spendSteps(steps);
    spendResult(run, characters);
    const object: Plain = {};
    let isEmpty = true;
    for (let index = 0; index < names.length; index++) {
      const [name, make] = [names[index] as string, makes[index]];
      const isCovered = over !== undefined && Object.hasOwn(over, name);
      const value = isCovered ? over[name] : make === undefined ? constants[index] : make(run);
      if (value === undefined) continue;
      object[name] = value;
      isEmpty = false;
    }
    return isEmpty ? undefined : object;
  };
}

function makeTraced(keys: readonly Key[], run: Run, trace: Trace, over?: Plain): Plain | undefined {
  run.budget.spendSteps(keys.length + 1);
  const object: Plain = {};
  for (const { key, make } of keys) {
    const isCovered = over !== undefined && Object.hasOwn(over, key);
    const value = isCovered ? over[key] : make(run);
    if (value === undefined) continue;
    spendResult(run, key.length);
    object[key] = value;
    if (!isCovered) tracePut(trace, object, key);
  }
  trace.last = undefined;
  return hasKeys(object) ? object : undefined;
}

function constantOf(keys: readonly Key[]): Compiled['constant'] {
  const object: Plain = {};
  let [steps, characters] = [keys.length + 1, 0];
  for (const { key, constant } of keys) {
    if (!constant) return undefined;
    steps += constant.steps;
    characters += key.length + constant.characters;
    if (constant.value !== undefined) object[key] = constant.value;
  }
  return { value: hasKeys(object) ? Object.freeze(object) : undefined, steps, characters };
}

function compileMerged(
  { merge, branch }: NodeOf<'object'>,
  scope: Scope,
  depth: number,
  compile: Compile,
): readonly Merged[] {
  const merged = (merge ?? []).map(
    (node): Merged => ({ make: compile(node, scope, depth).make, place: node.place, what: '{% merge %} takes' }),
  );
  if (!branch) return merged;
  const what = 'an {% if %} beside other keys makes';
  return [...merged, { make: compileBranch(branch, scope, depth, compile), place: branch.place, what }];
}

function mergeOver(run: Run, object: Plain, { make, place, what }: Merged): void {
  const value = make(run);
  if (value === undefined || value === null) {
    if (run.trace) run.trace.last = undefined;
    return;
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new MappingError({ place, message: noObject(what, kindInWords(value)) });
  }
  const keys = Object.keys(value);
  run.budget.spendSteps(keys.length);
  for (const key of keys) {
    spendResult(run, key.length);
    object[key] = (value as Readonly<Plain>)[key];
  }
  if (run.trace) traceMerge(run.trace, object, value);
}
