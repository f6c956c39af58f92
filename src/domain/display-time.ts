// A moment in UTC, for messages that have no time zone of a reader.

/** `2026-03-02 10:00 UTC` */
export function displayTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
