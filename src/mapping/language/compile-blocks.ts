// Lists, objects and blocks as closures.
import { ExpressionError } from '../fhirpath/frame.ts';
import { append } from './clean-value.ts';
import { compileItems } from './compile-expressions.ts';
import type { Compile, Compiled, NodeOf } from './compiled.ts';
import type { Branch } from './mapping-tree.ts';
import { type Make, type Run, spendResult } from './run.ts';
import { type Scope, withVariable } from './scope.ts';
import { type Traced, traceAppend } from './trace.ts';
import { itemsMade } from './trace-items.ts';
import { traceItems } from './trace-sources.ts';

export function compileList(node: NodeOf<'list'>, scope: Scope, depth: number, compile: Compile): Compiled {
  const items = node.items.map((item) => compile(item, scope, depth + 1));
  const makes = items.map(({ make }) => make);
  const make: Make = (run) => {
    run.budget.spendSteps(makes.length + 1);
    const list: unknown[] = [];
    for (const makeItem of makes) add(run, list, makeItem(run));
    return list.length > 0 ? list : undefined;
  };
  const constants = items.flatMap(({ constant }) => constant ?? []);
  if (constants.length < items.length) return { make };
  const list: unknown[] = [];
  for (const { value } of constants) append(list, value);
  const steps = constants.reduce((sum, constant) => sum + constant.steps, items.length + 1);
  const characters = constants.reduce((sum, constant) => sum + constant.characters, 0);
  return {
    // Each result has its own copy: one frozen list in it keeps JSON.stringify from its fast way.
    make(run) {
      if (run.trace) return make(run);
      run.budget.spendSteps(steps);
      spendResult(run, characters);
      return list.length > 0 ? list.slice() : undefined;
    },
  };
}

function add(run: Run, list: unknown[], value: unknown): void {
  if (value === undefined) return;
  const from = list.length;
  append(list, value);
  if (run.trace) traceAppend(run.trace, list, value, from);
}

/** An `{% if %}` alone in its object. */
export function compileBranch(branch: Branch, scope: Scope, depth: number, compile: Compile): Make {
  const { condition } = branch;
  const evaluate = compileItems(condition, scope);
  const then = compile(branch.then, scope, depth).make;
  const otherwise = branch.otherwise && compile(branch.otherwise, scope, depth).make;
  return (run) => {
    const items = evaluate(run);
    if (items.length > 1) {
      throw new ExpressionError(
        `a condition is a single value, and there are ${items.length}: use exists(), or all(…)`,
      );
    }
    run.budget.spendSteps(1);
    // HL7's iif: nothing is false, and any single value but false is true.
    if (items.length === 1 && items[0] !== false) return then(run);
    return otherwise?.(run);
  };
}

export function compileLoop(node: NodeOf<'for'>, scope: Scope, depth: number, compile: Compile): Make {
  const { expression, item, index } = node;
  const evaluate = compileItems(expression, scope);
  const site = { node: expression.node, names: scope };
  const forItem = withVariable(scope, item);
  const forIndex = index === undefined ? undefined : withVariable(forItem.scope, index);
  const make = compile(node.body, (forIndex ?? forItem).scope, depth + 1).make;
  return (run) => {
    const items = evaluate(run);
    run.budget.spendSteps(items.length + 1);
    const traced = run.trace && traceItems(site, run, run.trace);
    const list: unknown[] = [];
    for (let position = 0; position < items.length; position++) {
      run.slots[forItem.slot] = items[position];
      if (forIndex) run.slots[forIndex.slot] = position;
      if (run.trace) traceVariable(run, forItem.slot, traced?.slice(position, position + 1) ?? []);
      if (run.trace && forIndex) traceVariable(run, forIndex.slot, [{ value: position, paths: [], isExact: false }]);
      add(run, list, make(run));
    }
    return list.length > 0 ? list : undefined;
  };
}

function traceVariable(run: Run, slot: number, items: readonly Traced[]): void {
  run.trace?.slots.set(slot, items);
}

export function compileContext(node: NodeOf<'context'>, scope: Scope, depth: number, compile: Compile): Make {
  const { expression } = node;
  const evaluate = compileItems(expression, scope);
  const site = { node: expression.node, names: scope };
  const make = compile(node.body, { ...scope, isInsideContext: true }, depth + 1).make;
  return (run) => {
    const { focus, trace } = run;
    const items = evaluate(run);
    run.budget.spendSteps(items.length + 1);
    const outer = trace?.focus ?? [];
    const traced = trace ? traceItems(site, run, trace) : [];
    const list: unknown[] = [];
    for (let position = 0; position < items.length; position++) {
      run.focus = [items[position]];
      if (trace) trace.focus = traced.slice(position, position + 1);
      add(run, list, make(run));
    }
    run.focus = focus;
    if (trace) trace.focus = outer;
    return list.length > 0 ? list : undefined;
  };
}

export function compileAssign(node: NodeOf<'assign'>, scope: Scope, depth: number, compile: Compile): Make {
  let inner = scope;
  const assignments = node.assignments.map(({ name, value }) => {
    // Made in the scope so far: it may read earlier ones, and an outer one of its own name.
    const { make } = compile(value, inner, 1);
    const variable = withVariable(inner, name);
    inner = variable.scope;
    return { make, slot: variable.slot };
  });
  const make = compile(node.body, inner, depth).make;
  return (run) => {
    run.budget.spendSteps(assignments.length);
    for (const assignment of assignments) {
      const value = assignment.make(run);
      run.slots[assignment.slot] = value;
      if (run.trace) traceVariable(run, assignment.slot, itemsMade(run.trace, value));
    }
    return make(run);
  };
}
