// FHIR R4 for the checker: types, their elements, and the codes that they are bound to. The data beside this file is made by
// .ci/mapping-definitions.ts; each type is converted at its first use.
//
// An element there is written `1 code #composition-status`: how often (`.` 0..1, `1` 1..1, `*` 0..*, `+` 1..*), its types with
// the resources that a Reference may point at, and the codes that it must be one of. `?` is an element known by name only.
import data from './fhir-r4.json' with { type: 'json' };

export type FhirTypeReference = {
  readonly type: string;
  /** For a Reference or canonical: the allowed resource types; absent if any is allowed. */
  readonly targets?: readonly string[];
};

/** All codes of a required binding, by code system. */
export type FhirCodes = Readonly<Record<string, readonly string[]>>;

export type FhirElement = {
  /** The name without `[x]`: `value` for `value[x]`. */
  readonly name: string;
  /** Several for a choice; empty if they are unknown. */
  readonly types: readonly FhirTypeReference[];
  readonly isChoice: boolean;
  readonly isRequired: boolean;
  readonly isList: boolean;
  readonly codes?: FhirCodes;
};

/** A member of the JSON form: `valueQuantity` is the element `value` with the one type. */
export type FhirMember = { readonly element: FhirElement; readonly type: FhirTypeReference | undefined };

export type FhirType = {
  readonly name: string;
  readonly kind: 'resource' | 'complex' | 'primitive';
  readonly isAbstract: boolean;
  /** The type that it specializes. */
  readonly base?: string;
  readonly elements: ReadonlyMap<string, FhirElement>;
  /** Members by their names in JSON. */
  readonly members: ReadonlyMap<string, FhirMember>;
};

export type FhirDefinitions = {
  readonly type: (name: string) => FhirType | undefined;
  /** The possible values of `resourceType`. */
  readonly resourceTypes: readonly string[];
  /** True if a value of one type is also one of the other: a `code` is a `string`. */
  readonly isA: (name: string, other: string) => boolean;
};

type TypeWords = { readonly is?: string; readonly kind?: string; readonly has?: Readonly<Record<string, string>> };

const typeWords: Readonly<Record<string, TypeWords>> = data.types;
const codeSets: Readonly<Record<string, FhirCodes>> = data.codes;

let definitions: FhirDefinitions | undefined;

export function fhirR4(): FhirDefinitions {
  definitions ??= makeDefinitions();
  return definitions;
}

function makeDefinitions(): FhirDefinitions {
  const types = new Map<string, FhirType>();
  const type = (name: string): FhirType | undefined => {
    const known = types.get(name);
    if (known !== undefined || !Object.hasOwn(typeWords, name)) return known;
    const read = readType(name, typeWords[name] ?? {}, type);
    types.set(name, read);
    return read;
  };
  const isA = (name: string, other: string): boolean => baseNames(name).includes(other);
  const resourceTypes = Object.entries(typeWords)
    .filter(([name, { kind }]) => kind !== 'abstract' && isA(name, 'Resource'))
    .map(([name]) => name);
  return { type, resourceTypes, isA };
}

/** The type itself, then its base types. */
function baseNames(name: string): readonly string[] {
  const base = Object.hasOwn(typeWords, name) ? typeWords[name]?.is : undefined;
  return base === undefined ? [name] : [name, ...baseNames(base)];
}

function readType(name: string, words: TypeWords, typeOf: (name: string) => FhirType | undefined): FhirType {
  const inherited = words.is === undefined ? undefined : typeOf(words.is);
  const own = Object.entries(words.has ?? {}).map(([path, text]) => readElement(path, text));
  const isPrimitive = words.kind === 'primitive';
  return {
    name,
    kind: isPrimitive ? 'primitive' : baseNames(name).includes('Resource') ? 'resource' : 'complex',
    isAbstract: words.kind === 'abstract',
    ...(words.is !== undefined && { base: words.is }),
    elements: new Map([...(inherited?.elements ?? []), ...own.map((element) => [element.name, element] as const)]),
    members: new Map([...(inherited?.members ?? []), ...own.flatMap(membersOf)]),
  };
}

function readElement(path: string, text: string): FhirElement {
  const [count, ...words] = text.split(' ');
  const codesName = words.find((word) => word.startsWith('#'))?.slice(1);
  const codes = codesName === undefined ? undefined : codeSets[codesName];
  return {
    name: path.replace('[x]', ''),
    types: words.filter((word) => !word.startsWith('#')).map(readTypeReference),
    isChoice: path.endsWith('[x]'),
    isRequired: count === '1' || count === '+',
    isList: count === '*' || count === '+',
    ...(codes && { codes }),
  };
}

function readTypeReference(word: string): FhirTypeReference {
  const [type = '', targets] = word.split(/[()]/);
  return targets === undefined ? { type } : { type, targets: targets.split('|') };
}

function membersOf(element: FhirElement): [string, FhirMember][] {
  if (!element.isChoice) return [[element.name, { element, type: element.types[0] }]];
  return element.types.map((type) => [choiceMember(element.name, type.type), { element, type }]);
}

/** `value` and `Quantity` are `valueQuantity`. */
export function choiceMember(name: string, type: string): string {
  return `${name}${type.charAt(0).toUpperCase()}${type.slice(1)}`;
}
