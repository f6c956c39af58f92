// Sums and products as HL7 FHIRPath says them: decimals without binary noise, a division by zero gives nothing.
import { digitsOf } from './equality.ts';
import { ExpressionError, type Frame } from './frame.ts';
import { amountIn, isQuantity, makeQuantity, type Quantity, quantityFrom } from './quantity.ts';
import { isTemporal, parseTemporal, type Temporal } from './temporal.ts';
import { addTime } from './time-arithmetic.ts';
import { isObject, type Spot, typeInWords } from './values.ts';

export type ArithmeticSign = '+' | '-' | '*' | '/' | 'div' | 'mod';

/** Both are single items. Undefined if there is no result. */
export function calculate(frame: Frame, { left, right, spot }: Operands): unknown {
  const sign = spot.name as ArithmeticSign;
  if (typeof left === 'number' && typeof right === 'number') return ofNumbers(sign, left, right);
  if (sign === '+' && typeof left === 'string' && typeof right === 'string') {
    frame.budget.spendCharacters(left.length + right.length);
    return left + right;
  }
  return ofTimes(sign, left, right) ?? ofQuantities({ left, right, spot });
}

type Operands = { readonly left: unknown; readonly right: unknown; readonly spot: Spot };

function ofNumbers(sign: ArithmeticSign, left: number, right: number): number | undefined {
  if (sign === '+') return withoutNoise(left + right);
  if (sign === '-') return withoutNoise(left - right);
  if (sign === '*') return withoutNoise(left * right);
  if (right === 0) return undefined;
  if (sign === '/') return withoutNoise(left / right);
  return wholeDivision(sign, left, right);
}

/** Over whole numbers, so that 0.3 div 0.1 is 3. */
function wholeDivision(sign: 'div' | 'mod', left: number, right: number): number | undefined {
  const factor = 10 ** Math.min(20, Math.max(digitsOf(left), digitsOf(right)));
  const [one, other] = [Math.round(left * factor), Math.round(right * factor)];
  if (!Number.isSafeInteger(one) || !Number.isSafeInteger(other) || other === 0) {
    return withoutNoise(sign === 'div' ? Math.trunc(left / right) : left % right);
  }
  return sign === 'div' ? Math.trunc(one / other) : withoutNoise((one % other) / factor);
}

/** 0.1 + 0.2 is 0.3; undefined if the result is too large. */
export function withoutNoise(value: number): number | undefined {
  if (Number.isInteger(value)) return value === 0 ? 0 : value;
  return Number.isFinite(value) ? Number(value.toPrecision(15)) : undefined;
}

function ofTimes(sign: ArithmeticSign, left: unknown, right: unknown): Temporal | undefined {
  if (sign !== '+' && sign !== '-') return undefined;
  if (sign === '+' && isTemporal(right) && !isTemporal(left)) return ofTimes('+', right, left);
  const quantity = isObject(right) ? quantityFrom(right) : undefined;
  const time = isTemporal(left) ? left : typeof left === 'string' ? timeIn(left) : undefined;
  if (!quantity || !time) return undefined;
  return addTime(time, sign === '+' ? quantity : { ...quantity, value: -quantity.value });
}

/** A text with a day or a time beside a duration. */
function timeIn(text: string): Temporal | undefined {
  return parseTemporal(text, 'dateTime') ?? parseTemporal(text, 'time');
}

function ofQuantities({ left, right, spot }: Operands): Quantity | undefined {
  const isOne = isQuantity(left) || isQuantity(right) || (isObject(left) && isObject(right));
  const [one, other] = isOne || isObject(left) || isObject(right) ? [quantityFrom(left), quantityFrom(right)] : [];
  if (!one || !other) throw notPossible({ left, right, spot });
  if (spot.name === '*') return product(one, other, { left, right, spot });
  if (spot.name === '/' && typeof right === 'number') return scaled(one, ofNumbers('/', one.value, right));
  const amount = amountIn(other, one.unit);
  if (amount === undefined || spot.name === 'div' || spot.name === 'mod') throw notPossible({ left, right, spot });
  const value = ofNumbers(spot.name as ArithmeticSign, one.value, amount);
  return spot.name === '/' ? (value === undefined ? undefined : makeQuantity(value, '1')) : scaled(one, value);
}

function product(one: Quantity, other: Quantity, operands: Operands): Quantity | undefined {
  if (other.unit === '1') return scaled(one, ofNumbers('*', one.value, other.value));
  if (one.unit === '1') return scaled(other, ofNumbers('*', one.value, other.value));
  throw notPossible(operands);
}

function scaled(quantity: Quantity, value: number | undefined): Quantity | undefined {
  return value === undefined ? undefined : { ...quantity, value };
}

function notPossible({ left, right, spot }: Operands): ExpressionError {
  return new ExpressionError(`${spot.name} cannot work on ${typeInWords(left)} and ${typeInWords(right)}`, spot.at);
}
