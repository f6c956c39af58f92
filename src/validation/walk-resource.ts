// Checks one resource against the definitions of its type, element by element: unknown, missing, empty or doubled elements, wrong
// shapes and formats; codes, references and narratives on the way. Recursion is safe, because the size was checked before.
import type { CodeSets } from './code-sets.ts';
import { checkCodes } from './coded-values.ts';
import type { Definitions, Property, TypeDefinition } from './definitions.ts';
import { narrativeProblems } from './narrative.ts';
import { primitiveProblem, primitiveWarning } from './primitive-value.ts';
import { type Container, checkReference, type Targets } from './references.ts';
import { isElementName, type Report } from './resource-problem.ts';
import { checkType } from './type-rules.ts';

export type Walk = {
  readonly definitions: Definitions;
  readonly codeSets: CodeSets;
  readonly targets: Targets;
  readonly report: Report;
};

/** A walk inside a resource whose contained resources a `#` points to. */
type Inside = Walk & { readonly container: Container };

/** Types that can point into the resource as a Reference does. */
const URIS = new Set(['canonical', 'uri', 'url']);

type JsonObject = Readonly<Record<string, unknown>>;

type Place = {
  /** Absent: it is the resource itself. */
  readonly element?: string;
  /** The resource around a contained one. Other resources have contained resources of their own. */
  readonly container?: Container;
};

export function walkResource(walk: Walk, resource: unknown, { element, container }: Place = {}): void {
  if (!isObject(resource)) {
    walk.report.error(element ?? 'Resource', 'must be a resource: an object with a resourceType');
    return;
  }
  const { resourceType } = resource;
  const type = typeof resourceType === 'string' ? walk.definitions.typeOf(resourceType) : undefined;
  if (type === undefined || !walk.definitions.isResourceType(type.name)) {
    walk.report.error(element ?? 'Resource', 'has no resourceType that FHIR R4 knows');
    return;
  }
  const inside = { ...walk, container: container ?? containerOf(walk, type.name, resource) };
  walkObject(inside, type, resource, element ?? type.name);
  if (container === undefined) reportUnused(inside, element ?? type.name);
}

/** FHIR's dom-3: a contained resource is referred to, or refers to the resource around it. */
function reportUnused({ container: { byId, used }, report }: Inside, element: string): void {
  if (!used.has('') && [...byId.keys()].some((id) => !used.has(id))) {
    report.error(`${element}.contained`, 'has a resource that nothing here points to');
  }
}

function containerOf({ definitions }: Walk, type: string, { contained }: JsonObject): Container {
  const byId = new Map<string, string | undefined>();
  for (const inner of Array.isArray(contained) ? contained.filter(isObject) : []) {
    const { id, resourceType } = inner;
    const isKnown = typeof resourceType === 'string' && definitions.isResourceType(resourceType);
    if (typeof id === 'string') byId.set(id, isKnown ? resourceType : undefined);
  }
  return { type, byId, used: new Set() };
}

function walkObject(walk: Inside, type: TypeDefinition, value: JsonObject, element: string): void {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) walk.report.error(element, 'is empty; leave the element out');
  const chosen = new Map<string, string>();
  for (const [key, member] of members) {
    if (key === 'resourceType' && type.isResource) continue;
    const property = propertyOf(type, key);
    if (property === undefined) {
      reportUnknown(walk, { type, key, element });
      continue;
    }
    const other = chosen.get(property.element);
    if (other !== undefined && other !== property.name) {
      walk.report.error(`${element}.${key}`, `may not be there together with ${other}: only one of them`);
    }
    chosen.set(property.element, property.name);
    const isSibling = key !== property.name;
    if (isSibling) walkSibling(walk, property, member, { element: `${element}.${key}`, values: value[property.name] });
    else walkMember(walk, property, member, { element: `${element}.${key}`, siblings: value[`_${key}`] });
  }
  for (const [name, keys] of type.required) {
    if (!chosen.has(name)) walk.report.error(`${element}.${name.replace('[x]', '')}`, missing(keys));
  }
  checkType(type.name, value, { element, report: walk.report });
}

/** `_birthDate` belongs to `birthDate`; only primitives have such a sibling. */
function propertyOf(type: TypeDefinition, key: string): Property | undefined {
  const property = type.properties.get(key);
  if (property !== undefined || !key.startsWith('_')) return property;
  const plain = type.properties.get(key.slice(1));
  return plain?.isPrimitive ? plain : undefined;
}

function reportUnknown(walk: Inside, at: { type: TypeDefinition; key: string; element: string }): void {
  const { type, key, element } = at;
  if (isElementName(key)) walk.report.error(`${element}.${key}`, `is no element of ${type.name}`);
  else walk.report.error(element, 'has an element whose name is not one of FHIR');
}

function missing(keys: readonly string[]): string {
  return keys.length > 1 && keys.length < 10 ? `is missing: one of ${keys.join(', ')}` : 'is missing';
}

type MemberPlace = { readonly element: string; readonly siblings: unknown };

function walkMember(walk: Inside, property: Property, member: unknown, { element, siblings }: MemberPlace): void {
  if (member === null) {
    walk.report.error(element, 'is null; leave the element out');
  } else if (property.isArray !== Array.isArray(member)) {
    walk.report.error(element, property.isArray ? 'must be a list' : 'must be one value, not a list');
  } else if (!Array.isArray(member)) {
    walkValue(walk, property, member, element);
  } else if (member.length === 0) {
    walk.report.error(element, 'is an empty list; leave the element out');
  } else {
    // By number: a list with holes has values that no iteration over its entries would show.
    for (let index = 0; index < member.length; index += 1) {
      const item: unknown = member[index];
      const isExplained = property.isPrimitive && Array.isArray(siblings) && isObject(siblings[index]);
      if (item !== null && item !== undefined) walkValue(walk, property, item, `${element}[${index}]`);
      else if (!isExplained) walk.report.error(`${element}[${index}]`, 'is null; leave it out of the list');
    }
  }
}

function walkValue(walk: Inside, property: Property, value: unknown, element: string): void {
  if (property.isPrimitive) {
    checkPrimitive(walk, property, value, element);
  } else if (property.type === 'Resource') {
    const isContained = property.element === 'contained';
    walkResource(walk, value, { element, ...(isContained && { container: walk.container }) });
  } else if (!isObject(value)) {
    walk.report.error(element, `must be an object: ${property.type}`);
  } else {
    const type = walk.definitions.typeOf(property.type);
    if (type !== undefined) walkObject(walk, type, value, element);
    checkCodes({ ...walk, property, value, element });
    if (property.type === 'Reference') checkReference({ ...walk, value, element, allowed: property.targets });
  }
}

function checkPrimitive(walk: Inside, property: Property, value: unknown, element: string): void {
  const problem = primitiveProblem(property.type, value);
  if (problem !== undefined) {
    walk.report.error(element, problem);
    return;
  }
  const warning = primitiveWarning(property.type, value);
  if (warning !== undefined) walk.report.warning(element, warning);
  checkCodes({ ...walk, property, value, element });
  if (typeof value === 'string' && value.startsWith('#') && URIS.has(property.type))
    walk.container.used.add(value.slice(1));
  if (property.type !== 'xhtml' || typeof value !== 'string') return;
  for (const wrong of narrativeProblems(value)) walk.report.error(element, wrong);
}

/** The ids and extensions of primitives: `_birthDate`, or a list that goes along with that of the values. */
function walkSibling(
  walk: Inside,
  property: Property,
  sibling: unknown,
  { element, values }: { readonly element: string; readonly values: unknown },
): void {
  const type = walk.definitions.typeOf('Element');
  if (property.isArray !== Array.isArray(sibling)) {
    walk.report.error(element, property.isArray ? 'must be a list' : 'must be one value, not a list');
    return;
  }
  const items: readonly unknown[] = Array.isArray(sibling) ? sibling : [sibling];
  if (items.length === 0) walk.report.error(element, 'is an empty list; leave the element out');
  if (Array.isArray(values) && items.length > values.length) walk.report.error(element, 'is longer than its values');
  for (const [index, item] of items.entries()) {
    const place = Array.isArray(sibling) ? `${element}[${index}]` : element;
    if (isObject(item) && type !== undefined) walkObject(walk, type, item, place);
    else if (item !== null || !Array.isArray(values))
      walk.report.error(place, 'must be an object with an id or extensions');
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
