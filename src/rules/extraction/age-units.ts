// The units of ages.
import { TIME_WORDS, unitMap } from '../../clinical-text/measures/time-words.ts';
import type { History } from './history.ts';

const YEARS = { year: 1, month: 1 / 12, week: 7 / 365, day: 1 / 365 } as const;
const USUAL_UNITS = unitMap([
  [TIME_WORDS.year, YEARS.year],
  [TIME_WORDS.month, YEARS.month],
  [TIME_WORDS.week, YEARS.week],
  [TIME_WORDS.day, YEARS.day],
]);
/** Letters that are units only if they are glued to the number: "3y", "8m". */
const GLUED_UNITS = unitMap([
  ['y', YEARS.year],
  ['m', YEARS.month],
  ['w', YEARS.week],
  ['d', YEARS.day],
]);

/** The years of one unit, or undefined if the token is no unit. */
export function unitYears({ tokens, words }: History, at: number): number | undefined {
  const text = tokens[at]?.text;
  if (text === undefined) return undefined;
  if (words.has('years', text)) return YEARS.year;
  if (words.has('months', text)) return YEARS.month;
  if (words.has('weeks', text)) return YEARS.week;
  return words.has('days', text) ? YEARS.day : USUAL_UNITS.get(text);
}

export function gluedUnitYears({ tokens }: History, at: number): number | undefined {
  const { text = '', isGlued = false, isCapital } = tokens[at] ?? {};
  return isGlued && !isCapital ? GLUED_UNITS.get(text) : undefined;
}
