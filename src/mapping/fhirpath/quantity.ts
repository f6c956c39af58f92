// Quantities: a number with a unit, by UCUM or by the calendar. Only units that a fixed factor joins are converted; for others a
// comparison has no answer.

const QUANTITY = Symbol('quantity');
const UCUM = 'http://unitsofmeasure.org';

export type Quantity = {
  readonly value: number;
  /** `mg`, or `day` for the calendar's. */
  readonly unit: string;
  /** Made by an expression. */
  readonly [QUANTITY]: 'ucum' | 'calendar';
};

const CALENDAR_UNITS = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond'] as const;
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

/** By dimension: how many of the smallest make one. A calendar's year and month have no fixed number of days. */
const FACTORS: readonly ReadonlyMap<string, number>[] = [
  { millisecond: 1, second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 },
  { month: 1, year: 12 },
  { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000, wk: 604_800_000 },
  { ng: 1, ug: 1e3, mg: 1e6, g: 1e9, kg: 1e12 },
  { um: 1, mm: 1e3, cm: 1e4, dm: 1e5, m: 1e6, km: 1e9 },
  { uL: 1, mL: 1e3, cL: 1e4, dL: 1e5, L: 1e6, ul: 1, ml: 1e3, cl: 1e4, dl: 1e5, l: 1e6 },
  { '%': 1, '1': 100 },
].map((factors) => new Map(Object.entries(factors)));
/** HL7: these two of the calendar are equal to UCUM's. */
const SAME_AS: ReadonlyMap<string, string> = new Map([
  ['s', 'second'],
  ['ms', 'millisecond'],
]);

export function isQuantity(value: unknown): value is Quantity {
  return typeof value === 'object' && value !== null && QUANTITY in value;
}

export function calendarUnit(word: string): CalendarUnit | undefined {
  return CALENDAR_UNITS.find((unit) => unit === word || `${unit}s` === word);
}

/** `unit` as in a literal: a word of the calendar without quotes, else UCUM. */
export function makeQuantity(value: number, unit: string): Quantity {
  const calendar = calendarUnit(unit);
  return { value, unit: calendar ?? unit, [QUANTITY]: calendar ? 'calendar' : 'ucum' };
}

/** FHIR's Quantity, or one that an expression made, or a bare number. */
export function quantityFrom(value: unknown): Quantity | undefined {
  if (isQuantity(value)) return value;
  if (typeof value === 'number') return makeQuantity(value, '1');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { value: number, unit, code } = value as Readonly<Record<string, unknown>>;
  if (!Object.hasOwn(value, 'value') || typeof number !== 'number') return undefined;
  const word = typeof code === 'string' ? code : typeof unit === 'string' ? unit : '1';
  return makeQuantity(number, word);
}

/** As FHIR writes it. */
export function plainQuantity({ value, unit, [QUANTITY]: kind }: Quantity): unknown {
  return kind === 'ucum' ? { value, unit, system: UCUM, code: unit } : { value, unit };
}

export function textOfQuantity({ value, unit, [QUANTITY]: kind }: Quantity): string {
  if (kind === 'ucum') return `${value} '${unit}'`;
  return `${value} ${unit}${value === 1 ? '' : 's'}`;
}

/** HL7: equivalent to the calendar's, though not equal. */
const LIKE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'year',
    mo: 'month',
    wk: 'week',
    d: 'day',
    h: 'hour',
    min: 'minute',
    s: 'second',
    ms: 'millisecond',
  }),
);

/** The same with a unit of the calendar, for `~`. */
export function withCalendarUnit(quantity: Quantity): Quantity {
  return { ...quantity, unit: LIKE.get(quantity.unit) ?? quantity.unit };
}

/** The amount in another unit; undefined where no fixed factor joins them. */
export function amountIn(quantity: Quantity, unit: string): number | undefined {
  const from = SAME_AS.get(quantity.unit) ?? quantity.unit;
  const to = SAME_AS.get(unit) ?? unit;
  if (from === to) return quantity.value;
  for (const factors of FACTORS) {
    const [one, other] = [factors.get(from), factors.get(to)];
    if (one !== undefined && other !== undefined) return (quantity.value * one) / other;
  }
  return undefined;
}
