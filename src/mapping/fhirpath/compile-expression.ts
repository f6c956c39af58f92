// A parsed expression as a closure. Variables become slots, members direct walks; nothing is looked up by name at run time but
// the properties of the data.
import { CONSTANTS, checkNames, type Names } from './check-names.ts';
import { compileOperation } from './compile-operation.ts';
import { itemAt, memberNamed, membersOf, rootMember, type Step, walk, walkFirst } from './compile-path.ts';
import { compileType } from './compile-type.ts';
import { type Collection, type Evaluate, ExpressionError, type Frame } from './frame.ts';
import { CALLS } from './functions/calls.ts';
import { primitiveExtensions } from './functions/tree.ts';
import { isQuantity, makeQuantity, plainQuantity, quantityFrom } from './quantity.ts';
import type { ExpressionNode, Literal } from './syntax.ts';
import { isTemporal, parseTemporal, textOfTemporal } from './temporal.ts';
import {
  collected,
  firstOf,
  fromOutside,
  itemsOf,
  type Run,
  type Spot,
  single,
  type Value,
  wholeNumberOf,
  wrongType,
} from './values.ts';

export type { Names };

/** Throws an ExpressionError for the first name that is not known; `checkNames` tells all of them. */
export function compileExpression(node: ExpressionNode, names: Names): Evaluate {
  const run = compileChecked(node, names);
  return (frame, focus) => plainItems(run(frame, fromOutside(frame, focus)));
}

/** Only the first item, or undefined: without a list around it. */
export function compileFirst(node: ExpressionNode, names: Names): (frame: Frame, focus: Collection) => unknown {
  const run = compileChecked(node, names);
  const { base, steps } = pathOf(node);
  if (base?.kind === 'variable') {
    const read = rawVariable(base.name, names);
    return (frame) => walkFirst(frame, read(frame), steps);
  }
  if (!base || base.kind === 'this') {
    return (frame, focus) => walkFirst(frame, focus.length === 1 ? focus[0] : focus, steps);
  }
  return (frame, focus) => plain(firstOf(run(frame, fromOutside(frame, focus))));
}

function compileChecked(node: ExpressionNode, names: Names): Run {
  const [problem] = checkNames(node, names);
  if (problem) throw new ExpressionError(problem.message, problem.at);
  return compile(node, names);
}

function compile(node: ExpressionNode, names: Names): Run {
  switch (node.kind) {
    case 'literal': {
      const value = literalValue(node.literal);
      return () => value;
    }
    case 'empty':
      return () => undefined;
    case 'variable': {
      const read = rawVariable(node.name, names);
      return (frame) => fromOutside(frame, read(frame));
    }
    case 'this':
      return (_, focus) => focus;
    case 'index':
      return (frame) => frame.index;
    case 'total':
      return (frame) => collected(frame.total);
    case 'member':
      return compileMember(node, names);
    case 'item':
      return compileItem(node, names);
    case 'call':
      return compileCall(node, names);
    case 'operation': {
      const spot = { name: node.operator, at: node.at };
      const sides = { left: compile(node.left, names), right: compile(node.right, names) };
      return compileOperation({ ...sides, ...constantOf(node.right), spot });
    }
    case 'sign':
      return compileSign(node, names);
    case 'type':
      return compileTypeNode(node, names);
  }
}

function constantOf(node: ExpressionNode): { readonly constant?: string | boolean } {
  const value = node.kind === 'literal' ? node.literal.value : undefined;
  const isPlain = node.kind === 'literal' && (node.literal.type === 'string' || node.literal.type === 'boolean');
  return isPlain && typeof value !== 'number' && value !== undefined ? { constant: value } : {};
}

function literalValue(literal: Literal): Value {
  if (literal.type === 'quantity') return makeQuantity(literal.value, literal.unit);
  if (literal.type === 'date' || literal.type === 'dateTime' || literal.type === 'time') {
    return parseTemporal(literal.value, literal.type);
  }
  return literal.value;
}

function rawVariable(name: string, { slotOf }: Names): (frame: Frame) => unknown {
  const slot = slotOf(name);
  if (slot !== undefined) return (frame) => frame.slots[slot];
  if (name === 'context') return (frame) => frame.context;
  const constant = CONSTANTS.get(name);
  return () => constant;
}

type Path = { readonly base: ExpressionNode | undefined; readonly steps: readonly Step[] };

/** A chain of members and literal indexes with its base; without a base it begins at the focus. */
function pathOf(node: ExpressionNode): Path {
  const steps: Step[] = [];
  let base: ExpressionNode | undefined = node;
  while (base) {
    if (base.kind === 'member' && !isOfPrimitive(base) && !isTypeName(base)) steps.push(memberNamed(base.name));
    else if (base.kind === 'item' && isIndex(base.index)) steps.push(base.index.literal.value);
    else break;
    base = base.target;
  }
  return { base, steps: steps.reverse() };
}

type Index = { readonly kind: 'literal'; readonly literal: { readonly type: 'integer'; readonly value: number } };

function isIndex(node: ExpressionNode): node is Extract<ExpressionNode, { kind: 'literal' }> & Index {
  return node.kind === 'literal' && node.literal.type === 'integer';
}

type MemberNode = Extract<ExpressionNode, { kind: 'member' }>;

/** `birthDate.extension` is not in what `birthDate` is. */
function isOfPrimitive({ name, target }: MemberNode): boolean {
  return name === 'extension' && target?.kind === 'member';
}

/** `Patient.name`: perhaps a type, perhaps an element. */
function isTypeName({ name, target }: MemberNode): boolean {
  return target === undefined && /^[A-Z]/.test(name);
}

function compileMember(node: MemberNode, names: Names): Run {
  if (isOfPrimitive(node) && node.target?.kind === 'member') {
    return primitiveExtensions(targetOf(node.target, names), node.target.name);
  }
  if (isTypeName(node)) return rootMember(node.name);
  const { base, steps } = pathOf(node);
  const [only] = steps;
  if (!base && steps.length === 1 && typeof only === 'object') return (frame, focus) => membersOf(frame, focus, only);
  const start = base ? compile(base, names) : FOCUS;
  return (frame, focus) => walk(frame, start(frame, focus), steps);
}

const FOCUS: Run = (_, focus) => focus;

function targetOf(node: { readonly target?: ExpressionNode }, names: Names): Run {
  return node.target ? compile(node.target, names) : FOCUS;
}

function compileItem(node: Extract<ExpressionNode, { kind: 'item' }>, names: Names): Run {
  const { base, steps } = pathOf(node);
  if (steps.length > 0) {
    const start = base ? compile(base, names) : FOCUS;
    return (frame, focus) => walk(frame, start(frame, focus), steps);
  }
  const [target, index] = [compile(node.target, names), compile(node.index, names)];
  const spot = { name: '[ ]', at: node.at };
  return (frame, focus) => {
    const at = wholeNumberOf(index(frame, focus), spot);
    return at === undefined ? undefined : itemAt(target(frame, focus), at);
  };
}

function compileCall(node: Extract<ExpressionNode, { kind: 'call' }>, names: Names): Run {
  const make = CALLS.get(node.name);
  if (!make) throw new ExpressionError(`there is no function ${node.name}()`, node.at);
  const args = node.args.map((arg) => compile(arg, names));
  const target = node.name === 'extension' ? extensionsOf(node, names) : targetOf(node, names);
  return make({ target, args, spot: { name: `${node.name}()`, at: node.at }, node });
}

/** All extensions of the value before `.extension(url)`. */
function extensionsOf({ target, at }: { readonly target?: ExpressionNode; readonly at: number }, names: Names): Run {
  return compileMember({ kind: 'member', at, name: 'extension', ...(target && { target }) }, names);
}

function compileSign({ sign, operand, at }: Extract<ExpressionNode, { kind: 'sign' }>, names: Names): Run {
  const run = compile(operand, names);
  const spot: Spot = { name: sign, at };
  return (frame, focus) => {
    const item = single(run(frame, focus), spot);
    if (item === undefined) return undefined;
    if (typeof item === 'number') return sign === '-' && item !== 0 ? -item : item;
    const quantity = quantityFrom(item);
    if (!quantity) throw wrongType(item, spot, 'a number or a quantity');
    return sign === '-' ? { ...quantity, value: -quantity.value } : quantity;
  };
}

function compileTypeNode(node: Extract<ExpressionNode, { kind: 'type' }>, names: Names): Run {
  const { target, operator, type, at } = node;
  const member = target?.kind === 'member' ? { member: { of: targetOf(target, names), name: target.name } } : {};
  return compileType({ operator, type, target: targetOf(node, names), ...member, spot: { name: operator, at } });
}

/** Dates and quantities that the expression made leave it as FHIR writes them. */
function plain(item: unknown): unknown {
  if (typeof item !== 'object') return item;
  if (isTemporal(item)) return textOfTemporal(item);
  return isQuantity(item) ? plainQuantity(item) : item;
}

function plainItems(value: Value): Collection {
  if (!Array.isArray(value)) return value === undefined ? [] : [plain(value)];
  return value.some((item) => isTemporal(item) || isQuantity(item)) ? value.map(plain) : itemsOf(value);
}
