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

const CLOCK = { millisecond: 1, second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 };

type Scale = {
  readonly dimension: 'time' | 'mass' | 'length' | 'volume' | 'ratio';
  /** How many of the smallest make one. */
  readonly factors: ReadonlyMap<string, number>;
};

/** The first that has both units counts: a year has twelve months, and only beside days 365 of them. */
const SCALES: readonly Scale[] = [
  scale('time', { month: 1, year: 12 }),
  scale('time', { ...CLOCK, month: CLOCK.day * 30, year: CLOCK.day * 365 }),
  scale('time', { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000, wk: 604_800_000 }),
  scale('mass', { ng: 1, ug: 1e3, mg: 1e6, g: 1e9, kg: 1e12 }),
  scale('length', { um: 1, mm: 1e3, cm: 1e4, dm: 1e5, m: 1e6, km: 1e9 }),
  scale('volume', { uL: 1, mL: 1e3, cL: 1e4, dL: 1e5, L: 1e6, ul: 1, ml: 1e3, cl: 1e4, dl: 1e5, l: 1e6 }),
  scale('ratio', { '%': 1, '1': 100 }),
];

function scale(dimension: Scale['dimension'], factors: Readonly<Record<string, number>>): Scale {
  return { dimension, factors: new Map(Object.entries(factors)) };
}

/** HL7: these two of the calendar are equal to UCUM's. */
const SAME_AS: ReadonlyMap<string, string> = new Map([
  ['s', 'second'],
  ['ms', 'millisecond'],
]);

export function isQuantity(value: unknown): value is Quantity {
  // Read, not asked for with `in`, which is slower: every object that an expression meets comes by here.
  return typeof value === 'object' && value !== null && (value as Partial<Quantity>)[QUANTITY] !== undefined;
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

/** The amount in another unit; undefined without a fixed factor between the units. */
export function amountIn(quantity: Quantity, unit: string): number | undefined {
  const from = SAME_AS.get(quantity.unit) ?? quantity.unit;
  const to = SAME_AS.get(unit) ?? unit;
  if (from === to) return quantity.value;
  for (const { factors } of SCALES) {
    const [one, other] = [factors.get(quantity.unit) ?? factors.get(from), factors.get(unit) ?? factors.get(to)];
    if (one !== undefined && other !== undefined) return (quantity.value * one) / other;
  }
  return undefined;
}

/** Whether two amounts can never be equal: one is a mass, the other a length. */
export function differInDimension(one: Quantity, other: Quantity): boolean {
  const [left, right] = [dimensionOf(one.unit), dimensionOf(other.unit)];
  return left !== undefined && right !== undefined && left !== right;
}

function dimensionOf(unit: string): Scale['dimension'] | undefined {
  return SCALES.find(({ factors }) => factors.has(unit))?.dimension;
}
