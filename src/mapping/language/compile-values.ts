// Constants, expressions and texts as closures.
import { type Collection, ExpressionError } from '../fhirpath/frame.ts';
import { append, cleanList, cleanValue } from './clean-value.ts';
import { compileItem, compileItems } from './compile-expressions.ts';
import type { Compiled, NodeOf } from './compiled.ts';
import { type Make, type Run, spendResult } from './run.ts';
import type { Scope } from './scope.ts';
import { type Trace, tracePut } from './trace.ts';
import { type Site, traceItems, tracePaths } from './trace-sources.ts';

export function compileConstant({ value, place }: NodeOf<'constant'>): Compiled {
  const characters = typeof value === 'string' ? value.length : 0;
  const origin = { place, sources: [] };
  const make: Make = (run) => {
    spendResult(run, characters);
    if (run.trace) run.trace.last = origin;
    return value;
  };
  return { make, constant: { value, steps: 0, characters } };
}

export function compileFirstValue(
  { expression, keepsNull, place }: NodeOf<'first'>,
  scope: Scope,
  depth: number,
): Make {
  const first = compileItem(expression, scope);
  const site = { node: expression.node, names: scope };
  const empty = keepsNull ? null : undefined;
  return (run) => {
    const value = first(run);
    let clean = value;
    if (typeof value === 'string') spendResult(run, value.length);
    else clean = value === undefined || value === null ? empty : (cleanValue(run, value, depth) ?? empty);
    if (run.trace) traceFirst(run.trace, { run, site, place, value: clean });
    return clean;
  };
}

type FirstValue = {
  readonly run: Run;
  readonly site: Site;
  readonly place: NodeOf<'first'>['place'];
  readonly value: unknown;
};

function traceFirst(trace: Trace, { run, site, place, value }: FirstValue): void {
  // A container that the mapping made, and read from a variable, has entries for its parts already.
  const isMade = typeof value === 'object' && value !== null && trace.parts.has(value);
  const [item] = isMade ? [] : traceItems(site, run, trace);
  trace.last = isMade ? undefined : { place, sources: item?.paths ?? [], isExact: item?.isExact ?? false };
}

export function compileAll({ expression, place }: NodeOf<'all'>, scope: Scope, depth: number): Make {
  const evaluate = compileItems(expression, scope);
  const site = { node: expression.node, names: scope };
  return (run) => {
    const items = evaluate(run);
    if (run.trace) return traceAll(run.trace, { run, site, place, items, depth });
    return items.length === 0 ? undefined : cleanList(run, items, depth);
  };
}

type ToldAll = Omit<FirstValue, 'value'> & { readonly items: Collection; readonly depth: number };

function traceAll(trace: Trace, { run, site, place, items, depth }: ToldAll): unknown {
  const traced = traceItems(site, run, trace);
  const list: unknown[] = [];
  for (const [index, item] of items.entries()) {
    const value = cleanValue(run, item, depth + 1);
    if (value === undefined) continue;
    const isMade = typeof value === 'object' && value !== null && trace.parts.has(value);
    trace.last = isMade ? undefined : { place, sources: traced[index]?.paths ?? [] };
    append(list, value);
    tracePut(trace, list, list.length - 1);
  }
  return list.length > 0 ? list : undefined;
}

type TextPart = {
  readonly first: (run: Run) => unknown;
  readonly empty: null | undefined;
};

export function compileText({ parts, place }: NodeOf<'text'>, scope: Scope): Make {
  const pieces = parts.map((part): string | TextPart =>
    typeof part === 'string'
      ? part
      : { first: compileItem(part.expression, scope), empty: part.keepsNull ? null : undefined },
  );
  const sites = parts.flatMap((part) =>
    typeof part === 'string' ? [] : [{ node: part.expression.node, names: scope }],
  );
  return (run) => {
    const text = joinPieces(pieces, run);
    const { trace } = run;
    if (trace) trace.last = { place, sources: [...new Set(sites.flatMap((site) => tracePaths(site, run, trace)))] };
    return text;
  };
}

function joinPieces(pieces: readonly (string | TextPart)[], run: Run): string | null | undefined {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      text += piece;
      continue;
    }
    const value = piece.first(run);
    if (value === undefined || value === null) return piece.empty;
    const added = inText(value);
    run.budget.spendCharacters(added.length);
    text += added;
  }
  spendResult(run, text.length);
  return text;
}

function inText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ExpressionError(
    'this gives an object, which cannot be put into a text: name one of its elements (or, where nothing else is meant to stand here, write >- for > or |)',
  );
}
