// Infers what a function returns, and reports values that it cannot be used on.
import { type ArgumentScope, FUNCTIONS, type FunctionResult } from '../fhirpath/known-functions.ts';
import type { ExpressionNode } from '../fhirpath/syntax.ts';
import { didYouMean } from '../suggest.ts';
import { fhirR4 } from './fhir-r4.ts';
import { type KnownValue, NOTHING_KNOWN, type Scope } from './known-value.ts';
import {
  alternatives,
  BOOLEAN,
  DATE_TIME,
  DECIMAL,
  describeShape,
  fhirShape,
  INSTANT,
  INTEGER,
  type Kind,
  kindOf,
  literalTexts,
  madeOf,
  primitive,
  type Shape,
  TEXT,
  UNKNOWN,
  union,
} from './shape.ts';

type Call = Extract<ExpressionNode, { kind: 'call' }>;

type CallParts = {
  readonly target: KnownValue;
  readonly scope: Scope;
  readonly infer: (node: ExpressionNode, scope: Scope) => KnownValue;
};

const RESULTS: Readonly<Partial<Record<FunctionResult, Shape>>> = {
  boolean: BOOLEAN,
  string: TEXT,
  strings: TEXT,
  integer: INTEGER,
  number: DECIMAL,
  date: primitive('date'),
  dateTime: DATE_TIME,
  time: primitive('time'),
  quantity: fhirShape('Quantity'),
  Coding: fhirShape('Coding'),
  Extension: fhirShape('Extension'),
};

/** Result shapes that are more exact than the table of functions. */
const EXACT_RESULTS = new Map<string, Shape>([
  ['xhtml', primitive('xhtml')],
  ['base64', primitive('base64Binary')],
  ['instant', INSTANT],
]);

/** Functions whose result does not depend on the type of the input. */
const MAKES_FIT = new Set(['xhtml', 'base64', 'hash', 'escape', 'encode']);

type Input = { readonly words: string; readonly kinds: readonly Kind[] };

const TEXTS: Input = { words: 'texts', kinds: ['text'] };
const NUMBERS: Input = { words: 'numbers', kinds: ['number'] };

const INPUTS = new Map<string, Input>([
  ...named('upper lower length substring startsWith endsWith contains indexOf lastIndexOf', TEXTS),
  ...named('replace toChars split trim encode decode escape unescape instant', TEXTS),
  ...named('xhtml base64 hash code join', TEXTS),
  ...named('percent round abs ceiling floor truncate sqrt exp ln log power sum avg', NUMBERS),
  ...named('reference', { words: 'resources, documents and texts like Patient/1', kinds: ['text', 'object'] }),
]);

function named(names: string, input: Input): readonly (readonly [string, Input])[] {
  return names.split(' ').map((name) => [name, input]);
}

export function inferCall(call: Call, { target, scope, infer }: CallParts): KnownValue {
  const info = FUNCTIONS.get(call.name);
  const inner = argumentScope(info?.scope ?? 'outside', target, scope);
  const args = call.args.map((arg) => infer(arg, inner));
  checkInput(call, target, scope);
  if (call.name === 'code') checkCode(call, { target, args, scope });
  const shape = resultOf(call, { result: info?.result ?? 'unknown', target, args, scope });
  return info?.result === 'same' && target.path !== undefined ? { shape, path: target.path } : { shape };
}

/** In `where(…)` bare names read each item; in `substring(…)` they read what they read outside. */
function argumentScope(argumentScope: ArgumentScope, { shape, path }: KnownValue, scope: Scope): Scope {
  if (argumentScope === 'outside') return scope;
  return { ...scope, item: path === undefined ? { shape } : { shape, path } };
}

type CallValues = { readonly target: KnownValue; readonly args: readonly KnownValue[]; readonly scope: Scope };

function resultOf(
  call: Call,
  { result, target, args, scope }: CallValues & { readonly result: FunctionResult },
): Shape {
  const [first = NOTHING_KNOWN, ...others] = args;
  if (call.name === 'union' || call.name === 'combine') return union([target.shape, first.shape]);
  if (call.name === 'iif') return union((others.length > 0 ? others : [NOTHING_KNOWN]).map(({ shape }) => shape));
  if (call.name === 'coalesce') return union(args.map(({ shape }) => shape));
  // Deeper levels may have other shapes.
  if (call.name === 'repeat' || call.name === 'aggregate') return UNKNOWN;
  if (call.name === 'reference') return referenceShape(call, target, scope);
  if (result === 'same') return target.shape;
  if (result === 'argument') return first.shape;
  if (RESULTS[result] === TEXT && !MAKES_FIT.has(call.name)) return madeOf([target, ...args].map(({ shape }) => shape));
  return EXACT_RESULTS.get(call.name) ?? RESULTS[result] ?? UNKNOWN;
}

function checkInput({ name, at }: Call, { shape, path }: KnownValue, { report }: Scope): void {
  const input = INPUTS.get(name);
  const kind = kindOf(shape);
  if (input === undefined || kind === undefined) return;
  if (name === 'xhtml' && alternatives(shape).every(isTextOrSection)) return;
  const isOther = name === 'reference' && shape.kind === 'fhir' && shape.type !== 'Reference' && !isResource(shape);
  if (input.kinds.includes(kind) && !isOther) return;
  // A Quantity can be rounded like a number.
  if (input === NUMBERS && alternatives(shape).some((inner) => inner.kind === 'fhir' && inner.type === 'Quantity'))
    return;
  report(at, `${name}() is for ${input.words}: ${path ?? 'this'} is ${describeShape(shape)}`);
}

/** A section of the note is a text with statements. */
function isTextOrSection(shape: Shape): boolean {
  const isSection = shape.kind === 'object' && shape.members.has('statements') && !shape.members.has('sections');
  return isSection || kindOf(shape) === 'text';
}

function checkCode({ args: nodes, at }: Call, { target, args, scope }: CallValues): void {
  const table = args[0]?.shape ?? UNKNOWN;
  if (table.kind === 'unknown') return;
  if (table.kind !== 'table') {
    scope.report(
      nodes[0]?.at ?? at,
      `code() takes a table, as in code(%codes.sections): this is ${describeShape(table)}`,
    );
    return;
  }
  const keys = scope.keysOf(table.name);
  if (keys === undefined) return;
  for (const text of literalTexts(target.shape).filter((literal) => !keys.includes(literal))) {
    scope.report(at, `the table ${table.name} has no ${text}${didYouMean(text, keys)}`);
  }
}

function referenceShape({ at }: Call, { shape }: KnownValue, { documents, report }: Scope): Shape {
  for (const text of literalTexts(shape)) {
    const isUrl = text.includes(':') || text.startsWith('#');
    const [type = '', id] = text.split('/');
    if (isUrl) continue;
    if (id === undefined) {
      if (documents === undefined || documents.includes(text)) continue;
      report(at, `there is no document ${text}${didYouMean(text, documents)}`);
    } else if (!fhirR4().resourceTypes.includes(type)) {
      report(at, `${type} is no resource type of FHIR R4${didYouMean(type, fhirR4().resourceTypes)}`);
    }
  }
  const targets = alternatives(shape).map(targetOf);
  const [target, ...others] = new Set(targets);
  return { kind: 'fhir', type: 'Reference', ...(target !== undefined && others.length === 0 && { target }) };
}

function isResource(shape: Shape): boolean {
  return shape.kind === 'fhir' && fhirR4().isA(shape.type, 'Resource');
}

/** The type of resource that `reference()` will point at. */
function targetOf(shape: Shape): string | undefined {
  if (shape.kind === 'fhir') return fhirR4().resourceTypes.includes(shape.type) ? shape.type : shape.target;
  const [text, ...others] = literalTexts(shape);
  return text?.includes('/') && others.length === 0 ? text.split('/')[0] : undefined;
}
