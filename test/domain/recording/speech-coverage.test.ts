import { describe, expect, it } from '@jest/globals';
import { coverSpeech } from '../../../src/domain/recording/speech-coverage.ts';
import type { Transcript } from '../../../src/domain/recording/transcript.ts';
import type { SoundSpan } from '../../../src/domain/run/step-results.ts';

function aTranscript(
  durationSeconds: number,
  ...spans: (readonly [startSeconds: number, endSeconds: number])[]
): Transcript {
  const utterances = spans.map(([startSeconds, endSeconds]) => ({
    speaker: 0,
    text: 'made up',
    startSeconds,
    endSeconds,
    confidence: 0.9,
  }));
  return { utterances, durationSeconds, language: 'en' };
}

const heard = (startSeconds: number, endSeconds: number): SoundSpan => ({ startSeconds, endSeconds });
const speech = (startSeconds: number, endSeconds: number): SoundSpan => ({
  startSeconds,
  endSeconds,
  isLikeSpeech: true,
});

describe('words over silence', () => {
  it('utterances with almost no sound are reported', () => {
    const transcript = aTranscript(60, [0, 2], [10, 14], [20, 21], [30, 34]);
    const sound = [heard(0, 2), heard(30, 31)];
    expect(coverSpeech({ transcript, sound }).overSilence).toEqual([1, 2]);
  });

  it('word times are inexact: a third of a second beside the sound is accepted', () => {
    const sound = [heard(10, 11)];
    expect(coverSpeech({ transcript: aTranscript(60, [11.1, 11.4]), sound }).overSilence).toEqual([]);
    expect(coverSpeech({ transcript: aTranscript(60, [11.4, 11.8]), sound }).overSilence).toEqual([0]);
    expect(coverSpeech({ transcript: aTranscript(60, [11, 11]), sound }).overSilence).toEqual([]);
    expect(coverSpeech({ transcript: aTranscript(60, [5, 5]), sound }).overSilence).toEqual([0]);
  });

  it('they are not reported if the sound is not measured', () => {
    expect(coverSpeech({ transcript: aTranscript(60, [0, 2]) })).toEqual({ overSilence: [] });
  });

  it('all utterances of a silent recording are reported', () => {
    expect(coverSpeech({ transcript: aTranscript(60, [0, 2], [3, 4]), sound: [] }).overSilence).toEqual([0, 1]);
  });
});

describe('the share of speech that the transcript covers', () => {
  it('it counts sound that is like speech, and pauses of a second as covered', () => {
    const transcript = aTranscript(60, [0, 9], [10.5, 20]);
    expect(coverSpeech({ transcript, sound: [speech(0, 20)] }).coverage).toBe(1);
    expect(coverSpeech({ transcript, sound: [speech(0, 20), speech(30, 39)] }).coverage).toBeCloseTo(20 / 29);
  });

  it('music and noise need no words', () => {
    const transcript = aTranscript(60, [0, 20]);
    expect(coverSpeech({ transcript, sound: [speech(0, 20), heard(20, 60)] }).coverage).toBe(1);
  });

  it('it is undefined for a few seconds of speech', () => {
    expect(coverSpeech({ transcript: aTranscript(60), sound: [speech(0, 9)] })).not.toHaveProperty('coverage');
    expect(coverSpeech({ transcript: aTranscript(60), sound: [speech(0, 11)] }).coverage).toBe(0);
  });

  it.each([
    [60, 100, 0.6],
    [94, 100, 0.94],
    [95, 100, undefined],
    [100, 100, undefined],
    [120, 100, undefined],
    [60, 0, undefined],
    [60, Number.NaN, undefined],
  ])('a transcript of %d seconds for a recording of %d: %s', (durationSeconds, declaredSeconds, expected) => {
    expect(coverSpeech({ transcript: aTranscript(durationSeconds), declaredSeconds }).coverage).toBe(expected);
  });

  it('the lower of the two shares applies', () => {
    const parts = { transcript: aTranscript(50, [0, 10]), sound: [speech(0, 40)] };
    expect(coverSpeech({ ...parts, declaredSeconds: 100 }).coverage).toBeCloseTo(11 / 40);
    expect(coverSpeech({ ...parts, declaredSeconds: 500 }).coverage).toBeCloseTo(0.1);
  });
});
