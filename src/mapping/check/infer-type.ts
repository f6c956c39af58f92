// Infers `is`, `as` and `ofType`: the part of a shape that has the given type.
import type { ExpressionNode } from '../fhirpath/syntax.ts';
import { fhirR4 } from './fhir-r4.ts';
import { type KnownValue, NOTHING_KNOWN, type Scope } from './known-value.ts';
import {
  alternatives,
  BOOLEAN,
  describeShape,
  fhirShape,
  kindOfPrimitive,
  primitive,
  type Shape,
  withArticle,
} from './shape.ts';

type TypeNode = Extract<ExpressionNode, { kind: 'type' }>;

/** FHIRPath's own types, by FHIR's names. */
const SYSTEM_TYPES = new Map([
  ['Boolean', 'boolean'],
  ['String', 'string'],
  ['Integer', 'integer'],
  ['Decimal', 'decimal'],
  ['Date', 'date'],
  ['DateTime', 'dateTime'],
  ['Time', 'time'],
  ['Quantity', 'Quantity'],
]);

export function inferType({ operator, type, at }: TypeNode, target: KnownValue, report: Scope['report']): KnownValue {
  const name = type.replace(/^(?:FHIR|System)\./, '');
  const fhirName = SYSTEM_TYPES.get(name) ?? name;
  const definition = fhirR4().type(fhirName);
  // The names of types were checked when the expression was parsed.
  if (definition !== undefined && !alternatives(target.shape).some((shape) => mayBe(shape, fhirName))) {
    const isOne = target.shape.kind !== 'union';
    const what = isOne ? `${describeShape(target.shape)}, never` : 'never';
    report(at, `${target.path ?? 'this'} is ${what} ${withArticle(fhirName)}`);
  }
  if (operator === 'is') return { shape: BOOLEAN };
  if (definition === undefined || definition.isAbstract) return NOTHING_KNOWN;
  const shape = definition.kind === 'primitive' ? primitive(fhirName) : fhirShape(fhirName);
  return target.path === undefined ? { shape } : { shape, path: target.path };
}

function mayBe(shape: Shape, type: string): boolean {
  const { isA } = fhirR4();
  switch (shape.kind) {
    case 'primitive':
      return isA(shape.type, type) || isA(type, shape.type) || areOneKind(shape.type, type);
    case 'fhir':
      return isA(shape.type, type) || isA(type, shape.type);
    case 'union':
      return shape.shapes.some((inner) => mayBe(inner, type));
    case 'table':
      return false;
    default:
      return true;
  }
}

/** JSON has fewer types than FHIR: a date there is a text like others. */
function areOneKind(one: string, other: string): boolean {
  return fhirR4().type(other)?.kind === 'primitive' && kindOfPrimitive(one) === kindOfPrimitive(other);
}
