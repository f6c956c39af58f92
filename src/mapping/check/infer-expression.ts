// Infers what an expression returns, and reports mistakes in it: elements that do not exist, values that cannot be compared or
// added. Unknown names are reported elsewhere; their values have an unknown shape here, with which nothing is wrong.
import { CONSTANTS } from '../fhirpath/check-names.ts';
import type { ExpressionNode, Literal } from '../fhirpath/syntax.ts';
import { inferCall } from './infer-call.ts';
import { inferOperation } from './infer-operation.ts';
import { inferType } from './infer-type.ts';
import { type KnownValue, knownMember, NOTHING_KNOWN, type Scope } from './known-value.ts';
import {
  alternatives,
  BOOLEAN,
  DECIMAL,
  fhirShape,
  INTEGER,
  kindOf,
  kindWords,
  literalText,
  primitive,
  type Shape,
  UNKNOWN,
} from './shape.ts';

type Of<Kind extends ExpressionNode['kind']> = Extract<ExpressionNode, { kind: Kind }>;

export function inferExpression(node: ExpressionNode, scope: Scope): KnownValue {
  switch (node.kind) {
    case 'literal':
      return { shape: literalShape(node.literal) };
    case 'empty':
      return NOTHING_KNOWN;
    case 'variable':
      return inferVariable(node, scope);
    case 'this':
      return scope.item ?? NOTHING_KNOWN;
    case 'index':
      return { shape: INTEGER };
    case 'total':
      return NOTHING_KNOWN;
    case 'member':
      return inferMember(node, scope);
    case 'item':
      return inferItem(node, scope);
    case 'sign':
      return inferSign(node, scope);
    case 'operation':
      return {
        shape: inferOperation(
          node,
          inferExpression(node.left, scope),
          inferExpression(node.right, scope),
          scope.report,
        ),
      };
    case 'type':
      return inferType(node, targetOf(node, scope), scope.report);
    case 'call':
      return inferCall(node, { target: targetOf(node, scope), scope, infer: inferExpression });
  }
}

/** The value before the dot, or the value that a bare name reads. */
function targetOf({ target }: { readonly target?: ExpressionNode }, scope: Scope): KnownValue {
  return target === undefined ? (scope.item ?? NOTHING_KNOWN) : inferExpression(target, scope);
}

function inferVariable({ name, at }: Of<'variable'>, scope: Scope): KnownValue {
  const constant = CONSTANTS.get(name);
  const shape = scope.variables.get(name)?.shape ?? (constant === undefined ? undefined : literalText(constant));
  return shape === undefined ? NOTHING_KNOWN : { shape, path: `%${name}`, start: at };
}

function inferMember(node: Of<'member'>, scope: Scope): KnownValue {
  const { target, name, at } = node;
  const before = targetOf(node, scope);
  // In `Patient.name` on a Patient, FHIRPath reads the type's name as the item itself.
  const isItself = alternatives(before.shape).some((shape) => shape.kind === 'fhir' && shape.type === name);
  return target === undefined && isItself
    ? before
    : knownMember(before, { name, at, isBare: target === undefined }, scope.report);
}

function inferItem({ target, index, at }: Of<'item'>, scope: Scope): KnownValue {
  const list = inferExpression(target, scope);
  const { shape } = inferExpression(index, scope);
  const kind = kindOf(shape);
  if (kind !== undefined && kind !== 'number') scope.report(at, `[ ] takes a number: this is ${kindWords(kind)}`);
  if (index.kind !== 'literal' || index.literal.type !== 'integer' || list.path === undefined)
    return withoutStart(list);
  return { ...list, path: `${list.path}[${index.literal.value}]` };
}

function withoutStart({ shape, path }: KnownValue): KnownValue {
  return path === undefined ? { shape } : { shape, path };
}

function inferSign({ operand, sign, at }: Of<'sign'>, scope: Scope): KnownValue {
  const { shape } = inferExpression(operand, scope);
  const kind = kindOf(shape);
  if (kind === 'text' || kind === 'boolean') scope.report(at, `${sign} is for numbers: this is ${kindWords(kind)}`);
  return { shape: kind === 'number' ? shape : UNKNOWN };
}

function literalShape(literal: Literal): Shape {
  switch (literal.type) {
    case 'string':
      return literalText(literal.value);
    case 'boolean':
      return BOOLEAN;
    case 'integer':
      return INTEGER;
    case 'decimal':
      return DECIMAL;
    case 'quantity':
      return fhirShape('Quantity');
    default:
      return primitive(literal.type);
  }
}
