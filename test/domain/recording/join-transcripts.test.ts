import { describe, expect, it } from '@jest/globals';
import { joinSounds, joinTranscripts } from '../../../src/domain/recording/join-transcripts.ts';
import type { Transcript } from '../../../src/domain/recording/transcript.ts';

function aTranscript(durationSeconds: number, speakers: readonly number[], language = 'en'): Transcript {
  const utterances = speakers.map((speaker, index) => ({
    speaker,
    text: `words ${index}`,
    startSeconds: index,
    endSeconds: index + 0.5,
    confidence: 0.9,
  }));
  return { utterances, durationSeconds, language };
}

describe('the joined transcript of several recordings', () => {
  it('the recordings follow each other, each with its own speakers', () => {
    const joined = joinTranscripts([aTranscript(10, [0, 1]), aTranscript(5, []), aTranscript(20, [0, 1, 0])]);
    expect(joined.durationSeconds).toBe(35);
    expect(
      joined.utterances.map(({ speaker, startSeconds, endSeconds }) => [speaker, startSeconds, endSeconds]),
    ).toEqual([
      [0, 0, 0.5],
      [1, 1, 1.5],
      [2, 15, 15.5],
      [3, 16, 16.5],
      [2, 17, 17.5],
    ]);
  });

  it('the language is that of the first recording with speech', () => {
    expect(
      joinTranscripts([aTranscript(5, [], 'en'), aTranscript(5, [0], 'es'), aTranscript(5, [0], 'pt')]).language,
    ).toBe('es');
    expect(joinTranscripts([aTranscript(5, [], 'pt'), aTranscript(5, [], 'es')]).language).toBe('pt');
  });

  it('one recording stays unchanged, and none is an empty transcript', () => {
    const one = aTranscript(10, [0, 1, 2]);
    expect(joinTranscripts([one])).toEqual(one);
    expect(joinTranscripts([])).toEqual({ utterances: [], durationSeconds: 0, language: 'und' });
  });

  it('sound spans are shifted as well, and are undefined if one recording has none', () => {
    const sound = [{ startSeconds: 1, endSeconds: 2, isLikeSpeech: true }];
    const recordings = [
      { transcript: aTranscript(10, [0]), sound },
      { transcript: aTranscript(10, [0]), sound },
    ];
    expect(joinSounds(recordings)).toEqual([
      { startSeconds: 1, endSeconds: 2, isLikeSpeech: true },
      { startSeconds: 11, endSeconds: 12, isLikeSpeech: true },
    ]);
    expect(joinSounds([...recordings, { transcript: aTranscript(1, []) }])).toBeUndefined();
    expect(joinSounds([])).toEqual([]);
  });
});
