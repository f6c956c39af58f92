// A day or a time as FHIR's instant: with seconds and offset.
import { fieldsOf, makeTemporal, parseTemporal, partsOf, textOfTemporal, utcMilliseconds } from './temporal.ts';
import { offsetMinutesAt, offsetOfInstant } from './time-zone.ts';

const MINUTE = 60_000;

/**
 * A time without an offset is one of the zone, a day is its start there. Undefined where the text is no day or time, or only a
 * year or month.
 */
export function instantOf(text: string, timeZone: string): string | undefined {
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
