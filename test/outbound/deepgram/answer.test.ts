import { describe, expect, it } from '@jest/globals';
import { toTranscript } from '../../../src/outbound/deepgram/answer.ts';

const anAnswer = (results: object, duration = 10) => ({
  metadata: { duration },
  results: { channels: [], ...results },
});
const anUtterance = (parts: object) => ({ start: 1, end: 2, transcript: 'words', speaker: 0, ...parts });
const aWord = (text: string, speaker: number | undefined, start: number, confidence: number | undefined = 0.9) => ({
  word: text.toLowerCase(),
  punctuated_word: text,
  start,
  end: start + 0.5,
  ...(speaker !== undefined && { speaker }),
  ...(confidence !== undefined && { confidence }),
});
const inChannel = (words: object[]) => ({ channels: [{ alternatives: [{ transcript: 'as a whole', words }] }] });

const spoken = () => inChannel([aWord('Hola', 0, 0)]).channels[0];

describe('The transcript from the vendor’s answer', () => {
  it('the utterances are sorted by their start, and the speakers are numbered in that order', () => {
    const utterances = [
      anUtterance({ start: 5, end: 6, speaker: 0, transcript: 'second' }),
      anUtterance({ start: 1, end: 2, speaker: 7, transcript: 'first' }),
      anUtterance({ start: 7, end: 8, speaker: 7, transcript: 'third' }),
    ];
    const transcript = toTranscript(anAnswer({ utterances }), 'en');
    expect(transcript.utterances.map(({ text, speaker }) => [text, speaker])).toEqual([
      ['first', 0],
      ['second', 1],
      ['third', 0],
    ]);
  });

  it('utterances without words are dropped, and their speakers get no number', () => {
    const utterances = [
      anUtterance({ start: 0, speaker: 3, transcript: '  ' }),
      anUtterance({ start: 1, speaker: 4, transcript: ' Hello. ' }),
    ];
    const transcript = toTranscript(anAnswer({ utterances }), 'en');
    expect(transcript.utterances).toMatchObject([{ speaker: 0, text: 'Hello.' }]);
  });

  it('the confidence of an utterance is the average of its words, or its own if the words have none', () => {
    const words = [aWord('a', 0, 1, 0.5), aWord('b', 0, 1.5, 1), aWord('c', 0, 2, undefined)];
    const confidences = [
      { confidence: 0.1, words },
      { confidence: 0.4, words: [] },
      { confidence: 0.3 },
      {},
      { confidence: 1.5 },
    ].map((parts) => toTranscript(anAnswer({ utterances: [anUtterance(parts)] }), 'en').utterances[0]?.confidence);
    expect(confidences).toEqual([0.8, 0.4, 0.3, 0, 1]);
  });

  it('an utterance without a speaker has the speaker of its first word, or the only speaker there is', () => {
    const utterances = [
      anUtterance({ start: 1, speaker: 2 }),
      anUtterance({ start: 2, speaker: undefined, words: [aWord('a', 2, 2)] }),
    ];
    expect(toTranscript(anAnswer({ utterances }), 'en').utterances.map(({ speaker }) => speaker)).toEqual([0, 0]);
    const alone = [anUtterance({ speaker: undefined })];
    expect(toTranscript(anAnswer({ utterances: alone }), 'en').utterances[0]?.speaker).toBe(0);
  });

  it.each([
    ['no utterances', {}],
    ['an empty list of utterances', { utterances: [] }],
    ['only empty utterances', { utterances: [anUtterance({ transcript: '' })] }],
  ])('an answer with %s but with words becomes an utterance for each change of speaker', (_, more) => {
    const words = [aWord('Good', 5, 0), aWord('day.', 5, 0.5), aWord('Hello.', 1, 2), aWord('So?', 5, 3, 0.7)];
    const transcript = toTranscript(anAnswer({ ...inChannel(words), ...more }), 'pt');
    expect(transcript).toEqual({
      language: 'pt',
      durationSeconds: 10,
      utterances: [
        { speaker: 0, text: 'Good day.', startSeconds: 0, endSeconds: 1, confidence: 0.9 },
        { speaker: 1, text: 'Hello.', startSeconds: 2, endSeconds: 2.5, confidence: 0.9 },
        { speaker: 0, text: 'So?', startSeconds: 3, endSeconds: 3.5, confidence: 0.7 },
      ],
    });
  });

  it('words without speakers become one utterance', () => {
    const words = [aWord('one', undefined, 0), aWord('two', undefined, 1)];
    expect(toTranscript(anAnswer(inChannel(words)), 'en').utterances).toMatchObject([{ speaker: 0, text: 'one two' }]);
  });

  it.each([
    ['an empty answer', {}],
    ['a channel without alternatives', { channels: [{}] }],
    ['an alternative without words', { channels: [{ alternatives: [{ transcript: '' }] }] }],
    ['an empty list of words', inChannel([])],
  ])('silence, which the vendor reports as %s, becomes no utterances', (_, results) => {
    expect(toTranscript(anAnswer(results, 3.5), 'en')).toEqual({
      utterances: [],
      durationSeconds: 3.5,
      language: 'en',
    });
  });

  it.each([
    ['es', [{ detected_language: 'es' }], 'es'],
    ['pt-BR', [{ detected_language: 'pt-BR' }], 'pt'],
    ['DE_ch', [{ detected_language: 'DE_ch' }], 'de'],
    ['nothing', [{}], 'und'],
    ['no channel', [], 'und'],
    ['an unknown language', [{ detected_language: 'x-klingon' }], 'und'],
    ['two languages', [{ detected_language: 'en' }, { detected_language: 'es' }], 'en'],
    [
      'the language of a silent channel first',
      [{ detected_language: 'en' }, { detected_language: 'es', ...spoken() }],
      'es',
    ],
  ])('the vendor detects the language and reports %s', (_, channels, language) => {
    expect(toTranscript(anAnswer({ channels }), 'detect').language).toBe(language);
    expect(toTranscript(anAnswer({ channels }), 'pt').language).toBe('pt');
  });

  it.each([
    ['undefined', undefined],
    ['text', 'words'],
    ['without results', { metadata: { duration: 1 } }],
    ['without channels', { metadata: { duration: 1 }, results: {} }],
    ['without a duration', { metadata: {}, results: { channels: [] } }],
    ['with a negative duration', anAnswer({}, -1)],
    ['with an utterance without a start', anAnswer({ utterances: [anUtterance({ start: undefined })] })],
    ['with an utterance without text', anAnswer({ utterances: [anUtterance({ transcript: 5 })] })],
    ['with a word that is not text', anAnswer(inChannel([{ word: {}, start: 0, end: 1 }]))],
  ])('an answer %s is refused, and the error quotes nothing of it', (_, answer) => {
    const refusal = thrownBy(() => toTranscript(answer, 'en'));
    expect(refusal).toMatchObject({ code: 'vendorAnswer', message: expect.not.stringContaining('words') });
    expect(refusal).not.toHaveProperty('cause');
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
