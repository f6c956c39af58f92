import { describe, expect, it } from '@jest/globals';
import { groupRecordings, sessionKey, type TimedRecording } from '../../../src/domain/run/session.ts';
import { fc } from '../../support/fast-check.ts';

const MINUTE_MS = 60_000;
const at = (reference: string, startMinute?: number, lengthMinutes = 10): TimedRecording =>
  startMinute === undefined
    ? { reference }
    : { reference, startMs: startMinute * MINUTE_MS, endMs: (startMinute + lengthMinutes) * MINUTE_MS };

const membersOf = (recordings: readonly TimedRecording[], group: string) =>
  groupRecordings(recordings, group).map((one) => one.recordings);

describe('the key of a session', () => {
  it('the same recordings always have the same key', () => {
    expect(sessionKey(['Media/7'])).toBe('s-55b466acb32f599267be5347');
    expect(sessionKey(['DocumentReference/1', 'Media/7'])).toMatch(/^s-[0-9a-f]{24}$/);
  });

  it('the order and repetition of recordings do not change the key', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^(Media|DocumentReference)\/[a-z0-9]{1,8}$/), { minLength: 1 });
    fc.assert(
      fc.property(names, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (references, chances) => {
        const shuffled = references
          .map((reference) => ({ reference, key: Number(chances.next().value) }))
          .toSorted((one, other) => one.key - other.key)
          .map(({ reference }) => reference);
        expect(sessionKey([...shuffled, ...shuffled.slice(0, 1)])).toBe(sessionKey(references));
      }),
    );
  });

  it('other recordings have another key', () => {
    expect(sessionKey(['Media/7', 'Media/8'])).not.toBe(sessionKey(['Media/7']));
    // Two names are not one that has a comma in it.
    expect(sessionKey(['a","b'])).not.toBe(sessionKey(['a', 'b']));
  });
});

describe('grouping recordings into sessions', () => {
  const morning = [at('Media/1', 0), at('Media/2', 15), at('Media/3', 120)];

  it('by encounter all recordings are one session', () => {
    expect(membersOf(morning, 'encounter')).toEqual([['Media/1', 'Media/2', 'Media/3']]);
  });

  it('by recording each recording is a session', () => {
    expect(membersOf(morning, 'recording')).toEqual([['Media/1'], ['Media/2'], ['Media/3']]);
  });

  it('by a gap a long pause begins the next session', () => {
    expect(membersOf(morning, 'gap:30m')).toEqual([['Media/1', 'Media/2'], ['Media/3']]);
    expect(membersOf(morning, 'gap:2h')).toEqual([['Media/1', 'Media/2', 'Media/3']]);
    expect(membersOf(morning, 'gap:300s')).toEqual([['Media/1', 'Media/2'], ['Media/3']]);
  });

  it('a recording within a longer one belongs to its session', () => {
    expect(membersOf([at('Media/1', 0, 120), at('Media/2', 10, 5), at('Media/3', 130)], 'gap:15m')).toHaveLength(1);
  });

  it('a recording without a known time belongs to the session before it', () => {
    expect(membersOf([at('Media/1', 0), at('Media/2'), at('Media/3', 500)], 'gap:30m')).toEqual([
      ['Media/1', 'Media/2'],
      ['Media/3'],
    ]);
  });

  it('no recording is no session', () => {
    expect(membersOf([], 'encounter')).toEqual([]);
  });
});
