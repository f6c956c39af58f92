// The types of FHIR R4 in the form that the walk needs. The first call also hands them to Medplum's validator, which checks the
// invariants; it takes a quarter of a second, so call it in a worker.
import { getAllDataTypes, type InternalSchemaElement, indexStructureDefinitionBundle } from '@medplum/core';
import type { ElementDefinition, StructureDefinition } from '@medplum/fhirtypes';
import { type CompactElement, type CompactType, readFhirR4, splitType } from './fhir-r4.ts';

export type Property = {
  /** As in the JSON: `onsetDateTime`. */
  readonly name: string;
  /** As in the definition: `onset[x]`. Properties of one choice have the same. */
  readonly element: string;
  readonly type: string;
  readonly isArray: boolean;
  readonly isPrimitive: boolean;
  /** The value set of a required binding. */
  readonly requiredValueSet: string | undefined;
  /** The resources that a reference may point to; undefined: any. */
  readonly targets: readonly string[] | undefined;
};

export type TypeDefinition = {
  readonly name: string;
  readonly isResource: boolean;
  readonly properties: ReadonlyMap<string, Property>;
  /** For each required element: the properties of which one must be present. */
  readonly required: ReadonlyMap<string, readonly string[]>;
};

export type Definitions = {
  readonly typeOf: (name: string) => TypeDefinition | undefined;
  readonly isResourceType: (name: string) => boolean;
};

const BASE_URL = 'http://hl7.org/fhir/StructureDefinition/';
const PRIMITIVES = new Set([
  ...[
    'base64Binary',
    'boolean',
    'canonical',
    'code',
    'date',
    'dateTime',
    'decimal',
    'id',
    'instant',
    'integer',
    'markdown',
  ],
  ...['oid', 'positiveInt', 'string', 'time', 'unsignedInt', 'uri', 'url', 'uuid', 'xhtml'],
]);

let loaded: Definitions | undefined;

export function loadDefinitions(): Definitions {
  loaded ??= load();
  return loaded;
}

function load(): Definitions {
  indexStructureDefinitionBundle(Object.entries(readFhirR4().types).map(toStructure));
  const schemas = new Map(Object.entries(getAllDataTypes()));
  // Types that only Medplum's server has do not count.
  const isResource = (name: string): boolean => {
    const schema = schemas.get(name);
    return schema?.kind === 'resource' && schema.url === `${BASE_URL}${name}` && !ABSTRACT.has(name);
  };
  const types = new Map<string, TypeDefinition>();
  return {
    isResourceType: isResource,
    typeOf(name) {
      const known = types.get(name);
      if (known !== undefined) return known;
      const schema = schemas.get(name);
      if (schema === undefined) return undefined;
      const type = defineType(name, schema.elements, isResource(name));
      types.set(name, type);
      return type;
    },
  };
}

/** The members of a StructureDefinition that Medplum's validator reads. */
function toStructure([name, { kind, type = name, abstract = false, elements }]: [
  string,
  CompactType,
]): StructureDefinition {
  return {
    resourceType: 'StructureDefinition',
    url: `${BASE_URL}${name}`,
    status: 'active',
    name,
    kind,
    type,
    abstract,
    snapshot: { element: elements.map(toElement) },
  };
}

function toElement(element: CompactElement): ElementDefinition {
  const { path, min = 0, max = '1', baseMax = max, types = [], contentReference, valueSet, rules } = element;
  const { invariants } = readFhirR4();
  return {
    path,
    min,
    max,
    base: { path, min, max: baseMax },
    definition: '',
    ...(contentReference !== undefined && { contentReference }),
    type: types.map((word) => {
      const { code, targets } = splitType(word);
      return { code, ...(targets.length > 0 && { targetProfile: targets.map((target) => BASE_URL + target) }) };
    }),
    ...(valueSet !== undefined && { binding: { strength: 'required', valueSet } }),
    constraint: (rules?.split(' ') ?? []).map((name) => {
      const [expression = '', human = ''] = invariants[name] ?? [];
      return { key: name.replace(/@.*$/, ''), severity: 'error', human, expression };
    }),
  };
}

const ABSTRACT = new Set(['Resource', 'DomainResource']);

function defineType(
  name: string,
  elements: Readonly<Record<string, InternalSchemaElement>>,
  isResource: boolean,
): TypeDefinition {
  const allowed = Object.entries(elements).filter(([, schema]) => schema.max > 0);
  const byElement = allowed.map(([element, schema]) => {
    const properties = propertiesOf(element, schema);
    // The definitions say `string`, and mean the `id` that a URL can have.
    const isId = isResource && element === 'id';
    return [element, isId ? properties.map((property) => ({ ...property, type: 'id' })) : properties] as const;
  });
  const required = byElement.filter(([element]) => (elements[element]?.min ?? 0) > 0);
  return {
    name,
    isResource,
    properties: new Map(byElement.flatMap(([, properties]) => properties.map((property) => [property.name, property]))),
    required: new Map(required.map(([element, properties]) => [element, properties.map((property) => property.name)])),
  };
}

function propertiesOf(element: string, { type: types, isArray, binding }: InternalSchemaElement): readonly Property[] {
  const isRequired = binding?.strength === 'required';
  return types.map(({ code, targetProfile }) => {
    const type = code.startsWith('http://hl7.org/fhirpath/System.') ? 'string' : code;
    return {
      name: element.replace('[x]', type.charAt(0).toUpperCase() + type.slice(1)),
      element,
      type,
      isArray: isArray ?? false,
      isPrimitive: PRIMITIVES.has(type),
      requiredValueSet: isRequired ? binding.valueSet?.split('|')[0] : undefined,
      targets: targetsOf(targetProfile),
    };
  });
}

function targetsOf(profiles: readonly string[] | undefined): readonly string[] | undefined {
  if (profiles === undefined || profiles.length === 0) return undefined;
  const names = profiles.map((profile) => profile.slice(profile.lastIndexOf('/') + 1));
  return names.includes('Resource') ? undefined : names;
}
