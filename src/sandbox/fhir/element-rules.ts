// What FHIR R4 says of the elements of one type, in the form that a look at a resource needs: read from the published definition when the
// type is met for the first time.
import type { ElementDefinition, ElementDefinitionType, StructureDefinition } from '@medplum/fhirtypes';
import { publishedDefinition } from './published-definitions.ts';

export type ElementRule = {
  /** As in the JSON: `onsetDateTime`. */
  readonly name: string;
  /** As in the definition: `onset[x]`. Those of one choice have the same. */
  readonly element: string;
  /** `dateTime`, `Identifier`; `Condition.evidence` for what is defined in place; `Resource` for any. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly isList: boolean;
  /** Where FHIR leaves no choice of codes. */
  readonly valueSet: string | undefined;
};

export type TypeRules = ReadonlyMap<string, ElementRule>;

const known = new Map<string, TypeRules>();
const CODED: ReadonlySet<string> = new Set(['code', 'Coding', 'CodeableConcept']);
const PRIMITIVE = /^[a-z]/;
const TYPE_OF_STRING = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type';

export function isPrimitive(type: string): boolean {
  return PRIMITIVE.test(type);
}

export function isResource(rules: TypeRules): boolean {
  return rules.has('implicitRules');
}

/** Of a resource, a data type or a part of one (`Condition.evidence`), by name in the JSON; undefined: FHIR R4 has no such type. */
export function rulesOf(type: string): TypeRules | undefined {
  if (!known.has(type)) load(type.split('.')[0] ?? type);
  return known.get(type);
}

function load(name: string): void {
  if (!/^[A-Z][A-Za-z]*$/.test(name)) return;
  const definition = (publishedDefinition('profiles-types', `StructureDefinition/${name}`) ??
    publishedDefinition('profiles-resources', `StructureDefinition/${name}`)) as StructureDefinition | undefined;
  // `Element` is what stands beside primitives; no resource is just a `Resource`.
  if (!definition || (definition.abstract && name !== 'Element')) return;
  const elements = definition.snapshot?.element ?? [];
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

function rulesFor(definition: ElementDefinition, parents: ReadonlySet<string>): readonly ElementRule[] {
  const { path, min = 0, max, binding, contentReference, type = [], base } = definition;
  const element = path.slice(path.lastIndexOf('.') + 1);
  const isCoded = type.some(({ code = '' }) => CODED.has(code));
  const common = {
    element,
    isRequired: min > 0,
    // A profile on a type, such as Age, may narrow a list to one: it is a list all the same.
    isList: (base?.max ?? max) !== '1',
    valueSet: isCoded && binding?.strength === 'required' ? binding.valueSet?.split('|')[0] : undefined,
  };
  if (max === '0') return [];
  if (contentReference !== undefined) {
    return [{ ...common, name: element, type: contentReference.slice(contentReference.indexOf('#') + 1) }];
  }
  return type.map((one) => {
    const code = codeOf(one);
    const name = element.replace('[x]', code.charAt(0).toUpperCase() + code.slice(1));
    return { ...common, name, type: parents.has(path) ? path : code };
  });
}

function codeOf({ code = '', extension = [] }: ElementDefinitionType): string {
  if (!code.startsWith('http://hl7.org/fhirpath/')) return code;
  return extension.find(({ url }) => url === TYPE_OF_STRING)?.valueUrl ?? 'string';
}
