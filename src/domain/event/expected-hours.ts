// The hours in which a site expects events (`Mon-Fri 07:00-19:00` in its time zone): whether they are on now, and since when. Hours that
// touch each other count as one period. Daylight saving time is respected.
import { dayAt, spanOf } from '../fhir-time.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const FORM =
  /^(?<first>[A-Z][a-z]{2})(?:-(?<last>[A-Z][a-z]{2}))? (?<fromHour>\d\d):(?<fromMinute>\d\d)-(?<toHour>\d\d):(?<toMinute>\d\d)$/;
const DAY_MS = 86_400_000;
/** Hours without an end are followed back for about a week, which is longer than any sensible `atLeastOne`. */
const DAYS_BACK = 8;

type Hours = { readonly isOn: (weekday: number) => boolean; readonly fromMinute: number; readonly toMinute: number };
type Opening = { readonly fromMs: number; readonly untilMs: number };

/** The start of the current period; undefined outside of the hours. Hours that are absent or cannot be parsed are always on. */
export function expectedSince(during: string | undefined, timeZone: string, now: Date): Date | undefined {
  const hours = during === undefined ? undefined : parseHours(during);
  if (hours === undefined) return new Date(0);
  const nowMs = now.getTime();
  const openings = openingsUntil(hours, timeZone, nowMs);
  const current = openings.findIndex(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs);
  if (current < 0) return undefined;
  let fromMs = openings[current]?.fromMs ?? nowMs;
  for (const earlier of openings.slice(current + 1))
    if (earlier.untilMs >= fromMs) fromMs = Math.min(fromMs, earlier.fromMs);
  return new Date(fromMs);
}

function parseHours(during: string): Hours | undefined {
  const { first, last = first, fromHour, fromMinute, toHour, toMinute } = FORM.exec(during)?.groups ?? {};
  const [from, to] = [first, last].map((day = '') => DAYS.indexOf(day));
  if (from === undefined || to === undefined || from < 0 || to < 0) return undefined;
  return {
    // A range may go over the end of the week: `Sat-Mon`.
    isOn: (weekday) => (weekday - from + 7) % 7 <= (to - from + 7) % 7,
    fromMinute: Number(fromHour) * 60 + Number(fromMinute),
    toMinute: Number(toHour) * 60 + Number(toMinute),
  };
}

/** The periods of today and of the days before, the newest first. */
function openingsUntil({ isOn, fromMinute, toMinute }: Hours, timeZone: string, nowMs: number): readonly Opening[] {
  const { year, month, day } = dayAt(nowMs, timeZone);
  const today = Date.UTC(year, month - 1, day);
  const isOvernight = toMinute <= fromMinute;
  return Array.from({ length: DAYS_BACK }, (_, back) => today - back * DAY_MS)
    .filter((date) => isOn(new Date(date).getUTCDay()))
    .map((date) => ({
      fromMs: momentAt(date, fromMinute, timeZone),
      untilMs: momentAt(date, toMinute + (isOvernight ? 24 * 60 : 0), timeZone),
    }));
}

/** The moment of a local time of that day; minutes beyond the end of the day belong to the next one. */
function momentAt(date: number, minutes: number, timeZone: string): number {
  const wall = new Date(date + minutes * 60_000).toISOString().slice(0, 16);
  return spanOf(wall, timeZone)?.fromMs ?? date;
}
