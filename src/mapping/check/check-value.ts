// Checks that a part of a mapping makes what its element takes: one value or a list, a text, a number or an object of the right
// type. An expression of unknown shape is never reported.
import { isDashed } from '../language/block-keys.ts';
import type { Expression, MappingNode } from '../language/mapping-tree.ts';
import { didYouMean } from '../suggest.ts';
import { allCodes, codeProblem, constantProblem } from './check-constant.ts';
import { type FhirType, fhirR4 } from './fhir-r4.ts';
import {
  alternatives,
  describeShape,
  isAsGiven,
  type Kind,
  kindOf,
  kindOfPrimitive,
  kindWords,
  literalTexts,
  type PrimitiveShape,
  type Shape,
  TEXT,
  withArticle,
} from './shape.ts';
import { branchParts, lastName, type Problems, problemAt, type Slot, type TargetCheck } from './target-slot.ts';

type Of<K extends MappingNode['kind']> = Extract<MappingNode, { kind: K }>;
type ValueNode = Of<'constant' | 'first' | 'text' | 'object' | 'all'>;
type TypedSlot = { readonly slot: Slot; readonly type: FhirType; readonly check: TargetCheck };

export function checkValue(node: MappingNode, slot: Slot, check: TargetCheck): Problems {
  const type = slot.type === undefined ? undefined : fhirR4().type(slot.type.type);
  if (type === undefined) return check.anything(node);
  const known = { slot, type, check };
  switch (node.kind) {
    case 'assign':
      return [...node.assignments.flatMap(({ value }) => check.anything(value)), ...check.value(node.body, slot)];
    case 'branch':
      return branchParts(node.branch).flatMap((part) => check.value(part, { ...slot, place: part.place }));
    case 'list':
      return slot.count === 'one' ? notOne(known) : checkItems(node, known);
    case 'for':
    case 'context':
      if (slot.count === 'one') return notOne(known);
      return check.value(node.body, { ...slot, count: 'item', place: node.body.place });
    case 'all':
      return slot.count === 'one' ? notOne(known) : checkSingle(node, { ...known, slot: { ...slot, count: 'item' } });
    default:
      return checkSingle(node, known);
  }
}

function checkItems({ items }: Of<'list'>, { slot, check }: TypedSlot): Problems {
  const isEmpty = items.length === 0;
  return [
    ...problemAt(slot.place, isEmpty ? `an empty list is nothing: leave ${lastName(slot.path)} out` : undefined),
    ...items.flatMap((item) => check.value(item, { ...slot, count: 'item', place: item.place })),
  ];
}

function notOne({ slot, type }: TypedSlot): Problems {
  return problemAt(slot.place, `${slot.path} is ${expected(slot, type)}; this is a list`);
}

function checkSingle(node: ValueNode, known: TypedSlot): Problems {
  const { slot, type } = known;
  if (isNothing(node)) return [];
  if (node.kind === 'constant' && node.value === null) {
    return problemAt(
      slot.place,
      slot.count === 'one' ? `FHIR has no null: leave ${lastName(slot.path)} out` : undefined,
    );
  }
  const wrong = wrongKind(node, known);
  if (wrong !== undefined) {
    return problemAt(slot.place, `${slot.path} is ${expected(slot, type)}; this is ${wrong}${hintFor(node, known)}`);
  }
  const repeats = slot.count === 'list' && !isDashedList(node) ? `${slot.path} repeats: write it as a list` : undefined;
  return [...problemAt(slot.place, repeats), ...checkContent(node, known)];
}

/** It was meant as a list, and each `-` without its space is reported elsewhere. */
function isDashedList(node: ValueNode): boolean {
  return node.kind === 'object' && node.keys.length > 0 && node.keys.some(({ key }) => isDashed(key));
}

/** The most frequent mistake comes first. */
function hintFor(node: ValueNode, { type, check }: TypedSlot): string {
  if (node.kind === 'constant') {
    if (type.kind !== 'primitive' && /^[A-Za-z_]\w*:[^\s/]/.test(String(node.value)))
      return ': a space is missing behind the colon';
    return type.kind === 'primitive' && kindOfPrimitive(type.name) === 'text' ? ': put it in quotes' : '';
  }
  const shape = node.kind === 'first' || node.kind === 'all' ? check.shapeOf(node.expression) : undefined;
  if (shape === undefined) return '';
  const types = alternatives(shape).map((one) => (one.kind === 'fhir' ? one.type : ''));
  if (type.name === 'CodeableConcept' && types.every((name) => name === 'Coding'))
    return ': put it into the list coding';
  const areResources = types.every((name) => name !== '' && fhirR4().isA(name, 'Resource'));
  return type.name === 'Reference' && areResources ? ': put .reference() behind it' : '';
}

function checkContent(node: ValueNode, known: TypedSlot): Problems {
  if (node.kind === 'object') return known.check.object(node, known.type, known.slot);
  if (node.kind === 'constant') return checkConstant(node, known);
  return node.kind === 'text' ? checkText(node, known) : checkExpression(node.expression, known);
}

/** Markup in a text of the input would be markup in the chart. */
function checkText({ parts }: Of<'text'>, { slot, type, check }: TypedSlot): Problems {
  if (type.name !== 'xhtml') return [];
  return parts.flatMap((part) => {
    if (typeof part === 'string' || !isAsGiven(check.shapeOf(part.expression))) return [];
    return problemAt(
      part.expression.place,
      `${slot.path} is xhtml; this is a plain text: put .escape('html') behind it`,
    );
  });
}

/** True for the placeholder of a part that could not be parsed. */
function isNothing(node: ValueNode): boolean {
  return node.kind === 'first' && node.expression.node.kind === 'empty';
}

/** `a text`, `a CodeableConcept`, `a list of objects` */
function expected({ count }: Slot, type: FhirType): string {
  const kind = type.kind === 'primitive' ? kindOfPrimitive(type.name) : 'object';
  if (count !== 'one') return `a list of ${PLURALS[kind]}`;
  return kind === 'object' && !type.name.includes('.') ? withArticle(type.name) : kindWords(kind);
}

const PLURALS: Readonly<Record<Kind, string>> = {
  text: 'texts',
  number: 'numbers',
  boolean: 'true or false',
  object: 'objects',
  table: 'tables',
};

/** The words for the wrong kind of value; undefined if it may be right. */
function wrongKind(node: ValueNode, { type, check }: TypedSlot): string | undefined {
  if (node.kind === 'object') return type.kind === 'primitive' ? kindWords('object') : undefined;
  const shape = shapeOf(node, check);
  const all = alternatives(shape);
  if (type.kind !== 'primitive') return all.every((one) => isNoObjectOf(one, type)) ? describeShape(shape) : undefined;
  const kind = kindOf(shape);
  return kind === undefined || kind === kindOfPrimitive(type.name) ? undefined : describeShape(shape);
}

function shapeOf(node: Exclude<ValueNode, Of<'object'>>, { shapeOf: shapeOfExpression }: TargetCheck): Shape {
  if (node.kind === 'text') return TEXT;
  if (node.kind !== 'constant') return shapeOfExpression(node.expression);
  return {
    kind: 'primitive',
    type: typeof node.value === 'string' ? 'string' : typeof node.value === 'boolean' ? 'boolean' : 'decimal',
  };
}

function isNoObjectOf(shape: Shape, { name }: FhirType): boolean {
  if (shape.kind === 'fhir') return !fhirR4().isA(shape.type, name) && !fhirR4().isA(name, shape.type);
  return shape.kind === 'primitive' || shape.kind === 'table';
}

function checkConstant({ value, place }: Of<'constant'>, { slot, type }: TypedSlot): Problems {
  if (value === null) return [];
  const isCode = typeof value === 'string' && slot.codes !== undefined;
  const problem = isCode
    ? codeProblem(value, allCodes(slot.codes ?? {}), slot.path)
    : constantProblem(value, type.name, slot.path);
  return problemAt(place, problem);
}

function checkExpression(expression: Expression, known: TypedSlot): Problems {
  const { slot, type, check } = known;
  const shape = check.shapeOf(expression);
  const problems = [
    ...literalTexts(shape).map((text) =>
      slot.codes ? codeProblem(text, allCodes(slot.codes), slot.path) : constantProblem(text, type.name, slot.path),
    ),
    ...alternatives(shape).map((one) => {
      if (one.kind === 'primitive') return primitiveProblem(one, known);
      return one.kind === 'fhir' ? targetProblem(one.target, slot) : memberProblem(one, known);
    }),
  ];
  return problems.flatMap((problem) => problemAt(expression.place, problem));
}

/** For each element type: the types that are never right there, and what to do instead. */
const NEVER: Readonly<Record<string, { readonly types: readonly string[]; readonly hint: string }>> = {
  date: { types: ['instant', 'time'], hint: 'put .toDate() behind it' },
  dateTime: { types: ['time'], hint: 'it needs a day' },
  instant: { types: ['date', 'dateTime', 'time'], hint: 'put .instant() behind it' },
  time: { types: ['date', 'dateTime', 'instant'], hint: 'put .toTime() behind it' },
};

/** Types that an unchanged text of the input never has. */
const NEEDS_FUNCTION: Readonly<Record<string, string>> = { xhtml: 'xhtml()', base64Binary: 'base64()' };

function primitiveProblem(shape: PrimitiveShape, { slot, type }: TypedSlot): string | undefined {
  if (shape.isLiteral) return undefined;
  const never = Object.hasOwn(NEVER, type.name) ? NEVER[type.name] : undefined;
  if (never?.types.includes(shape.type)) {
    return `${slot.path} is ${withArticle(type.name)}; this is ${withArticle(shape.type)}: ${never.hint}`;
  }
  const wanted = Object.hasOwn(NEEDS_FUNCTION, type.name) ? NEEDS_FUNCTION[type.name] : undefined;
  if (wanted !== undefined && shape.isAsGiven) {
    return `${slot.path} is ${type.name}; this is a plain text: put .${wanted} behind it`;
  }
  const { codes } = slot;
  if (codes === undefined || shape.codes === undefined) return undefined;
  const allowed = allCodes(codes);
  if (shape.codes.some((code) => allowed.includes(code))) return undefined;
  return `${lastName(slot.path)} is ${allowed.slice(0, 12).join(' | ')}; this is never one of them`;
}

/** `Condition.asserter cannot refer to a Device: it takes Practitioner | Patient` */
export function targetProblem(target: string | undefined, { path, type }: Slot): string | undefined {
  if (target === undefined || type?.targets === undefined || type.targets.includes(target)) return undefined;
  return `${path} cannot refer to ${withArticle(target)}: it takes ${type.targets.join(' | ')}`;
}

function memberProblem(shape: Shape, { slot, type }: TypedSlot): string | undefined {
  if (shape.kind !== 'object' || type.isAbstract) return undefined;
  const wrong = [...shape.members.keys()].find(
    (name) => !type.members.has(name.replace(/^_/, '')) && name !== 'resourceType',
  );
  if (wrong === undefined) return undefined;
  const hint = didYouMean(wrong, type.members.keys());
  return `${slot.path} is ${withArticle(type.name)}: this has ${wrong}, which is no element of it${hint}`;
}
