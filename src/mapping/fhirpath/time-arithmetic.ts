// A date or time moved by a duration, on the calendar and at its own precision: HL7 FHIRPath, date/time arithmetic.
import { type CalendarUnit, calendarUnit, type Quantity } from './quantity.ts';
import {
  daysIn,
  fieldsOf,
  makeTemporal,
  partsOf,
  type Temporal,
  type TemporalParts,
  utcMilliseconds,
} from './temporal.ts';

const DAY = 86_400_000;
const MILLISECONDS = {
  week: 7 * DAY,
  day: DAY,
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
} as const;
const LAST_YEAR = 9999;

/** Undefined if the unit is no duration of the calendar, or the result is out of range. */
export function addTime(temporal: Temporal, quantity: Quantity): Temporal | undefined {
  const unit = unitOf(quantity);
  if (!unit) return undefined;
  const parts = partsOf(temporal);
  // HL7: above the second only whole durations count.
  const amount = unit === 'second' || unit === 'millisecond' ? quantity.value : Math.trunc(quantity.value);
  if (parts.kind === 'time') return addToTime(parts, unit, amount);
  const moved = unit === 'year' || unit === 'month' ? byMonths(parts, unit, amount) : byDuration(parts, unit, amount);
  const [year = 0] = moved?.fields ?? [];
  return moved && year >= 1 && year <= LAST_YEAR ? makeTemporal(moved) : undefined;
}

/** UCUM's second and millisecond are the calendar's; its longer units are not. */
function unitOf({ unit }: Quantity): CalendarUnit | undefined {
  return unit === 's' ? 'second' : unit === 'ms' ? 'millisecond' : calendarUnit(unit);
}

function byMonths(parts: TemporalParts, unit: 'year' | 'month', amount: number): TemporalParts {
  const [year = 0, month, day] = parts.fields;
  if (month === undefined) return { ...parts, fields: [year + (unit === 'year' ? amount : Math.trunc(amount / 12))] };
  const months = year * 12 + (month - 1) + (unit === 'year' ? amount * 12 : amount);
  const [newYear, newMonth] = [Math.floor(months / 12), (((months % 12) + 12) % 12) + 1];
  if (day === undefined) return { ...parts, fields: [newYear, newMonth] };
  return { ...parts, fields: [newYear, newMonth, Math.min(day, daysIn(newYear, newMonth)), ...parts.fields.slice(3)] };
}

type Duration = keyof typeof MILLISECONDS;

function byDuration(parts: TemporalParts, unit: Duration, amount: number): TemporalParts | undefined {
  const days = (amount * MILLISECONDS[unit]) / DAY;
  // HL7: a year has 365 days and a month 30 if the date itself is no more precise.
  if (parts.fields.length === 1) return byMonths(parts, 'year', Math.trunc(days / 365));
  if (parts.fields.length === 2) return byMonths(parts, 'month', Math.trunc(days / 30));
  const step = stepOf(parts.fields.length);
  const added = Math.trunc((amount * MILLISECONDS[unit]) / step) * step;
  const moved = utcMilliseconds(parts.fields) + fractionOf(parts) + added;
  if (!Number.isFinite(moved) || Math.abs(moved) > 8.64e15) return undefined;
  return withTime(parts, { fields: fieldsOf(moved).slice(0, parts.fields.length), milliseconds: moved });
}

/** The smallest that a date of this precision can be moved by. */
function stepOf(precision: number): number {
  if (precision <= 3) return DAY;
  if (precision === 4) return MILLISECONDS.hour;
  return precision === 5 ? MILLISECONDS.minute : 1;
}

function addToTime(parts: TemporalParts, unit: CalendarUnit, amount: number): Temporal | undefined {
  if (unit === 'year' || unit === 'month' || unit === 'week' || unit === 'day') return undefined;
  const step = stepOf(parts.fields.length + 3);
  const added = Math.trunc((amount * MILLISECONDS[unit]) / step) * step;
  const moved = utcMilliseconds([1970, 1, 1, ...parts.fields]) + fractionOf(parts) + (added % DAY);
  if (!Number.isFinite(moved)) return undefined;
  const fields = fieldsOf(moved).slice(3, 3 + parts.fields.length);
  return makeTemporal(withTime(parts, { fields, milliseconds: moved }));
}

function fractionOf({ fraction }: TemporalParts): number {
  return fraction === '' ? 0 : Math.round(Number(`0.${fraction}`) * 1000);
}

type Moved = { readonly fields: readonly number[]; readonly milliseconds: number };

/** Milliseconds are written if the old or the new time has some. */
function withTime(parts: TemporalParts, { fields, milliseconds }: Moved): TemporalParts {
  const rest = ((milliseconds % 1000) + 1000) % 1000;
  const fraction = rest === 0 && parts.fraction === '' ? '' : String(Math.round(rest)).padStart(3, '0');
  return { ...parts, fields, fraction };
}
