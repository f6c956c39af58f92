// When events of a site are expected, by the site's own clock.
import { describe, expect, it } from '@jest/globals';
import { expectedSince } from '../../../src/domain/event/expected-hours.ts';

const CHICAGO = 'America/Chicago';
const since = (during: string | undefined, now: string, timeZone = CHICAGO) =>
  expectedSince(during, timeZone, new Date(now))?.toISOString();

describe('the hours in which events are expected', () => {
  it('the hours begin and end by the clock of the site', () => {
    // A Monday; Chicago is six hours behind.
    expect(since('Mon-Fri 07:00-19:00', '2026-03-02T13:00:00Z')).toBe('2026-03-02T13:00:00.000Z');
    expect(since('Mon-Fri 07:00-19:00', '2026-03-02T12:59:59Z')).toBeUndefined();
    expect(since('Mon-Fri 07:00-19:00', '2026-03-03T00:59:59Z')).toBe('2026-03-02T13:00:00.000Z');
    expect(since('Mon-Fri 07:00-19:00', '2026-03-03T01:00:00Z')).toBeUndefined();
  });

  it('the hours are an hour earlier in UTC during daylight saving time', () => {
    expect(since('Mon-Fri 07:00-19:00', '2026-07-06T14:00:00Z')).toBe('2026-07-06T12:00:00.000Z');
  });

  it('on the days of a time change the hours follow the local clock', () => {
    // 8 March 2026: at 02:00 it is 03:00. 1 November 2026: at 02:00 it is 01:00.
    expect(since('Sun 01:00-04:00', '2026-03-08T08:30:00Z')).toBe('2026-03-08T07:00:00.000Z');
    expect(since('Sun 01:00-04:00', '2026-03-08T09:00:00Z')).toBeUndefined();
    expect(since('Sun 00:00-04:00', '2026-11-01T09:59:00Z')).toBe('2026-11-01T05:00:00.000Z');
    expect(since('Sun 00:00-04:00', '2026-11-01T10:00:00Z')).toBeUndefined();
  });

  it('days that are not named have no hours', () => {
    expect(since('Mon-Fri 07:00-19:00', '2026-03-07T16:00:00Z')).toBeUndefined();
    expect(since('Sat 07:00-19:00', '2026-03-07T16:00:00Z')).toBe('2026-03-07T13:00:00.000Z');
  });

  it('the hours may go over midnight and over the end of the week', () => {
    expect(since('Fri-Sat 22:00-06:00', '2026-03-08T10:00:00Z')).toBe('2026-03-08T04:00:00.000Z');
    expect(since('Sat-Mon 08:00-12:00', '2026-03-02T15:00:00Z')).toBe('2026-03-02T14:00:00.000Z');
    expect(since('Sat-Mon 08:00-12:00', '2026-03-03T15:00:00Z')).toBeUndefined();
  });

  it('hours that touch each other are one period, so the silence does not start again at midnight', () => {
    expect(since('Mon-Sun 00:00-24:00', '2026-03-06T18:00:00Z')).toBe('2026-02-27T06:00:00.000Z');
    expect(since('Mon-Fri 00:00-24:00', '2026-03-04T18:00:00Z')).toBe('2026-03-02T06:00:00.000Z');
  });

  it('absent or invalid hours are always on', () => {
    for (const during of [undefined, 'whenever', 'Xyz 07:00-19:00']) {
      expect(since(during, '2026-03-07T03:00:00Z')).toBe('1970-01-01T00:00:00.000Z');
    }
  });
});
