// Functions that turn a single value into another type. What cannot be turned is empty.
import { amountIn, calendarUnit, makeQuantity, type Quantity, quantityFrom, textOfQuantity } from '../quantity.ts';
import {
  isTemporal,
  kindOf,
  makeTemporal,
  parseTemporal,
  partsOf,
  type Temporal,
  type TemporalKind,
  textOfTemporal,
} from '../temporal.ts';
import { isObject, type Value } from '../values.ts';
import { type Calls, type MakeCall, ofItem, type Running, textAt } from './make-call.ts';

const TRUE = new Set(['true', 't', 'yes', 'y', '1', '1.0']);
const FALSE = new Set(['false', 'f', 'no', 'n', '0', '0.0']);
const LONGEST_NUMBER = 40;
const QUANTITY = /^([+-]?\d+(?:\.\d+)?)\s*(?:'([^']+)'|([a-zA-Z]+))?$/;

function toBoolean(item: unknown): boolean | undefined {
  if (typeof item === 'boolean') return item;
  const text = typeof item === 'number' ? String(item) : item;
  const word = typeof text === 'string' && text.length <= 'false'.length ? text.toLowerCase() : '';
  return TRUE.has(word) ? true : FALSE.has(word) ? false : undefined;
}

function toInteger(item: unknown): number | undefined {
  if (typeof item === 'boolean') return Number(item);
  if (typeof item === 'string' && !/^[+-]?\d{1,15}$/.test(item)) return undefined;
  const value = typeof item === 'string' ? Number(item) : item;
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

function toDecimal(item: unknown): number | undefined {
  if (typeof item === 'boolean') return Number(item);
  if (typeof item !== 'string') return typeof item === 'number' ? item : undefined;
  return item.length <= LONGEST_NUMBER && /^[+-]?\d+(?:\.\d+)?$/.test(item) ? Number(item) : undefined;
}

/** An object has no text. */
function toText(item: unknown): string | undefined {
  if (typeof item === 'string') return item;
  if (typeof item === 'number') return numberText(item);
  if (typeof item === 'boolean') return String(item);
  if (isTemporal(item)) return textOfTemporal(item);
  const quantity = isObject(item) ? quantityFrom(item) : undefined;
  return quantity && textOfQuantity(quantity);
}

/** Without an exponent, which FHIRPath's decimals do not have. */
function numberText(value: number): string {
  const text = String(value);
  return text.includes('e') && Math.abs(value) < 1e20 ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}

function toTemporal(kind: TemporalKind): (item: unknown) => Temporal | undefined {
  return (item) => {
    if (typeof item === 'string') return fromText(item, kind);
    if (!isTemporal(item)) return undefined;
    const from = kindOf(item);
    if (from === kind) return item;
    if (from === 'time' || kind === 'time') return undefined;
    const { fields } = partsOf(item);
    return makeTemporal({ kind, fields: kind === 'date' ? fields.slice(0, 3) : fields, fraction: '' });
  };
}

/** The text of a dateTime is one of a date, too. */
function fromText(text: string, kind: TemporalKind): Temporal | undefined {
  return parseTemporal(text, kind);
}

function toQuantity(item: unknown, call: Running): Quantity | undefined {
  const wanted = textAt(call, 0);
  const quantity = quantityOf(item);
  if (!quantity || wanted === undefined) return quantity;
  const unit = calendarUnit(wanted) ?? wanted;
  const amount = amountIn(quantity, unit);
  return amount === undefined ? undefined : makeQuantity(amount, unit);
}

function quantityOf(item: unknown): Quantity | undefined {
  if (typeof item === 'boolean') return makeQuantity(Number(item), '1');
  if (typeof item === 'number' || isObject(item)) return quantityFrom(item);
  const match = typeof item === 'string' && item.length <= LONGEST_NUMBER * 2 ? QUANTITY.exec(item) : null;
  if (!match) return undefined;
  const [, value, ucum, word] = match;
  if (word !== undefined && !calendarUnit(word)) return undefined;
  return makeQuantity(Number(value), ucum ?? word ?? '1');
}

type Convert = (item: unknown, call: Running) => Value;

const CONVERSIONS: Readonly<Record<string, Convert>> = {
  Boolean: toBoolean,
  Integer: toInteger,
  Decimal: toDecimal,
  String: toText,
  Date: toTemporal('date'),
  DateTime: toTemporal('dateTime'),
  Time: toTemporal('time'),
  Quantity: toQuantity,
};

export const CONVERSION_CALLS: Calls = Object.fromEntries(
  Object.entries(CONVERSIONS).flatMap(([type, convert]): [string, MakeCall][] => [
    [`to${type}`, ofItem((item, call) => convert(item, call))],
    [`convertsTo${type}`, ofItem((item, call) => convert(item, call) !== undefined)],
  ]),
);
