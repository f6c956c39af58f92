// Days and times in the time zone of the hospital: a time as FHIR's instant, and the age of a patient.
import { fieldsOf, makeTemporal, parseTemporal, partsOf, textOfTemporal, utcMilliseconds } from './temporal.ts';
import { offsetMinutesAt, offsetOfInstant } from './time-zone.ts';

const MINUTE = 60_000;

// Nothing to be done: a second, an offset, and a day that every month has.
const IS_INSTANT =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:Z|[+-](?!00:00)(?:0\d|1[0-3]):[0-5]\d)$/;

/**
 * A time without an offset is in the zone; a day is its start there. Undefined if the text is no day or time, or only a year or
 * month.
 */
export function instantOf(text: string, timeZone: string): string | undefined {
  if (IS_INSTANT.test(text)) return text;
  const temporal = parseTemporal(text, 'dateTime');
  if (!temporal) return undefined;
  const { fields, fraction, offsetMinutes } = partsOf(temporal);
  if (fields.length < 3) return undefined;
  const wall = utcMilliseconds(fields);
  const milliseconds = wall - (offsetMinutes ?? offsetMinutesAt(timeZone, wall)) * MINUTE;
  // Asked again, since a time that summer time skips has the offset of after the change.
  const offset = offsetMinutes ?? offsetOfInstant(timeZone, milliseconds);
  const whole = fieldsOf(milliseconds + offset * MINUTE);
  const [year = 0] = whole;
  if (year < 1 || year > 9999) return undefined;
  return textOfTemporal(makeTemporal({ kind: 'dateTime', fields: whole, fraction, offsetMinutes: offset }));
}

/**
 * Whole years from a day of birth to a moment, in the zone; a day that is not known is the last that it can be. Undefined where one
 * of them is no time, or the birth is still to come.
 */
export function yearsBetween(born: string, moment: string, timeZone: string): number | undefined {
  const [birth, now] = [parseTemporal(born, 'dateTime'), parseTemporal(moment, 'dateTime')];
  if (!birth || !now) return undefined;
  const { fields, offsetMinutes = 0 } = partsOf(now);
  const milliseconds = utcMilliseconds(fields) - offsetMinutes * MINUTE;
  const today = fieldsOf(milliseconds + offsetOfInstant(timeZone, milliseconds) * MINUTE);
  const [year = 0, month = 12, day = 31] = partsOf(birth).fields;
  const [thisYear = 0, thisMonth = 1, thisDay = 1] = today;
  const isBirthdayPast = thisMonth > month || (thisMonth === month && thisDay >= day);
  const years = thisYear - year - (isBirthdayPast ? 0 : 1);
  // Born this year, on a day that is not known.
  return years < 0 && thisYear === year && partsOf(birth).fields.length < 3 ? 0 : years < 0 ? undefined : years;
}
