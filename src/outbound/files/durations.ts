// Parses the durations of settings: `500ms`, `60s`, `5m`, `2h`, `1d`.

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 366 * 86_400_000;

export const DURATION_FORM = 'a duration like 500ms, 60s, 5m, 2h or 1d';

/** Returns milliseconds, or undefined if the text is not a duration or is longer than a year. */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text) ?? [];
  if (digits === undefined || unit === undefined) return undefined;
  const milliseconds = Number(digits) * (UNITS[unit] ?? Number.NaN);
  return milliseconds <= LONGEST_MS ? milliseconds : undefined;
}
