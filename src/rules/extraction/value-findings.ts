// Derives findings from measured values: a temperature of 39 is fever, even if the text does not say so; one of 36.5 denies fever.
import { isWithin } from '../knowledge/findings.ts';
import { ASSUMED_YEARS, type Finding, type ValueBand, type ValueName } from '../knowledge/knowledge.ts';
import type { Person } from './history-facts.ts';

/** A measured value with its words in the text. */
export type MeasuredValue = { readonly value: number; readonly quote: string };

/**
 * Vital signs, each with the value below which it is worse than a high one. They are measured on purpose: a value outside the bounds
 * denies the finding. A duration or an age denies nothing.
 */
const LOW_VITAL: Partial<Readonly<Record<ValueName, number>>> = {
  temperature: 35.5,
  'heart-rate': 50,
  'respiratory-rate': 10,
  systolic: 100,
  diastolic: 50,
  'oxygen-saturation': 101,
  glucose: 70,
  'coma-scale': 16,
};
/** Enough for any chart. A longer hostile list would be too many arguments for one call. */
const MOST = 1000;

export function findByValues(
  findings: Iterable<Finding>,
  measured: ReadonlyMap<ValueName, readonly MeasuredValue[]>,
  { ageYears = ASSUMED_YEARS }: Person,
): { readonly id: string; readonly presence: 'present' | 'absent'; readonly quote: string }[] {
  return Array.from(findings).flatMap(({ id, values }) => {
    // Few findings have values, and each sentence with a number comes here.
    if (values.length === 0) return [];
    const bands = values.filter(({ ages }) => ages === undefined || isWithin(ageYears, ages));
    const known = bands.flatMap((band) => (measured.get(band.of) ?? []).map((one) => ({ band, one })));
    const hit = known.find(({ band, one }) => isInBand(band, one.value));
    const any = hit ?? known.find(({ band }) => LOW_VITAL[band.of] !== undefined);
    return any === undefined ? [] : [{ id, presence: hit === undefined ? 'absent' : 'present', quote: any.one.quote }];
  });
}

function isInBand(
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
  return low < (LOW_VITAL[name] ?? Number.NEGATIVE_INFINITY) ? low : high;
}
