// Compact definitions for the validator of resources: src/validation/fhir-r4.json. Each type is its StructureDefinition without the
// documentation, and with each invariant written once. Of the terminology there are codes only.
import {
  type Concept,
  type ElementDefinition,
  lastWord,
  lines,
  readBundle,
  type Structure,
  type Terminology,
  type TypeReference,
  typeCode,
} from './published-fhir.ts';

type Constraint = NonNullable<ElementDefinition['constraint']>[number];

const structures = ['profiles-types', 'profiles-resources']
  .flatMap((name) => readBundle<Structure>(name))
  .filter(({ resourceType }) => resourceType === 'StructureDefinition');
const terminology = ['valuesets', 'v3-codesystems'].flatMap((name) => readBundle<Terminology>(name));
const systems = new Map(
  terminology.flatMap(({ resourceType, url, content, concept }) =>
    resourceType === 'CodeSystem' && content === 'complete' ? [[url, (concept ?? []).flatMap(allCodes)] as const] : [],
  ),
);
const valueSets = new Map(
  terminology.flatMap((one) => (one.resourceType === 'ValueSet' ? [[one.url, one] as const] : [])),
);
const usedValueSets = new Map<string, unknown>();
const invariants = new Map<string, readonly [expression: string, human: string]>();

/** The whole file, with one type, invariant, value set and code system a line. */
export function validationDefinitionsText(): string {
  const types = structures.map((structure) => [structure.id, compactType(structure)] as const);
  const parts = { types, invariants: [...invariants], valueSets: [...usedValueSets], systems: [...systems] };
  const written = Object.entries(parts).map(([name, entries]) => `"${name}": {\n${lines(entries)}\n}`);
  return `{\n${written.join(',\n')}\n}\n`;
}

function compactType({ id, type, kind, abstract, snapshot }: Structure) {
  const elements = snapshot.element.map(compactElement);
  return { kind, ...(abstract && { abstract }), ...(type !== id && { type }), elements };
}

function compactElement({
  path,
  min,
  max,
  base,
  type = [],
  contentReference,
  binding,
  constraint = [],
}: ElementDefinition) {
  const rules = constraint.filter(({ severity }) => severity === 'error').map((one) => invariantName(one, path));
  const isRequired = binding?.strength === 'required' && binding.valueSet !== undefined;
  return {
    path,
    ...(min > 0 && { min }),
    ...(max !== '1' && { max }),
    ...(base.max !== max && { baseMax: base.max }),
    ...(contentReference !== undefined && { contentReference }),
    ...(type.length > 0 && { types: type.map(typeWord) }),
    ...(isRequired && { valueSet: useValueSet(binding.valueSet ?? '') }),
    ...(rules.length > 0 && { rules: rules.join(' ') }),
  };
}

/** `Reference(Patient|Group)` */
function typeWord(type: TypeReference): string {
  const targets = (type.targetProfile ?? []).map(lastWord);
  return targets.length === 0 ? typeCode(type) : `${typeCode(type)}(${targets.join('|')})`;
}

/** An invariant's key; `key@path` if R4 uses the key for another invariant too. */
function invariantName({ key, expression = '', human }: Constraint, path: string): string {
  const invariant = [expression, human] as const;
  const known = invariants.get(key);
  const isOther = known !== undefined && (known[0] !== expression || known[1] !== human);
  const name = isOther ? `${key}@${path}` : key;
  invariants.set(name, invariant);
  return name;
}

/** The value set without its version. Its codes are written if it lists them, or names whole code systems. */
function useValueSet(versioned: string): string {
  const url = versioned.replace(/\|.*$/, '');
  const codes = codesOf(valueSets.get(url));
  if (codes !== undefined) usedValueSets.set(url, codes);
  return url;
}

/** Lists of codes by code system; `true` stands for all codes of the system. */
function codesOf(
  valueSet: Terminology | undefined,
): readonly (readonly [system: string, codes: readonly string[] | true])[] | undefined {
  const compose = valueSet?.compose;
  if (compose === undefined || compose.exclude !== undefined) return undefined;
  const parts = compose.include.map(({ system, concept, filter, valueSet: others }) => {
    const isListed = concept !== undefined || systems.has(system ?? '');
    if (system === undefined || filter !== undefined || others !== undefined || !isListed) return undefined;
    return [system, concept?.map(({ code }) => code) ?? true] as const;
  });
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function allCodes({ code, concept = [] }: Concept): readonly string[] {
  return [code, ...concept.flatMap(allCodes)];
}
