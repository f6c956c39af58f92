// Derives findings from measured values: a temperature of 39 is fever, even if the text does not say so; one of 36.5 denies fever.
import { type Ages, ASSUMED_YEARS, type Finding, type ValueBand, type ValueName } from '../knowledge/knowledge.ts';
import type { Person } from './history-facts.ts';

/** A measured value with its words in the text. */
export type MeasuredValue = { readonly value: number; readonly quote: string };

/** Vital signs are measured on purpose: a value outside the bounds denies the finding. A duration or an age denies nothing. */
const VITAL: ReadonlySet<ValueName> = new Set([
  'temperature',
  'heart-rate',
  'respiratory-rate',
  'systolic',
  'diastolic',
  'oxygen-saturation',
  'glucose',
  'coma-scale',
]);

export function findByValues(
  findings: Iterable<Finding>,
  measured: ReadonlyMap<ValueName, readonly MeasuredValue[]>,
  { ageYears = ASSUMED_YEARS }: Person,
): { readonly id: string; readonly presence: 'present' | 'absent'; readonly quote: string }[] {
  return Array.from(findings).flatMap(({ id, values }) => {
    const bands = values.filter(({ ages }) => ages === undefined || fits(ages, ageYears));
    const known = bands.flatMap((band) => (measured.get(band.of) ?? []).map((one) => ({ band, one })));
    const hit = known.find(({ band, one }) => isWithin(band, one.value));
    const any = hit ?? known.find(({ band }) => VITAL.has(band.of));
    return any === undefined ? [] : [{ id, presence: hit === undefined ? 'absent' : 'present', quote: any.one.quote }];
  });
}

function fits({ from, to }: Ages, ageYears: number): boolean {
  return ageYears >= from && ageYears <= to;
}

function isWithin(
  { from = Number.NEGATIVE_INFINITY, below = Number.POSITIVE_INFINITY }: ValueBand,
  value: number,
): boolean {
  return value >= from && value < below;
}

/** Returns the worst value: the one furthest from healthy. */
export function worstOf(name: ValueName, readings: readonly MeasuredValue[]): number {
  const values = readings.map(({ value }) => value);
  const low = Math.min(...values.slice(0, MOST));
  const high = Math.max(...values.slice(0, MOST));
  return low < (LOW_BELOW[name] ?? Number.NEGATIVE_INFINITY) ? low : high;
}

/** Enough for any chart. A longer hostile list would be too many arguments for one call. */
const MOST = 1000;
/** A value below these is worse than a high one. */
const LOW_BELOW: Partial<Readonly<Record<ValueName, number>>> = {
  temperature: 35.5,
  'heart-rate': 50,
  'respiratory-rate': 10,
  systolic: 100,
  diastolic: 50,
  'oxygen-saturation': 101,
  glucose: 70,
  'coma-scale': 16,
};
