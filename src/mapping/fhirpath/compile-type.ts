// `is`, `as`, `ofType` and `type()`. What came from outside knows no types but those that JSON, `resourceType` and the names of
// choice elements tell: `value as Quantity` reads `valueQuantity`.
import { memberNamed, membersOf, readMember } from './compile-path.ts';
import type { Frame } from './frame.ts';
import { capitalised } from './known-types.ts';
import { isQuantity } from './quantity.ts';
import { isTemporal, kindOf, parseTemporal } from './temporal.ts';
import { collected, isObject, itemsOf, pushOutside, type Run, type Spot, single, type Value } from './values.ts';

export type TypeParts = {
  readonly operator: 'is' | 'as' | 'ofType';
  readonly type: string;
  readonly target: Run;
  /** If the target is a member: its parent, and its name. */
  readonly member?: { readonly of: Run; readonly name: string };
  readonly spot: Spot;
};

export function compileType({ operator, type, target, member, spot }: TypeParts): Run {
  const bare = type.replace(/^(?:FHIR|System)\./, '');
  const ofTarget: Run = (frame, focus) => keep(frame, target(frame, focus), bare);
  const kept = member ? orChoice(ofTarget, { ...member, type: bare }) : ofTarget;
  if (operator === 'ofType') return kept;
  if (operator === 'as') return (frame, focus) => single(kept(frame, focus), spot);
  return (frame, focus) => {
    const item = single(target(frame, focus), spot);
    return item === undefined ? undefined : kept(frame, focus) !== undefined;
  };
}

function keep(frame: Frame, value: Value, type: string): Value {
  if (!Array.isArray(value)) return isOfType(value, type) ? value : undefined;
  frame.budget.spendSteps(value.length);
  return collected(value.filter((item) => isOfType(item, type)));
}

type Choice = { readonly of: Run; readonly name: string; readonly type: string };

/** `value.ofType(Quantity)`: the own `valueQuantity` of the objects that have one. */
function orChoice(otherwise: Run, { of, name, type }: Choice): Run {
  const choice = memberNamed(name + capitalised(type));
  const plain = memberNamed(name);
  if (!plain.choices?.has(choice.name)) return otherwise;
  return (frame, focus) => {
    const parents = itemsOf(of(frame, focus));
    frame.budget.spendSteps(parents.length);
    const out: unknown[] = [];
    for (const parent of parents) {
      if (!isObject(parent)) continue;
      const isOwn = Object.hasOwn(parent, name);
      if (isOwn) pushTyped(out, membersOf(frame, parent, plain), type);
      else pushOutside(frame, out, readMember(parent, choice));
    }
    return collected(out);
  };
}

function pushTyped(out: unknown[], value: Value, type: string): void {
  for (const item of itemsOf(value)) if (isOfType(item, type)) out.push(item);
}

const TEXT_TYPES = new Set('String string code id uri url canonical markdown oid uuid base64Binary'.split(' '));
const WHOLE_TYPES = new Set('Integer integer positiveInt unsignedInt'.split(' '));

function isOfType(item: unknown, type: string): boolean {
  if (typeof item === 'string') return TEXT_TYPES.has(type) || isTimeText(item, type);
  if (typeof item === 'boolean') return type === 'Boolean' || type === 'boolean';
  if (typeof item === 'number') return isNumberOf(item, type);
  if (isTemporal(item)) return kindOf(item).toLowerCase() === type.toLowerCase();
  if (isQuantity(item)) return type === 'Quantity';
  if (!isObject(item) || !Object.hasOwn(item, 'resourceType')) return false;
  const { resourceType } = item as { readonly resourceType: unknown };
  const isDomain = type === 'DomainResource' && !['Binary', 'Bundle', 'Parameters'].includes(String(resourceType));
  return resourceType === type || type === 'Resource' || isDomain;
}

function isNumberOf(item: number, type: string): boolean {
  if (WHOLE_TYPES.has(type)) return Number.isInteger(item) && (type !== 'positiveInt' || item > 0);
  return type === 'decimal' || (type === 'Decimal' && !Number.isInteger(item));
}

/** FHIR's times are texts in JSON. */
function isTimeText(text: string, type: string): boolean {
  if (type === 'date' || type === 'dateTime' || type === 'time') return parseTemporal(text, type) !== undefined;
  return type === 'instant' && /T\d\d:\d\d:\d\d/.test(text) && parseTemporal(text, 'dateTime') !== undefined;
}

/** As HL7's `type()` says it. */
export function typeInfo(item: unknown): unknown {
  if (isObject(item) && !isQuantity(item)) {
    const name = Object.hasOwn(item, 'resourceType') ? item['resourceType'] : undefined;
    return { namespace: 'FHIR', name: typeof name === 'string' ? name : 'Element' };
  }
  return { namespace: 'System', name: systemType(item) };
}

function systemType(item: unknown): string {
  if (typeof item === 'string') return 'String';
  if (typeof item === 'boolean') return 'Boolean';
  if (typeof item === 'number') return Number.isInteger(item) ? 'Integer' : 'Decimal';
  return isTemporal(item) ? capitalised(kindOf(item)) : 'Quantity';
}
