import { describe, expect, it } from '@jest/globals';
import { dayAt, spanOf } from '../../src/domain/fhir-time.ts';

function span(text: unknown, timeZone = 'America/Chicago'): string | undefined {
  const found = spanOf(text, timeZone);
  return found && [found.fromMs, found.untilMs].map((ms) => new Date(ms).toISOString().slice(0, 19)).join(' ');
}

describe('a date or time as a span', () => {
  it('the span is as wide as the precision', () => {
    expect(span('2026', 'UTC')).toBe('2026-01-01T00:00:00 2027-01-01T00:00:00');
    expect(span('2026-12', 'UTC')).toBe('2026-12-01T00:00:00 2027-01-01T00:00:00');
    expect(span('2026-11-30', 'UTC')).toBe('2026-11-30T00:00:00 2026-12-01T00:00:00');
    expect(span('2026-11-30T10:20Z')).toBe('2026-11-30T10:20:00 2026-11-30T10:21:00');
    expect(span('2026-11-30T10:20:30.5+02:00')).toBe('2026-11-30T08:20:30 2026-11-30T08:20:31');
  });

  it('a time without an offset is in the site’s time zone, also on the day of a time change', () => {
    expect(span('2026-11-21')).toBe('2026-11-21T06:00:00 2026-11-22T06:00:00');
    expect(span('2026-03-08')).toBe('2026-03-08T06:00:00 2026-03-09T05:00:00');
    expect(span('1950-01-01', 'Europe/Berlin')).toBe('1949-12-31T23:00:00 1950-01-01T23:00:00');
  });

  it('an invalid date gives undefined', () => {
    for (const text of ['2026-02-30', '0000', '2026-1-1', '2026-11-21T25:00', 'now', '', 2026, undefined, null, {}]) {
      expect(span(text)).toBeUndefined();
    }
  });

  it('the local day depends on the time zone', () => {
    const moment = Date.parse('2026-11-21T03:00:00Z');
    expect(dayAt(moment, 'America/Chicago')).toEqual({ year: 2026, month: 11, day: 20 });
    expect(dayAt(moment, 'Asia/Tokyo')).toEqual({ year: 2026, month: 11, day: 21 });
  });
});
