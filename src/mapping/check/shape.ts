// The shape of a value before there is one: a text, an object with these members, a FHIR type. An uncertain value has the shape
// `unknown`, with which nothing is wrong.
import { type FhirCodes, type FhirMember, type FhirTypeReference, fhirR4 } from './fhir-r4.ts';

export type Shape =
  | { readonly kind: 'unknown' }
  | PrimitiveShape
  | ObjectShape
  /** An object of a FHIR type: `Encounter`, `Coding`, `Composition.section`. */
  | {
      readonly kind: 'fhir';
      readonly type: string;
      /** For a Reference: the type that it points to, if it is known. */
      readonly target?: string;
    }
  /** A table of `%codes`. */
  | { readonly kind: 'table'; readonly name: string }
  | { readonly kind: 'union'; readonly shapes: readonly Shape[] };

export type ObjectShape = {
  readonly kind: 'object';
  readonly members: ReadonlyMap<string, Member>;
  /** It may have other members, too. */
  readonly isOpen?: boolean;
  /** It is `%codes`. */
  readonly isTables?: boolean;
};

export type PrimitiveShape = {
  readonly kind: 'primitive';
  /** FHIR's name: `string`, `decimal`, `dateTime` … */
  readonly type: string;
  /** All values that it can have. */
  readonly codes?: readonly string[];
  /** It is written in the mapping, so every one of the codes occurs. */
  readonly isLiteral?: boolean;
  /** An unchanged text of the input: it was not escaped for a narrative. */
  readonly isAsGiven?: boolean;
};

export type Member = { readonly shape: Shape; readonly isList: boolean };

/** The kind of value, for messages and comparisons; `undefined` if it is uncertain. */
export type Kind = 'text' | 'number' | 'boolean' | 'object' | 'table';

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  table: 'a table of codes',
};

export const UNKNOWN: Shape = { kind: 'unknown' };
export const TEXT = primitive('string');
export const GIVEN_TEXT: Shape = { ...TEXT, isAsGiven: true };
export const BOOLEAN = primitive('boolean');
export const INTEGER = primitive('integer');
export const DECIMAL = primitive('decimal');
export const DATE_TIME = primitive('dateTime');
export const INSTANT = primitive('instant');

export function primitive(type: string, codes?: readonly string[]): PrimitiveShape {
  return codes === undefined ? { kind: 'primitive', type } : { kind: 'primitive', type, codes };
}

export function oneOf(codes: readonly string[]): Shape {
  return primitive('code', codes);
}

/** A text that is written in the mapping. */
export function literalText(text: string): Shape {
  return literal([text]);
}

function literal(codes: readonly string[]): LiteralText {
  return { kind: 'primitive', type: 'string', codes, isLiteral: true };
}

/** A text made of others: if one of them is unescaped input, so is the result. */
export function madeOf(shapes: readonly Shape[]): Shape {
  return shapes.some(isAsGiven) ? GIVEN_TEXT : TEXT;
}

export function isAsGiven(shape: Shape): boolean {
  return alternatives(shape).some((one) => one.kind === 'primitive' && one.isAsGiven === true);
}

export function fhirShape(type: string): Shape {
  return { kind: 'fhir', type };
}

/** Members are shapes, or `[shape]` for lists. */
export function object(members: Readonly<Record<string, Shape | readonly [Shape]>>): ObjectShape {
  const entries = Object.entries(members).map(([name, member]) => {
    const [shape, isList] = 'kind' in member ? [member, false] : [member[0], true];
    return [name, { shape, isList }] as const;
  });
  return { kind: 'object', members: new Map(entries) };
}

/** A message with more alternatives would not be read. */
const MAX_ALTERNATIVES = 60;

export function union(shapes: readonly Shape[]): Shape {
  const flat = new Set(shapes.flatMap(alternatives));
  const literals = [...flat].filter(isLiteralText);
  for (const text of literals) flat.delete(text);
  const texts = new Set(literals.flatMap(({ codes }) => codes));
  if (texts.size > 0) flat.add(texts.size > MAX_ALTERNATIVES ? TEXT : literal([...texts]));
  const [first, ...others] = flat;
  if (first === undefined || flat.size > MAX_ALTERNATIVES || flat.has(UNKNOWN)) return UNKNOWN;
  return others.length === 0 ? first : { kind: 'union', shapes: [...flat] };
}

type LiteralText = PrimitiveShape & { readonly codes: readonly string[]; readonly isLiteral: true };

/** The texts of the mapping that this value can be. */
export function literalTexts(shape: Shape): readonly string[] {
  return alternatives(shape)
    .filter(isLiteralText)
    .flatMap(({ codes }) => codes);
}

function isLiteralText(shape: Shape): shape is LiteralText {
  return shape.kind === 'primitive' && shape.isLiteral === true && shape.codes !== undefined;
}

export function alternatives(shape: Shape): readonly Shape[] {
  return shape.kind === 'union' ? shape.shapes : [shape];
}

/** The shape of `.name`; `undefined` if no such member is possible. */
export function memberOf(shape: Shape, name: string): Shape | undefined {
  switch (shape.kind) {
    case 'unknown':
      return UNKNOWN;
    case 'object':
      return shape.members.get(name)?.shape ?? (shape.isOpen ? UNKNOWN : undefined);
    case 'fhir':
      return fhirMember(shape.type, name);
    case 'union': {
      const found = shape.shapes.map((inner) => memberOf(inner, name)).filter((inner) => inner !== undefined);
      return found.length === 0 ? undefined : union(found);
    }
    // The id and extensions of a primitive are in `_birthDate`; FHIRPath may read them here.
    case 'primitive':
      return name === 'id' || name === 'extension' ? UNKNOWN : undefined;
    case 'table':
      return undefined;
  }
}

function fhirMember(typeName: string, name: string): Shape | undefined {
  const type = fhirR4().type(typeName);
  if (type === undefined || type.isAbstract) return UNKNOWN;
  if (type.kind === 'resource' && name === 'resourceType') return oneOf([typeName]);
  const member = type.members.get(name);
  if (member !== undefined) return shapeOfMember(member);
  const choice = type.elements.get(name);
  if (choice !== undefined) return union(choice.types.map((reference) => shapeOfType(reference, choice.codes)));
  const beside = name.startsWith('_') ? type.members.get(name.slice(1)) : undefined;
  return isPrimitive(beside?.type?.type) ? fhirShape('Element') : undefined;
}

function shapeOfMember({ element, type }: FhirMember): Shape {
  return type === undefined ? UNKNOWN : shapeOfType(type, element.codes);
}

function shapeOfType({ type, targets }: FhirTypeReference, codes: FhirCodes | undefined): Shape {
  const target = targets?.length === 1 ? targets[0] : undefined;
  if (!isPrimitive(type)) return { kind: 'fhir', type, ...(target !== undefined && { target }) };
  const shape = primitive(type, codes && Object.values(codes).flat());
  return type === 'string' || type === 'markdown' ? { ...shape, isAsGiven: true } : shape;
}

export function isPrimitive(type: string | undefined): boolean {
  return type !== undefined && fhirR4().type(type)?.kind === 'primitive';
}

/** True if `.name` may return several items. */
export function isListMember(shape: Shape, name: string): boolean {
  if (shape.kind === 'union') return shape.shapes.some((inner) => isListMember(inner, name));
  if (shape.kind === 'object') return shape.members.get(name)?.isList === true;
  return shape.kind === 'fhir' && fhirR4().type(shape.type)?.members.get(name)?.element.isList === true;
}

/** All member names, for suggestions. */
export function memberNames(shape: Shape): readonly string[] {
  if (shape.kind === 'object') return [...shape.members.keys()];
  if (shape.kind === 'union') return shape.shapes.flatMap(memberNames);
  if (shape.kind !== 'fhir') return [];
  const type = fhirR4().type(shape.type);
  return type === undefined ? [] : [...new Set([...type.elements.keys(), ...type.members.keys()])];
}

export function kindOf(shape: Shape): Kind | undefined {
  switch (shape.kind) {
    case 'unknown':
      return undefined;
    case 'primitive':
      return kindOfPrimitive(shape.type);
    case 'union': {
      const [first, ...others] = new Set(shape.shapes.map(kindOf));
      return others.length === 0 ? first : undefined;
    }
    case 'table':
      return 'table';
    default:
      return 'object';
  }
}

export function kindOfPrimitive(type: string): Kind {
  if (type === 'boolean') return 'boolean';
  return fhirR4().isA(type, 'integer') || type === 'decimal' ? 'number' : 'text';
}

export function kindWords(kind: Kind): string {
  return KIND_WORDS[kind];
}

/** `a text`, `a Coding`, `an Encounter or a Patient`. */
export function describeShape(shape: Shape): string {
  if (shape.kind === 'union') {
    const words = new Set(shape.shapes.map(describeShape));
    return words.size > 4 ? 'something else' : [...words].join(' or ');
  }
  if (shape.kind === 'fhir') return withArticle(shape.type);
  const kind = kindOf(shape);
  return kind === undefined ? 'a value' : KIND_WORDS[kind];
}

export function withArticle(noun: string): string {
  return `${/^[AEIO]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
