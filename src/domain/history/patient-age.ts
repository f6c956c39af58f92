// The age of a patient on a day, as a phrase. A birth date of FHIR may lack its day or its month.
import { type Day, daysIn, spanOf } from '../fhir-time.ts';

/** In years; in months below two years, in days below a month. Undefined if the birth date is unknown or in the future. */
export function agePhrase(birthDate: unknown, today: Day): string | undefined {
  const match = typeof birthDate === 'string' ? /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/.exec(birthDate) : null;
  if (!match || spanOf(birthDate, 'UTC') === undefined) return undefined;
  const [year = 0, month, day] = match.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
  if (month === undefined || day === undefined) return roughAge({ year, month }, today);
  const isMonthFull = today.day >= Math.min(day, daysIn(today.year, today.month));
  const months = (today.year - year) * 12 + today.month - month - (isMonthFull ? 0 : 1);
  if (months >= 24) return `${Math.floor(months / 12)} years old`;
  if (months >= 1) return counted(months, 'month');
  const days = daysBetween({ year, month, day }, today);
  return days < 0 ? undefined : counted(days, 'day');
}

/** Without the day of birth the age may be off by one, so the text says `about`. */
function roughAge(
  { year, month }: { readonly year: number; readonly month: number | undefined },
  today: Day,
): string | undefined {
  const months = (today.year - year) * 12 + (month === undefined ? 0 : today.month - month);
  if (months < 0) return undefined;
  if (months >= 24) return `about ${Math.floor(months / 12)} years old`;
  if (month === undefined) return 'under 2 years old';
  return months === 0 ? 'under 1 month old' : `about ${counted(months, 'month')}`;
}

function daysBetween(from: Day, to: Day): number {
  const at = ({ year, month, day }: Day) => new Date(0).setUTCFullYear(year, month - 1, day);
  return Math.round((at(to) - at(from)) / 86_400_000);
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'} old`;
}
