// Dates, dateTimes and times of FHIRPath: as precise as they were written. A comparison that the precision cannot decide is
// undefined.
import { offsetMinutesAt } from './time-zone.ts';

const TEMPORAL = Symbol('temporal');

export type TemporalKind = 'date' | 'dateTime' | 'time';

export type TemporalParts = {
  readonly kind: TemporalKind;
  /** year, month, day, hour, minute, second: from the front those that are known. A time begins at the hour. */
  readonly fields: readonly number[];
  /** Digits behind the second's point. */
  readonly fraction: string;
  readonly offsetMinutes?: number;
};

/** No member of it can be read by an expression. */
export type Temporal = { readonly [TEMPORAL]: TemporalParts };

const DATE_TIME =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:T(?:(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?)?$/;
const TIME = /^T?(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?$/;
const LIMITS = { time: [23, 59, 59], date: [9999, 12, 31, 23, 59, 60] };

export function isTemporal(value: unknown): value is Temporal {
  // Read, not asked for with `in`, which is slower: every object that an expression meets comes by here.
  return typeof value === 'object' && value !== null && (value as Partial<Temporal>)[TEMPORAL] !== undefined;
}

export function partsOf(temporal: Temporal): TemporalParts {
  return temporal[TEMPORAL];
}

export function kindOf(temporal: Temporal): TemporalKind {
  return temporal[TEMPORAL].kind;
}

export function makeTemporal(parts: TemporalParts): Temporal {
  return { [TEMPORAL]: parts };
}

/** Undefined if the text is not of the kind. Any text of a date is also a dateTime. */
export function parseTemporal(text: string, kind: TemporalKind): Temporal | undefined {
  if (text.length > 40) return undefined;
  return kind === 'time' ? parseTime(text) : parseDateTime(text, kind);
}

function parseTime(text: string): Temporal | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const fields = numbers(match.slice(1, 4));
  if (!fields.every((field, index) => field <= (LIMITS.time[index] ?? 0))) return undefined;
  return makeTemporal({ kind: 'time', fields, fraction: match[4] ?? '' });
}

function parseDateTime(text: string, kind: 'date' | 'dateTime'): Temporal | undefined {
  const match = DATE_TIME.exec(text);
  if (!match || (kind === 'date' && text.includes('T'))) return undefined;
  const fields = numbers(match.slice(1, 7));
  const hasTime = match[4] !== undefined;
  if ((hasTime && match[3] === undefined) || (match[8] !== undefined && !hasTime)) return undefined;
  if (!fields.every((field, index) => field <= (LIMITS.date[index] ?? 0)) || !isDay(fields)) return undefined;
  const offset = match[8] === undefined ? {} : { offsetMinutes: offsetOf(match[8]) };
  return makeTemporal({ kind, fields, fraction: match[7] ?? '', ...offset });
}

function numbers(texts: readonly (string | undefined)[]): readonly number[] {
  return texts.filter((text) => text !== undefined).map(Number);
}

function isDay([year = 0, month = 1, day = 1]: readonly number[]): boolean {
  return year >= 1 && month >= 1 && day >= 1 && day <= daysIn(year, month);
}

export function daysIn(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function offsetOf(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith('-') ? -minutes : minutes;
}

export function textOfTemporal(temporal: Temporal): string {
  const { kind, fields, fraction, offsetMinutes } = temporal[TEMPORAL];
  const seconds = (text: string, count: number) =>
    fraction !== '' && fields.length === count ? `${text}.${fraction}` : text;
  if (kind === 'time') return seconds(fields.map(twoDigits).join(':'), 3);
  const date = [String(fields[0] ?? 0).padStart(4, '0'), ...fields.slice(1, 3).map(twoDigits)].join('-');
  if (fields.length <= 3) return date;
  return `${date}T${seconds(fields.slice(3).map(twoDigits).join(':'), 6)}${zoneText(offsetMinutes)}`;
}

function zoneText(offsetMinutes: number | undefined): string {
  if (offsetMinutes === undefined) return '';
  if (offsetMinutes === 0) return 'Z';
  const minutes = Math.abs(offsetMinutes);
  return `${offsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.trunc(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

export type Comparison = 'incomparable' | undefined | number;

/** Below, at or above zero; undefined if the precision does not decide it; 'incomparable' for a time and a date. */
export function compareTemporals(one: Temporal, other: Temporal, timeZone: string): Comparison {
  const [left, right] = [one[TEMPORAL], other[TEMPORAL]];
  if ((left.kind === 'time') !== (right.kind === 'time')) return 'incomparable';
  const haveTimes = left.kind !== 'time' && left.fields.length > 3 && right.fields.length > 3;
  if (!haveTimes || left.offsetMinutes === right.offsetMinutes) return compareFields(left, right);
  return compareFields(inUtc(left, timeZone), inUtc(right, timeZone));
}

function compareFields(left: TemporalParts, right: TemporalParts): number | undefined {
  const shared = Math.min(left.fields.length, right.fields.length);
  for (let index = 0; index < shared; index++) {
    const difference = (left.fields[index] ?? 0) - (right.fields[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.fields.length !== right.fields.length) return undefined;
  return Number(`0.${left.fraction}0`) - Number(`0.${right.fraction}0`);
}

/** A time without an offset is one of the site's zone. */
function inUtc(parts: TemporalParts, timeZone: string): TemporalParts {
  const local = utcMilliseconds(parts.fields);
  const offset = parts.offsetMinutes ?? offsetMinutesAt(timeZone, local);
  return { ...parts, fields: fieldsOf(local - offset * 60_000).slice(0, parts.fields.length), offsetMinutes: 0 };
}

/** As if the fields were of UTC. */
export function utcMilliseconds(fields: readonly number[]): number {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = fields;
  const date = new Date(0);
  // Not Date.UTC: that takes the year 50 for 1950.
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, 0);
  return date.getTime();
}

export function fieldsOf(milliseconds: number): readonly number[] {
  const date = new Date(milliseconds);
  return [
    date.getUTCFullYear(),
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  ];
}
