// The expressions of a mapping as closures. An expression that cannot be compiled is reported with its place in the file.
import { MappingError } from '../../domain/mapping/mapping.ts';
import { compileExpression, compileFirst } from '../fhirpath/compile-expression.ts';
import { ExpressionError } from '../fhirpath/frame.ts';
import type { Expression } from './mapping-tree.ts';
import type { Run } from './run.ts';
import type { Scope } from './scope.ts';

/** All items. */
export function compileItems(expression: Expression, scope: Scope): (run: Run) => readonly unknown[] {
  const evaluate = placed(expression, () => compileExpression(expression.node, scope));
  return (run) => {
    run.expression = expression;
    return evaluate(run, run.focus);
  };
}

/** The first item, or undefined. */
export function compileItem(expression: Expression, scope: Scope): (run: Run) => unknown {
  const first = placed(expression, () => compileFirst(expression.node, scope));
  return (run) => {
    run.expression = expression;
    return first(run, run.focus);
  };
}

function placed<T>({ placeAt }: Expression, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new MappingError({ place: placeAt(error.at ?? 0), message: error.message });
  }
}
