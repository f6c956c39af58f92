// Checks that a mapping makes what its document needs: a FHIR R4 resource, or, for the AI notice, a text. Resources inside are
// checked too: every object with a `resourceType`.
import type { Expression, MappingNode } from '../language/mapping-tree.ts';
import { didYouMean } from '../suggest.ts';
import { canSet, checkObject } from './check-object.ts';
import { checkValue } from './check-value.ts';
import { fhirR4 } from './fhir-r4.ts';
import { alternatives, describeShape, kindOf, type Shape } from './shape.ts';
import { branchParts, type ObjectNode, type Problems, problemAt, type Slot, type TargetCheck } from './target-slot.ts';

export type TargetParts = {
  readonly tree: MappingNode;
  readonly shapeOf: (expression: Expression) => Shape;
  /** What the mapping must make. */
  readonly makes: 'resource' | 'text';
};

export function checkTarget({ tree, shapeOf, makes }: TargetParts): Problems {
  const check = makeCheck(makes === 'resource', shapeOf);
  return makes === 'text' ? checkNotice(tree, check) : checkRoot(tree, check);
}

function makeCheck(needsElements: boolean, shapeOf: TargetParts['shapeOf']): TargetCheck {
  const check: TargetCheck = {
    shapeOf,
    needsElements,
    value: (node, slot) => checkValue(node, slot, check),
    object: (node, type, slot) =>
      type.kind === 'resource' ? check.resource(node, slot) : checkObject(node, type, slot, check),
    resource: (node, slot) => checkResource(node, slot, check),
    // It is merged with other parts later, so a missing element is no problem here.
    anything: (node) => checkAnything(node, needsElements ? makeCheck(false, shapeOf) : check),
  };
  return check;
}

/** A document is one resource. */
function checkRoot(node: MappingNode, check: TargetCheck): Problems {
  switch (node.kind) {
    case 'assign':
      return [...node.assignments.flatMap(({ value }) => check.anything(value)), ...checkRoot(node.body, check)];
    case 'branch':
      return branchParts(node.branch).flatMap((part) => checkRoot(part, check));
    case 'object':
      return check.resource(node, rootSlot(node));
    default:
      return problemAt(node.place, isNoResource(node, check) ? notOneResource(node, check) : undefined);
  }
}

function isNoResource(node: MappingNode, { shapeOf }: TargetCheck): boolean {
  if (node.kind === 'constant') return node.value !== null;
  if (node.kind !== 'first') return true;
  return alternatives(shapeOf(node.expression)).every((shape) => {
    if (shape.kind === 'fhir') return !fhirR4().isA(shape.type, 'Resource');
    return shape.kind === 'primitive' || shape.kind === 'table';
  });
}

function notOneResource(node: MappingNode, { shapeOf }: TargetCheck): string {
  const isSingle = node.kind === 'text' || node.kind === 'constant';
  const what = node.kind === 'first' ? describeShape(shapeOf(node.expression)) : isSingle ? 'a text' : 'a list';
  return `this document is one FHIR resource; this is ${what}`;
}

function checkNotice(node: MappingNode, check: TargetCheck): Problems {
  if (node.kind === 'assign') return checkNotice(node.body, check);
  if (node.kind === 'branch') return branchParts(node.branch).flatMap((part) => checkNotice(part, check));
  const kind = node.kind === 'first' ? (kindOf(check.shapeOf(node.expression)) ?? 'text') : undefined;
  const isText = node.kind === 'constant' ? typeof node.value === 'string' : node.kind === 'text' || kind === 'text';
  return problemAt(node.place, isText ? undefined : 'notice makes the AI notice: a text');
}

function rootSlot(node: ObjectNode): Slot {
  return { path: '', place: node.place, type: { type: 'Resource' }, count: 'one' };
}

/** The type comes from `resourceType`; without a constant there it can be any resource. */
function checkResource(node: ObjectNode, slot: Slot, check: TargetCheck): Problems {
  const own = node.keys.find(({ key }) => key === 'resourceType')?.value;
  const name = own?.kind === 'constant' ? String(own.value) : sharedResourceType(node);
  if (name === undefined) {
    const isMissing = own === undefined && !canSet(node, 'resourceType');
    const message = `${slot.path || 'this document'} is a FHIR resource: it needs resourceType`;
    return [...problemAt(slot.place, isMissing ? message : undefined), ...checkInside(node, check)];
  }
  const { resourceTypes, type } = fhirR4();
  const definition = resourceTypes.includes(name) ? type(name) : undefined;
  if (definition === undefined) {
    const message = `${name} is no resource type of FHIR R4${didYouMean(name, resourceTypes)}`;
    return [...problemAt(own?.place ?? node.place, message), ...checkInside(node, check)];
  }
  return checkObject(node, definition, { path: name, place: slot.place, type: { type: name }, count: 'one' }, check);
}

/** The value that the parts merged over an object write, if all of them write the same. */
function sharedResourceType({ merge, branch }: ObjectNode): string | undefined {
  const [first, ...others] = new Set([...(merge ?? []), ...branchParts(branch)].flatMap(resourceTypesIn));
  return others.length === 0 ? first : undefined;
}

function resourceTypesIn(node: MappingNode): readonly string[] {
  if (node.kind === 'assign') return resourceTypesIn(node.body);
  if (node.kind === 'branch') return branchParts(node.branch).flatMap(resourceTypesIn);
  if (node.kind !== 'object') return [];
  const value = node.keys.find(({ key }) => key === 'resourceType')?.value;
  if (value?.kind === 'constant') return [String(value.value)];
  return [...(node.merge ?? []), ...branchParts(node.branch)].flatMap(resourceTypesIn);
}

/** Finds resources inside any part. */
function checkAnything(node: MappingNode, check: TargetCheck): Problems {
  const isResource = node.kind === 'object' && new Set(resourceTypesIn(node)).size === 1;
  return isResource ? check.resource(node, rootSlot(node)) : checkInside(node, check);
}

function checkInside(node: MappingNode, check: TargetCheck): Problems {
  return partsOf(node).flatMap((part) => check.anything(part));
}

function partsOf(node: MappingNode): readonly MappingNode[] {
  switch (node.kind) {
    case 'list':
      return node.items;
    case 'object':
      return [...node.keys.map(({ value }) => value), ...(node.merge ?? []), ...branchParts(node.branch)];
    case 'branch':
      return branchParts(node.branch);
    case 'for':
    case 'context':
      return [node.body];
    case 'assign':
      return [...node.assignments.map(({ value }) => value), node.body];
    default:
      return [];
  }
}
