// FHIR dates and times as spans, as wide as their precision. A time without an offset is in the time zone of the site.

/** `untilMs` is the first moment after the span. */
export type TimeSpan = { readonly fromMs: number; readonly untilMs: number };

export type Day = { readonly year: number; readonly month: number; readonly day: number };

const TIME =
  /^(?!0000)(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01])(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(\.\d+)?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?)?)?$/;
const MINUTE_MS = 60_000;

/** Undefined if the text is neither a date nor a dateTime. */
export function spanOf(text: unknown, timeZone: string): TimeSpan | undefined {
  if (typeof text !== 'string' || text.length > 40) return undefined;
  const match = TIME.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => (part ? Number(part) : undefined));
  if (year === undefined || (day !== undefined && day > daysIn(year, month ?? 1))) return undefined;
  const offset = match[8];
  const atWall = (wallMs: number) =>
    offset === undefined ? momentOfWall(wallMs, timeZone) : wallMs - minutesOf(offset) * MINUTE_MS;
  const from = wallClock(year, month ?? 1, day ?? 1) + (hour ?? 0) * 3_600_000 + (minute ?? 0) * MINUTE_MS;
  if (hour !== undefined) {
    const fromMs = atWall(from + (second ?? 0) * 1000);
    return { fromMs, untilMs: fromMs + (second === undefined ? MINUTE_MS : 1000) };
  }
  const next = month === undefined ? wallClock(year + 1, 1, 1) : nextWall(year, month, day);
  return { fromMs: atWall(from), untilMs: atWall(next) };
}

function nextWall(year: number, month: number, day: number | undefined): number {
  return day === undefined ? wallClock(year, month + 1, 1) : wallClock(year, month, day + 1);
}

/** Treats the date as UTC. Date.UTC is not used because it takes the year 50 for 1950. */
function wallClock(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

export function daysIn(year: number, month: number): number {
  return new Date(wallClock(year, month + 1, 0)).getUTCDate();
}

function minutesOf(offset: string): number {
  if (offset === 'Z') return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6));
  return offset.startsWith('-') ? -minutes : minutes;
}

function momentOfWall(wallMs: number, timeZone: string): number {
  const guess = wallMs - offsetMs(wallMs, timeZone);
  // Computed again: the first guess may be on the other side of a change to or from daylight saving time.
  return wallMs - offsetMs(guess, timeZone);
}

function offsetMs(moment: number, timeZone: string): number {
  const { year, month, day, hour, minute } = wallAt(moment, timeZone);
  const wall = wallClock(year, month, day) + hour * 3_600_000 + minute * MINUTE_MS;
  return wall - Math.floor(moment / MINUTE_MS) * MINUTE_MS;
}

/** The local day of a moment. */
export function dayAt(moment: number, timeZone: string): Day {
  const { year, month, day } = wallAt(moment, timeZone);
  return { year, month, day };
}

/** A formatter is expensive to create, and each site needs one. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

function wallAt(moment: number, timeZone: string): Day & { readonly hour: number; readonly minute: number } {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const [year = 1, month = 1, day = 1] = [parts.get('year'), parts.get('month'), parts.get('day')];
  return { year, month, day, hour: parts.get('hour') ?? 0, minute: parts.get('minute') ?? 0 };
}
