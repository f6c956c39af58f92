// Formats times and durations for people.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago a time is: `40 s`, `3 min`, `2 h`, `5 d`. */
export function ageOf(time: string, now: Date): string {
  const ms = Math.max(0, now.getTime() - Date.parse(time));
  if (ms < MINUTE) return `${Math.floor(ms / 1_000)} s`;
  if (ms < 2 * HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** How long something took: `0.4 s`, `44 s`, `3 min 5 s`. Undefined if it has not both started and finished. */
export function tookOf({
  startedAt,
  finishedAt,
}: {
  readonly startedAt?: string;
  readonly finishedAt?: string;
}): string | undefined {
  if (startedAt === undefined || finishedAt === undefined) return undefined;
  const ms = Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / 1_000)} s`;
  return `${Math.floor(ms / MINUTE)} min ${Math.floor((ms % MINUTE) / 1_000)} s`;
}

/** A time as `08:30:05` in the reader's time zone, with the day if it is not today. */
export function wallClock(time: string, now: Date): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return time;
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':');
  return at.toDateString() === now.toDateString() ? clock : `${dayOf(at)} ${clock}`;
}

function dayOf(at: Date): string {
  return [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join('-');
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** Formats a time as `2026-11-21 08:30:05` (UTC). */
export function exactTime(time: string | undefined): string | undefined {
  return time?.slice(0, 19).replace('T', ' ');
}

/** Formats an offset in a recording as `1:05`. */
export function offsetOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${twoDigits(Math.floor(seconds % 60))}`;
}
