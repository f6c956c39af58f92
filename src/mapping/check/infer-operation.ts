// Infers the result of an operator, and reports operands that can never be combined.
import type { ExpressionNode } from '../fhirpath/syntax.ts';
import { didYouMean } from '../suggest.ts';
import type { KnownValue, Scope } from './known-value.ts';
import {
  alternatives,
  BOOLEAN,
  DECIMAL,
  describeShape,
  INTEGER,
  type Kind,
  kindOf,
  kindWords,
  literalTexts,
  madeOf,
  primitive,
  type Shape,
  TEXT,
  UNKNOWN,
  union,
} from './shape.ts';

type Operation = Extract<ExpressionNode, { kind: 'operation' }>;
type Report = Scope['report'];

export function inferOperation(node: Operation, left: KnownValue, right: KnownValue, report: Report): Shape {
  switch (node.operator) {
    case '=':
    case '!=':
    case '~':
    case '!~':
    case 'in':
    case 'contains':
      checkComparison(node, left, right, report);
      checkEquality(node, left, right, report);
      return BOOLEAN;
    case '<':
    case '<=':
    case '>':
    case '>=':
      checkComparison(node, left, right, report);
      return BOOLEAN;
    case 'and':
    case 'or':
    case 'xor':
    case 'implies':
      return BOOLEAN;
    case '|':
      return union([left.shape, right.shape]);
    case '&':
      checkJoin(node, left, right, report);
      return madeOf([left.shape, right.shape]);
    default:
      return arithmetic(node, left.shape, right.shape, report);
  }
}

/** Reports operands that are never equal because they differ in kind. */
function checkComparison({ at }: Operation, left: KnownValue, right: KnownValue, report: Report): void {
  const [one, other] = [plainKind(left.shape), plainKind(right.shape)];
  if (one === undefined || other === undefined || one === other) return;
  const [subject, object] = left.path === undefined ? [right, left] : [left, right];
  const subjectIs = `${subject.path ?? 'this'} is ${describeShape(subject.shape)}`;
  report(at, `${subjectIs}: it cannot be compared with ${describeShape(object.shape)}`);
}

/** Reports a text that the other side can never be. */
function checkEquality({ at, operator }: Operation, left: KnownValue, right: KnownValue, report: Report): void {
  for (const [known, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const codes = closedCodes(known.shape);
    if (codes === undefined) continue;
    for (const text of literalTexts(other.shape)) {
      if (codes.some((code) => areEqual(code, text, operator))) continue;
      const hint =
        didYouMean(text, codes, (code) => `'${code}'`) || (codes.length <= 12 ? `; it is ${codes.join(' | ')}` : '');
      report(at, `${known.path ?? 'this'} is never '${text}'${hint}`);
    }
  }
}

/** `~` ignores the case of letters. */
function areEqual(one: string, other: string, operator: Operation['operator']): boolean {
  return operator === '~' || operator === '!~' ? one.toLowerCase() === other.toLowerCase() : one === other;
}

function closedCodes(shape: Shape): readonly string[] | undefined {
  return shape.kind === 'primitive' && shape.isLiteral !== true ? shape.codes : undefined;
}

/** A Quantity has its own rules with numbers and texts, so nothing is certain about it here. */
function plainKind(shape: Shape): Kind | undefined {
  return alternatives(shape).some(isQuantity) ? undefined : kindOf(shape);
}

function isQuantity(shape: Shape): boolean {
  return shape.kind === 'fhir' && ['Quantity', 'Age', 'Count', 'Distance', 'Duration'].includes(shape.type);
}

function checkJoin({ at }: Operation, left: KnownValue, right: KnownValue, report: Report): void {
  for (const { shape, path } of [left, right]) {
    const kind = kindOf(shape);
    if (kind === undefined || kind === 'text') continue;
    const hint = kind === 'number' || kind === 'boolean' ? ': put .toString() behind it' : '';
    report(at, `& is for texts: ${path ?? 'this'} is ${describeShape(shape)}${hint}`);
  }
}

function arithmetic({ operator, at }: Operation, left: Shape, right: Shape, report: Report): Shape {
  const [one, other] = [plainKind(left), plainKind(right)];
  const isMixed = operator === '+' && one !== undefined && other !== undefined && one !== other;
  if (isMixed && [one, other].includes('text')) {
    report(
      at,
      `+ does not put ${kindWords(one)} and ${kindWords(other)} together: put .toString() behind what is no text`,
    );
    return TEXT;
  }
  // Durations are added to and subtracted from dates, which are texts.
  const allowsText = operator === '+' || operator === '-';
  const wrong = [one, other].find(
    (kind) => kind !== undefined && kind !== 'number' && !(allowsText && kind === 'text'),
  );
  if (wrong !== undefined) report(at, `${operator} is for numbers: this is ${kindWords(wrong)}`);
  if (one === 'text') return other === 'text' ? madeOf([left, right]) : plainText(left);
  if (one !== 'number' || other !== 'number') return UNKNOWN;
  if (operator === '/') return DECIMAL;
  return [left, right].every((shape) => shape.kind === 'primitive' && shape.type === 'integer') ? INTEGER : DECIMAL;
}

function plainText(shape: Shape): Shape {
  return shape.kind === 'primitive' ? primitive(shape.type) : UNKNOWN;
}
