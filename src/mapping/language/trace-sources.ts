// What an expression read, as paths with positions: `%note.sections[1].text`. Plain paths are walked along; where functions chose
// among items, the items are found again among those that they chose from.
import { compileExpression, type Names } from '../fhirpath/compile-expression.ts';
import { type Evaluate, ExpressionError, type Frame } from '../fhirpath/frame.ts';
import { FUNCTIONS } from '../fhirpath/known-functions.ts';
import type { ExpressionNode } from '../fhirpath/syntax.ts';
import { BudgetError, type Run } from './run.ts';
import type { Trace, Traced } from './trace.ts';
import { itemsAt, membersOf } from './trace-items.ts';
import { inputPaths } from './trace-paths.ts';

/** An expression with the names that it may use. */
export type Site = { readonly node: ExpressionNode; readonly names: Names };

type Looking = {
  readonly run: Run;
  readonly trace: Trace;
  readonly names: Names;
  /** What a bare name reads here. */
  readonly focus: readonly Traced[];
};

type Of<Kind extends ExpressionNode['kind']> = Extract<ExpressionNode, { readonly kind: Kind }>;

/** The items that the expression returns, in their order; none if tracing would take too long. */
export function traceItems({ node, names }: Site, run: Run, trace: Trace): readonly Traced[] {
  try {
    return itemsOf(node, { run, trace, names, focus: trace.focus });
  } catch (error) {
    if (error instanceof BudgetError || error instanceof RangeError) return [];
    throw error;
  }
}

/** All paths that the expression read, also if they are not part of its result. */
export function tracePaths(site: Site, run: Run, trace: Trace): readonly string[] {
  return unique(traceItems(site, run, trace));
}

function unique(items: readonly Traced[]): readonly string[] {
  return [...new Set(items.flatMap(({ paths }) => paths))];
}

function itemsOf(node: ExpressionNode, looking: Looking): readonly Traced[] {
  const items = itemsOfKind(node, looking);
  looking.trace.budget.spendSteps(items.length + 1);
  return items;
}

function itemsOfKind(node: ExpressionNode, looking: Looking): readonly Traced[] {
  switch (node.kind) {
    case 'variable':
      return variableItems(node.name, looking);
    case 'this':
      return looking.focus;
    case 'member':
      return memberItems(node, looking);
    case 'call':
      return callItems(node, looking);
    case 'item':
      return chosen(node, itemsOf(node.target, looking), looking);
    case 'type': {
      const targets = targetItems(node, looking);
      return node.operator === 'is' ? derived(node, targets, looking) : chosen(node, targets, looking);
    }
    case 'operation': {
      const operands = [...itemsOf(node.left, looking), ...itemsOf(node.right, looking)];
      return node.operator === '|' ? chosen(node, operands, looking) : derived(node, operands, looking);
    }
    case 'sign':
      return derived(node, itemsOf(node.operand, looking), looking);
    default:
      return derived(node, [], looking);
  }
}

function variableItems(name: string, { run, trace, names }: Looking): readonly Traced[] {
  const slot = names.slotOf(name);
  if (slot !== undefined) return trace.slots.get(slot) ?? itemsAt(`%${name}`, run.slots[slot]);
  return name === 'context' ? itemsAt('%context', run.context) : [];
}

function targetItems({ target }: { readonly target?: ExpressionNode }, looking: Looking): readonly Traced[] {
  return target ? itemsOf(target, looking) : looking.focus;
}

function memberItems(node: Of<'member'>, looking: Looking): readonly Traced[] {
  return targetItems(node, looking).flatMap((target) =>
    membersOf(target, { name: node.name, isRoot: node.target === undefined, trace: looking.trace }),
  );
}

/** The functions that return items of the input unchanged. */
const CHOOSING: ReadonlySet<string> = new Set(['same', 'argument', 'Extension', 'unknown']);

const NEEDS_NO_TARGET: ReadonlySet<string> = new Set(['iif', 'coalesce']);

function callItems(node: Of<'call'>, looking: Looking): readonly Traced[] {
  const { name, args } = node;
  const targets = targetItems(node, looking);
  const [argument] = args;
  if (name === 'select' && argument) {
    return targets.flatMap((target) => itemsOf(argument, { ...looking, focus: [target] }));
  }
  const known = FUNCTIONS.get(name);
  const given = known?.scope === 'item' ? [] : args.flatMap((arg) => itemsOf(arg, looking));
  const all = node.target || !NEEDS_NO_TARGET.has(name) ? [...targets, ...given] : given;
  return CHOOSING.has(known?.result ?? '') ? chosen(node, all, looking) : derived(node, all, looking);
}

/** The items that the node returns, each found again among the items that it was selected from. */
function chosen(node: ExpressionNode, candidates: readonly Traced[], looking: Looking): readonly Traced[] {
  const positions = new Map<unknown, number[]>();
  for (const [index, { value }] of candidates.entries()) {
    const at = positions.get(value);
    if (at) at.push(index);
    else positions.set(value, [index]);
  }
  // The next of those that are equal; once they are used up, the last again.
  const used = new Map<unknown, number>();
  let paths: readonly string[] | undefined;
  return evaluate(node, looking).map((value) => {
    const at = positions.get(value) ?? [];
    const turn = Math.min(used.get(value) ?? 0, at.length - 1);
    used.set(value, turn + 1);
    paths ??= unique(candidates);
    return candidates[at[turn] ?? -1] ?? known(value, looking) ?? { value, paths, isExact: false };
  });
}

/** Values that the node made of all these. */
function derived(node: ExpressionNode, from: readonly Traced[], looking: Looking): readonly Traced[] {
  const paths = unique(from);
  return evaluate(node, looking).map((value) => known(value, looking) ?? { value, paths, isExact: false });
}

function known(value: unknown, { run, trace }: Looking): Traced | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  trace.paths ??= inputPaths(run.context);
  const path = trace.paths.get(value);
  return path === undefined ? undefined : { value, paths: [path], isExact: true };
}

/** By expression: made at the first need, since most mappings are never traced. */
const evaluators = new WeakMap<ExpressionNode, Evaluate>();

/** Evaluates again without reporting errors: a part that the expression itself skipped may well fail. */
function evaluate(node: ExpressionNode, { run, trace, names, focus }: Looking): readonly unknown[] {
  const evaluator = evaluators.get(node) ?? compileExpression(node, { slotOf: names.slotOf, isStrict: false });
  evaluators.set(node, evaluator);
  const frame: Frame = { ...run, budget: trace.budget, reportUnmapped: () => {} };
  try {
    return evaluator(
      frame,
      focus.map(({ value }) => value),
    );
  } catch (error) {
    if (error instanceof ExpressionError) return [];
    throw error;
  }
}
