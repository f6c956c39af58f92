// When events of a site are expected, by the site's own clock.
import { describe, expect, test } from '@jest/globals';
import { expectedSince } from '../../../src/domain/event/expected-hours.ts';

const CHICAGO = 'America/Chicago';
const since = (during: string | undefined, now: string, timeZone = CHICAGO) =>
  expectedSince(during, timeZone, new Date(now))?.toISOString();

describe('the hours in which events are expected', () => {
  test('begin and end by the clock of the site, not of the machine', () => {
    // A Monday; Chicago is six hours behind.
    expect(since('Mon-Fri 07:00-19:00', '2026-03-02T13:00:00Z')).toBe('2026-03-02T13:00:00.000Z');
    expect(since('Mon-Fri 07:00-19:00', '2026-03-02T12:59:59Z')).toBeUndefined();
    expect(since('Mon-Fri 07:00-19:00', '2026-03-03T00:59:59Z')).toBe('2026-03-02T13:00:00.000Z');
    expect(since('Mon-Fri 07:00-19:00', '2026-03-03T01:00:00Z')).toBeUndefined();
  });

  test('are an hour earlier by the sun when it is summer there', () => {
    expect(since('Mon-Fri 07:00-19:00', '2026-07-06T14:00:00Z')).toBe('2026-07-06T12:00:00.000Z');
  });

  test('on the day when summer begins and ends, are those that the clock on the wall shows', () => {
    // 8 March 2026: at 02:00 it is 03:00. 1 November 2026: at 02:00 it is 01:00.
    expect(since('Sun 01:00-04:00', '2026-03-08T08:30:00Z')).toBe('2026-03-08T07:00:00.000Z');
    expect(since('Sun 01:00-04:00', '2026-03-08T09:00:00Z')).toBeUndefined();
    expect(since('Sun 00:00-04:00', '2026-11-01T09:59:00Z')).toBe('2026-11-01T05:00:00.000Z');
    expect(since('Sun 00:00-04:00', '2026-11-01T10:00:00Z')).toBeUndefined();
  });

  test('are none on the days that are not named', () => {
    expect(since('Mon-Fri 07:00-19:00', '2026-03-07T16:00:00Z')).toBeUndefined();
    expect(since('Sat 07:00-19:00', '2026-03-07T16:00:00Z')).toBe('2026-03-07T13:00:00.000Z');
  });

  test('may go over midnight, and over the end of the week', () => {
    expect(since('Fri-Sat 22:00-06:00', '2026-03-08T10:00:00Z')).toBe('2026-03-08T04:00:00.000Z');
    expect(since('Sat-Mon 08:00-12:00', '2026-03-02T15:00:00Z')).toBe('2026-03-02T14:00:00.000Z');
    expect(since('Sat-Mon 08:00-12:00', '2026-03-03T15:00:00Z')).toBeUndefined();
  });

  test('that end where the next begin are one: nobody starts to wait anew at midnight', () => {
    expect(since('Mon-Sun 00:00-24:00', '2026-03-06T18:00:00Z')).toBe('2026-02-27T06:00:00.000Z');
    expect(since('Mon-Fri 00:00-24:00', '2026-03-04T18:00:00Z')).toBe('2026-03-02T06:00:00.000Z');
  });

  test('are always where none are set, or what is set cannot be read', () => {
    for (const during of [undefined, 'whenever', 'Xyz 07:00-19:00']) {
      expect(since(during, '2026-03-07T03:00:00Z')).toBe('1970-01-01T00:00:00.000Z');
    }
  });
});
