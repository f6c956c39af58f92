// The elements of the types of FHIR R4, in the form that the check of a resource needs; a type is converted at its first use.
import { type CompactElement, readFhirR4, splitType } from '../../validation/fhir-r4.ts';

export type ElementRule = {
  /** The name in JSON: `onsetDateTime`. */
  readonly name: string;
  /** The name in the definition: `onset[x]`. All elements of a choice share it. */
  readonly element: string;
  /** `dateTime`, `Identifier`; `Condition.evidence` for a type defined in place; `Resource` for any resource. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly isList: boolean;
  /** The value set of a required binding. */
  readonly valueSet: string | undefined;
};

export type TypeRules = ReadonlyMap<string, ElementRule>;

const known = new Map<string, TypeRules>();
const CODED: ReadonlySet<string> = new Set(['code', 'Coding', 'CodeableConcept']);
const PRIMITIVE = /^[a-z]/;

export function isPrimitive(type: string): boolean {
  return PRIMITIVE.test(type);
}

export function isResource(rules: TypeRules): boolean {
  return rules.has('implicitRules');
}

/** The elements of a resource, a data type or a part of one (`Condition.evidence`); undefined if FHIR R4 has no such type. */
export function rulesOf(type: string): TypeRules | undefined {
  if (!known.has(type)) load(type.split('.')[0] ?? type);
  return known.get(type);
}

function load(name: string): void {
  const { types } = readFhirR4();
  const type = Object.hasOwn(types, name) && /^[A-Z]/.test(name) ? types[name] : undefined;
  // `Element` is the type of a primitive's extensions; no concrete resource has the type `Resource`.
  if (!type || (type.abstract && name !== 'Element')) return;
  const { elements } = type;
  const parents = new Set(elements.map(({ path }) => parentOf(path)));
  for (const parent of parents) {
    const children = elements.filter(({ path }) => parentOf(path) === parent && path.includes('.'));
    const rules = children.flatMap((element) => rulesFor(element, parents));
    known.set(parent, new Map(rules.map((rule) => [rule.name, rule])));
  }
}

function parentOf(path: string): string {
  const dot = path.lastIndexOf('.');
  return dot < 0 ? path : path.slice(0, dot);
}

function rulesFor(definition: CompactElement, parents: ReadonlySet<string>): readonly ElementRule[] {
  const { path, min = 0, max = '1', baseMax = max, valueSet, contentReference, types = [] } = definition;
  const element = path.slice(path.lastIndexOf('.') + 1);
  const codes = types.map((word) => splitType(word).code);
  const common = {
    element,
    isRequired: min > 0,
    // A profile such as Age may limit a list to one item; in JSON it remains a list.
    isList: baseMax !== '1',
    valueSet: codes.some((code) => CODED.has(code)) ? valueSet : undefined,
  };
  if (max === '0') return [];
  if (contentReference !== undefined) {
    return [{ ...common, name: element, type: contentReference.slice(contentReference.indexOf('#') + 1) }];
  }
  return codes.map((code) => {
    const name = element.replace('[x]', code.charAt(0).toUpperCase() + code.slice(1));
    return { ...common, name, type: parents.has(path) ? path : code };
  });
}
