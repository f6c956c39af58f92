// Checks that an object has only elements of FHIR, each once, and all that FHIR requires.
import { isDashed } from '../language/block-keys.ts';
import type { MappingNode, ObjectKey } from '../language/mapping-tree.ts';
import { didYouMean } from '../suggest.ts';
import { codeProblem } from './check-constant.ts';
import { targetProblem } from './check-value.ts';
import { choiceMember, type FhirElement, type FhirType, fhirR4 } from './fhir-r4.ts';
import { isPrimitive } from './shape.ts';
import {
  branchParts,
  type ObjectNode,
  type Problems,
  problemAt,
  type Slot,
  slotOf,
  type TargetCheck,
} from './target-slot.ts';

type Parts = { readonly type: FhirType; readonly slot: Slot; readonly check: TargetCheck };

export function checkObject(node: ObjectNode, type: FhirType, slot: Slot, check: TargetCheck): Problems {
  const parts = { type, slot, check };
  const isEmpty = node.keys.length === 0 && node.merge === undefined && node.branch === undefined;
  if (isEmpty) return problemAt(slot.place, `an empty object is nothing: leave ${slot.path} out`);
  return [...checkKeys(node, parts), ...(check.needsElements ? missingElements(node, parts) : [])];
}

/** The keys of the object and of everything that is merged over them. */
function checkKeys(node: ObjectNode, parts: Parts): Problems {
  const { keys } = node;
  const over = [...(node.merge ?? []), ...branchParts(node.branch)];
  return [
    ...keys.flatMap((key) => checkKey(key, parts)),
    ...doubleChoices(keys, parts),
    ...checkReference(keys, parts),
    ...checkCoding(keys, parts),
    ...over.flatMap((part) => checkPart(part, parts)),
  ];
}

function checkPart(node: MappingNode, parts: Parts): Problems {
  switch (node.kind) {
    case 'assign': {
      const assigned = node.assignments.flatMap(({ value }) => parts.check.anything(value));
      return [...assigned, ...checkPart(node.body, parts)];
    }
    case 'object':
      return checkKeys(node, parts);
    case 'branch':
      return branchParts(node.branch).flatMap((part) => checkPart(part, parts));
    default:
      return [];
  }
}

function checkKey({ key, keyPlace, value }: ObjectKey, { type, slot, check }: Parts): Problems {
  if (key === 'resourceType') return [];
  const path = `${slot.path}.${key}`;
  const member = type.members.get(key);
  if (member !== undefined) {
    const own = slotOf(member, path, keyPlace);
    // The codes of a CodeableConcept are those of its codings.
    const passesCodes = type.name === 'CodeableConcept' && key === 'coding';
    return check.value(value, { ...own, ...(passesCodes && slot.codes && { codes: slot.codes }) });
  }
  const beside = key.startsWith('_') ? type.members.get(key.slice(1)) : undefined;
  if (beside !== undefined && isPrimitive(beside.type?.type)) {
    const count = beside.element.isList ? 'list' : 'one';
    return check.value(value, { path, place: keyPlace, type: { type: 'Element' }, count });
  }
  return [...problemAt(keyPlace, unknownElement(key, type)), ...check.anything(value)];
}

function unknownElement(key: string, type: FhirType): string {
  if (isDashed(key)) return `${key} is no element of ${type.name}: a space is missing behind the -`;
  const choice = type.elements.get(key);
  const [first, ...others] = choice?.isChoice ? choice.types : [];
  if (first === undefined) return `${key} is no element of ${type.name}${didYouMean(key, type.members.keys())}`;
  const more = others.length > 0 ? ' …' : '';
  return `${key} of ${type.name} is written with its type: ${choiceMember(key, first.type)}${more}`;
}

/** Reports two elements of one choice, such as `valueString` beside `valueCode`, if every input makes both. */
function doubleChoices(keys: readonly ObjectKey[], { type }: Parts): Problems {
  const written = new Map<FhirElement, string>();
  return keys.flatMap(({ key, keyPlace, value }) => {
    const element = type.members.get(key)?.element;
    if (!element?.isChoice || !isCertain(value)) return [];
    const other = written.get(element);
    written.set(element, other ?? key);
    const message = `${key}: only one ${element.name}[x] can be written, and ${other} is there already`;
    return problemAt(keyPlace, other === undefined ? undefined : message);
  });
}

/** True if every input makes the element. */
function isCertain(node: MappingNode): boolean {
  switch (node.kind) {
    case 'constant':
      return node.value !== null;
    case 'list':
      return node.items.some(isCertain);
    case 'object':
      return node.keys.some(({ value }) => isCertain(value));
    case 'branch':
      return node.branch.otherwise !== undefined && branchParts(node.branch).every(isCertain);
    case 'assign':
      return isCertain(node.body);
    default:
      return false;
  }
}

/** Checks `reference: Patient/1`: the type exists, and this element may refer to it. */
function checkReference(keys: readonly ObjectKey[], { type, slot }: Parts): Problems {
  const value = type.name === 'Reference' ? keys.find(({ key }) => key === 'reference')?.value : undefined;
  const target = /^([A-Za-z]+)\//.exec((value && constantStart(value)) ?? '')?.[1];
  if (value === undefined || target === undefined) return [];
  const { resourceTypes } = fhirR4();
  if (resourceTypes.includes(target)) return problemAt(value.place, targetProblem(target, slot));
  return problemAt(value.place, `${target} is no resource type of FHIR R4${didYouMean(target, resourceTypes)}`);
}

function constantStart(node: MappingNode): string | undefined {
  const start = node.kind === 'text' ? node.parts[0] : node.kind === 'constant' ? node.value : undefined;
  return typeof start === 'string' ? start : undefined;
}

/** Checks a code of one of the code systems that the element is bound to. */
function checkCoding(keys: readonly ObjectKey[], { type, slot }: Parts): Problems {
  if (type.name !== 'Coding' || slot.codes === undefined) return [];
  const [system, code] = ['system', 'code'].map((name) => keys.find(({ key }) => key === name)?.value);
  if (system?.kind !== 'constant' || code?.kind !== 'constant' || typeof code.value !== 'string') return [];
  const codes = Object.entries(slot.codes).find(([name]) => name === system.value)?.[1];
  return problemAt(code.place, codes && codeProblem(code.value, codes, 'code'));
}

function missingElements(node: ObjectNode, { type, slot }: Parts): Problems {
  return [...type.elements.values()].flatMap((element) => {
    if (!element.isRequired) return [];
    const names = element.isChoice
      ? element.types.map((choice) => choiceMember(element.name, choice.type))
      : [element.name];
    const isPossible = names.some((name) => canSet(node, name) || canSet(node, `_${name}`));
    const shown = names.length > 3 ? `${names.slice(0, 3).join(' or ')} …` : names.join(' or ');
    return problemAt(slot.place, isPossible ? undefined : `${slot.path} needs ${shown}`);
  });
}

/** True if some branch of the mapping writes this element. A part of unknown shape may write any element. */
export function canSet(node: MappingNode, name: string): boolean {
  switch (node.kind) {
    case 'object': {
      const over = [...(node.merge ?? []), ...branchParts(node.branch)];
      return node.keys.some(({ key }) => key === name || key === `-${name}`) || over.some((part) => canSet(part, name));
    }
    case 'branch':
      return branchParts(node.branch).some((part) => canSet(part, name));
    case 'assign':
      return canSet(node.body, name);
    case 'list':
      return node.items.some((item) => canSet(item, name));
    case 'constant':
    case 'text':
      return false;
    default:
      return true;
  }
}
