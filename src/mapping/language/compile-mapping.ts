// A mapping ready to be applied: any number of times, also one within another, and always with the same result for the same
// input.
import {
  type DocumentMapping,
  MappingError,
  type MappingInput,
  type MappingResult,
  type Place,
  type UnmappedCode,
} from '../../domain/mapping/mapping.ts';
import { type Budget, ExpressionError } from '../fhirpath/frame.ts';
import { compileNode } from './compile-node.ts';
import type { MappingNode } from './mapping-tree.ts';
import { inputVariables } from './read-variables.ts';
import { BudgetError, type Limits, type Make, makeBudget, type Run } from './run.ts';
import { makeScope } from './scope.ts';
import { lineageOf, makeTrace } from './trace.ts';
import { itemsAt } from './trace-items.ts';

const DEFAULT_LIMITS: Limits = { steps: 200_000, characters: 64 * 1_048_576 };

type Options = {
  readonly file: string;
  /** Names that the input may have. Another one is an error when the mapping is compiled. */
  readonly variables: readonly string[];
  readonly isStrict: boolean;
  readonly limits?: Partial<Limits>;
};

/** Throws a MappingError for an expression that could not be compiled; the check of the mapping reports the same. */
export function compileMapping(tree: MappingNode, { file, variables, isStrict, limits }: Options): DocumentMapping {
  const names = [...new Set(variables)].filter((name) => name !== 'context');
  const scope = makeScope({ names, isStrict });
  const { make } = compileNode(tree, scope, 0);
  const all: Limits = { ...DEFAULT_LIMITS, ...limits };
  const reads = inputVariables(tree);
  const inputs = names.flatMap((name, slot) => (reads.has(name) || reads.has('context') ? [{ name, slot }] : []));
  const applicable = { make, inputs, size: scope.size.slots, limits: all, place: tree.place };
  return { file, reads, apply: (input) => apply(applicable, input) };
}

type Applicable = {
  readonly make: Make;
  /** The variables that are read, with their slots. */
  readonly inputs: readonly { readonly name: string; readonly slot: number }[];
  readonly size: number;
  readonly limits: Limits;
  readonly place: Place;
};

function apply(mapping: Applicable, input: MappingInput): MappingResult {
  const unmapped: UnmappedCode[] = [];
  const run = startRun(mapping, input, unmapped);
  try {
    const value = mapping.make(run);
    if (!run.trace) return { value, unmapped };
    return { value, unmapped, lineage: lineageOf(run.trace, value) };
  } catch (error) {
    throw asMappingError(error, run, mapping.place);
  }
}

function startRun({ inputs, size, limits, place }: Applicable, input: MappingInput, unmapped: UnmappedCode[]): Run {
  const { variables } = input;
  const slots: unknown[] = new Array(size).fill(undefined);
  for (const { name, slot } of inputs) if (Object.hasOwn(variables, name)) slots[slot] = variables[name];
  const run: Run = {
    slots,
    context: variables,
    focus: [variables],
    index: undefined,
    total: [],
    budget: makeBudget(limits),
    documents: input.documents ?? {},
    timeZone: input.timeZone ?? 'UTC',
    time: input.time,
    reportUnmapped: (table, code) => unmapped.push({ table, code, place: run.expression?.place ?? place }),
    expression: undefined,
    charactersLeft: limits.characters,
    limits,
    trace: input.wantsLineage ? makeTrace(itemsAt('%context', variables), traceBudget(limits)) : undefined,
  };
  return run;
}

/** Tracing an expression takes a few times the work of evaluating it. */
function traceBudget({ steps, characters }: Limits): Budget {
  return makeBudget({ steps: steps * 10, characters: characters * 10 });
}

/** Adds the place of the expression that was begun last to its error. Any other error is a bug of the engine. */
function asMappingError(error: unknown, { expression }: Run, place: Place): unknown {
  if (error instanceof ExpressionError) {
    const where = error.at === undefined ? expression?.place : expression?.placeAt(error.at);
    return new MappingError({ place: where ?? place, message: error.message });
  }
  if (error instanceof BudgetError)
    return new MappingError({ place: expression?.place ?? place, message: error.message });
  if (error instanceof RangeError) {
    const message = 'this result is too large, or nested too deep, to be made';
    return new MappingError({ place: expression?.place ?? place, message });
  }
  return error;
}
