// Which offset a time zone has at a wall clock's time, also in the hours around a change to or from summer time.
import { ExpressionError } from './frame.ts';

const DAY = 24 * 3_600_000;
const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * `wallMilliseconds` is the wall clock's time as if it were UTC. A time that a zone has twice is the first one; one that it skips
 * is read with the offset before the change.
 */
export function offsetMinutesAt(timeZone: string, wallMilliseconds: number): number {
  const before = offsetOfInstant(timeZone, wallMilliseconds - DAY);
  const after = offsetOfInstant(timeZone, wallMilliseconds + DAY);
  if (before === after) return before;
  const isStillBefore = offsetOfInstant(timeZone, wallMilliseconds - before * 60_000) === before;
  if (isStillBefore) return before;
  const isAfter = offsetOfInstant(timeZone, wallMilliseconds - after * 60_000) === after;
  return isAfter ? after : before;
}

export function offsetOfInstant(timeZone: string, milliseconds: number): number {
  const text = formatterOf(timeZone)
    .formatToParts(new Date(milliseconds))
    .find(({ type }) => type === 'timeZoneName')?.value;
  const match = /^GMT(?:([+-])(\d\d):?(\d\d)?)?/.exec(text ?? '');
  const minutes = Number(match?.[2] ?? 0) * 60 + Number(match?.[3] ?? 0);
  return match?.[1] === '-' ? -minutes : minutes;
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const made = makeFormatter(timeZone);
  formatters.set(timeZone, made);
  return made;
}

function makeFormatter(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    throw new ExpressionError('the time zone of the site is not known: an IANA name is needed, as in America/Chicago');
  }
}
