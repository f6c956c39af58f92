// POST /transcribe/conversation by docs/service-interface.md: the text, its speakers and its times.
import { afterEach, describe, expect, it } from '@jest/globals';
import { conversationResponse } from '../../src/inbound/http/api/response-schemas.ts';
import { CONSULTATIONS, type Line, listenAnswer } from '../support/deepgram-server.ts';
import { postForm } from '../support/journey-client.ts';
import {
  CONVERSATION_PATH,
  conversationOf,
  expectError,
  fieldParts,
  openClinic,
  recordingPart,
  sendRecording,
} from '../support/journey-upload.ts';
import { openedForFile } from '../support/opened-for-file.ts';

const LINES = CONSULTATIONS['en'] ?? [];

const clinic = openedForFile(openClinic);

afterEach(() => clinic.calmDown());

const transcribe = (fields: Readonly<Record<string, string>> = {}) => sendRecording(clinic, CONVERSATION_PATH, fields);

function say(...lines: readonly Line[]): void {
  clinic.speech.behave({ kind: 'answer', body: listenAnswer(lines) });
}

/** Has a second utterance that begins before the first one, because vendors do not promise an order. */
function answerOutOfOrder(lines: readonly Line[]): void {
  const body = listenAnswer(lines) as { results: { utterances: unknown[] } };
  body.results.utterances.reverse();
  clinic.speech.behave({ kind: 'answer', body });
}

describe('the messages', () => {
  it('the answer of a conversation has messages and metadata, and nothing else', async () => {
    const answer = await transcribe();
    expect(() => conversationResponse.strict().parse(answer.body)).not.toThrow();
    expect(Object.keys(answer.body as object)).toEqual(['conversation']);
    expect(Object.keys(conversationOf(answer))).toEqual(['messages', 'metadata']);
  });

  it('messages are in chronological order, whatever the order of the vendor', async () => {
    answerOutOfOrder(LINES);
    const { messages } = conversationOf(await transcribe());
    expect(messages.map(({ text }) => text)).toEqual(LINES.map(([, text]) => text));
    const starts = messages.map(({ start_time: start = -1 }) => start);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
  });

  it('each message has an id of its own, also across answers', async () => {
    const messages = [await transcribe(), await transcribe()].flatMap((answer) => conversationOf(answer).messages);
    expect(messages).toHaveLength(2 * LINES.length);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(2 * LINES.length);
    for (const { id } of messages) expect(id).not.toBe('');
  });

  it('speaker counts from 0 by first speech in the audio, not by the numbers of the vendor', async () => {
    say([7, 'Good morning.'], [2, 'Hello doctor.'], [7, 'What hurts?'], [0, 'My mother has a cough.']);
    expect(conversationOf(await transcribe()).messages.map(({ speaker }) => speaker)).toEqual([0, 1, 0, 2]);
  });

  it('the first speaker is the one who speaks first in time, whatever the order of the vendor', async () => {
    answerOutOfOrder([
      [7, 'Good morning.'],
      [2, 'Hello doctor.'],
    ]);
    expect(conversationOf(await transcribe()).messages.map(({ speaker }) => speaker)).toEqual([0, 1]);
  });

  it('speaker_label is "Speaker <n>", counted from 1: speaker 0 is Speaker 1', async () => {
    const { messages } = conversationOf(await transcribe());
    expect(messages.map(({ speaker, speaker_label: label }) => [speaker, label])).toEqual(
      LINES.map(([vendorSpeaker]) => (vendorSpeaker === 4 ? [0, 'Speaker 1'] : [1, 'Speaker 2'])),
    );
  });

  it('text of a message is the spoken text with its punctuation and accents', async () => {
    say([0, 'Sí, señor: 38,2 °C — “fiebre”.']);
    expect(conversationOf(await transcribe()).messages[0]?.text).toBe('Sí, señor: 38,2 °C — “fiebre”.');
  });

  it('start_time and end_time of a message are seconds of the recording', async () => {
    say([0, 'one two three four'], [1, 'five six']);
    const { messages } = conversationOf(await transcribe());
    expect(messages.map(({ start_time: start, end_time: end }) => [start, end])).toEqual([
      [0.5, 2.5],
      [3.5, 4.5],
    ]);
  });

  it('confidence of a message is the average of its words', async () => {
    const words = [0.5, 1, 0.6].map((confidence, index) => ({ word: 'a', start: index, end: index + 1, confidence }));
    const utterance = { start: 0, end: 3, confidence: 0.1, transcript: 'a a a', speaker: 0, words };
    const body = { metadata: { duration: 3 }, results: { channels: [], utterances: [utterance] } };
    clinic.speech.behave({ kind: 'answer', body });
    expect(conversationOf(await transcribe()).messages[0]?.confidence).toBe(0.7);
  });
});

describe('the metadata of a conversation', () => {
  it('total_duration of a conversation is the length of the audio in seconds', async () => {
    say([0, 'one two three four']);
    expect(conversationOf(await transcribe()).metadata.total_duration).toBe(3.5);
  });

  it('total_messages of a conversation is the number of messages', async () => {
    const { messages, metadata } = conversationOf(await transcribe());
    expect(metadata.total_messages).toBe(messages.length);
    expect(metadata.total_messages).toBe(LINES.length);
  });

  it('speaker_count of a conversation is the number of speakers', async () => {
    say([9, 'One.'], [3, 'Two.'], [9, 'Three.'], [5, 'Four.']);
    expect(conversationOf(await transcribe()).metadata.speaker_count).toBe(3);
  });

  it.each(['en', 'es', 'pt'])('language of the metadata is that of the conversation: %s', async (language) => {
    const { messages, metadata } = conversationOf(await transcribe({ language }));
    expect(metadata.language).toBe(language);
    expect(messages.map(({ text }) => text)).toEqual((CONSULTATIONS[language] ?? []).map(([, text]) => text));
  });

  it('a conversation need not be medical', async () => {
    clinic.speech.behave({ kind: 'not-medical' });
    expect(conversationOf(await transcribe()).messages).toHaveLength(2);
  });

  it('a conversation makes no call to the model', async () => {
    conversationOf(await transcribe());
    expect(clinic.model.requests).toHaveLength(0);
  });
});

describe('the form of a conversation', () => {
  it('language of a conversation is en by default', async () => {
    expect(conversationOf(await transcribe()).metadata.language).toBe('en');
    expect(clinic.speech.requests.at(-1)?.query['language']).toBe('en');
  });

  it.each([
    ['absent', {}],
    ['empty', { include_timestamps: '' }],
    ['"true"', { include_timestamps: 'true' }],
  ])('each message has start_time, end_time and confidence if include_timestamps is %s', async (_, fields) => {
    const { messages } = conversationOf(await transcribe(fields as Record<string, string>));
    expect(messages).toHaveLength(LINES.length);
    for (const message of messages) {
      expect(message).toMatchObject({
        start_time: expect.any(Number),
        end_time: expect.any(Number),
        confidence: expect.any(Number),
      });
    }
  });

  it('no message has start_time, end_time or confidence if include_timestamps is "false"', async () => {
    const { messages } = conversationOf(await transcribe({ include_timestamps: 'false' }));
    expect(messages).toHaveLength(LINES.length);
    for (const message of messages) {
      expect(Object.keys(message).toSorted()).toEqual(['id', 'speaker', 'speaker_label', 'text']);
    }
  });

  it.each(['yes', '2', 'null', 'false '])(
    'include_timestamps is a boolean: "%s" is 400, before the vendor is called',
    async (value) => {
      const callsBefore = clinic.speech.requests.length;
      const message = expectError(await transcribe({ include_timestamps: value }), 400);
      expect(message).toBe('include_timestamps must be true or false');
      expect(clinic.speech.requests).toHaveLength(callsBefore);
    },
  );

  it('include_timestamps behind the file counts as well', async () => {
    const parts = [recordingPart(), ...fieldParts({ include_timestamps: 'false' })];
    const answer = await postForm(clinic.engine, CONVERSATION_PATH, clinic.key, parts);
    expect(conversationOf(answer).messages[0]).not.toHaveProperty('start_time');
  });

  it('the fields of a note are ignored for a conversation', async () => {
    conversationOf(await transcribe({ note_type: 'nothing', template: 'nothing', custom_template: 'nothing' }));
  });
});
