import { describe, expect, it } from '@jest/globals';
import { toConversation } from '../../../src/domain/recording/conversation.ts';
import { numberSpeakers, speakerLabelledText, type Transcript } from '../../../src/domain/recording/transcript.ts';

const transcript: Transcript = {
  durationSeconds: 12.5,
  language: 'en',
  utterances: [
    { speaker: 1, text: 'It hurts here.', startSeconds: 3, endSeconds: 4, confidence: 0.9 },
    { speaker: 0, text: 'What brings you in?', startSeconds: 0.5, endSeconds: 2, confidence: 0.99 },
  ],
};

function makeCounter(): () => string {
  let count = 0;
  return () => `id-${++count}`;
}

describe('a conversation', () => {
  it('messages are in the order of time, with speakers from 0 and labels from 1', () => {
    const { messages, metadata } = toConversation({ transcript, includeTimestamps: true, makeId: makeCounter() });
    expect(messages).toEqual([
      {
        id: 'id-1',
        speaker: 0,
        speaker_label: 'Speaker 1',
        text: 'What brings you in?',
        start_time: 0.5,
        end_time: 2,
        confidence: 0.99,
      },
      {
        id: 'id-2',
        speaker: 1,
        speaker_label: 'Speaker 2',
        text: 'It hurts here.',
        start_time: 3,
        end_time: 4,
        confidence: 0.9,
      },
    ]);
    expect(metadata).toEqual({ total_duration: 12.5, total_messages: 2, speaker_count: 2, language: 'en' });
  });

  it('times and confidence are left out unless requested', () => {
    const { messages } = toConversation({ transcript, includeTimestamps: false, makeId: makeCounter() });
    expect(Object.keys(messages[0] ?? {})).toEqual(['id', 'speaker', 'speaker_label', 'text']);
  });
});

describe('speakers', () => {
  it('speakers are numbered by their first utterance, whatever the vendor’s numbers are', () => {
    expect(numberSpeakers([4, 4, 0, 4, undefined, 7])).toEqual([0, 0, 1, 0, 1, 2]);
  });

  it('each line of the transcript for the model begins with its speaker', () => {
    expect(speakerLabelledText(transcript)).toBe('Speaker 2: It hurts here.\nSpeaker 1: What brings you in?');
  });
});
