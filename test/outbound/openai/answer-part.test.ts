import { describe, expect, it } from '@jest/globals';
import { readStreamedPart, readWholePart } from '../../../src/outbound/openai/answer-part.ts';

const readEvent = (value: unknown, name = '') => readStreamedPart({ name, data: JSON.stringify(value) });
const readWhole = (value: unknown) => readWholePart(JSON.stringify(value));
const failure = (message: string) => expect.objectContaining({ code: 'vendorAnswer', message });

describe('A part of an answer of the model', () => {
  it('has the text, the end and the maker of the first choice', () => {
    const said = { content: 'a', refusal: null };
    const rest = { model: 'm', system_fingerprint: 'f', usage: { total_tokens: 7 } };
    const part = { maker: { model: 'm', fingerprint: 'f' }, content: 'a', refusal: null, finishReason: 'stop' };
    const other = { index: 1, delta: { content: 'b' }, message: { content: 'b' } };
    const first = { index: 0, delta: said, message: said, finish_reason: 'stop' };
    expect(readEvent({ ...rest, choices: [other, first, { ...first, finish_reason: null }] })).toEqual(part);
    expect(readWhole({ ...rest, choices: [other, first] })).toEqual(part);
  });

  it.each([
    ['no choice', { choices: [] }],
    ['only another choice', { choices: [{ index: 1, delta: { content: 'b' } }] }],
    ['an empty choice', { choices: [{}] }],
    ['a choice that says nothing', { choices: [{ index: 0, delta: null, finish_reason: null }] }],
  ])('says nothing if the event has %s', (_, event) => {
    const { content, refusal, finishReason } = readEvent({ ...event, model: 7 });
    expect([content ?? '', refusal ?? '', finishReason ?? '']).toEqual(['', '', '']);
  });

  const MISTAKES: readonly (readonly [string, unknown])[] = [
    ['is a list', []],
    ['is nothing', null],
    ['is a text', 'a'],
    ['has no choices', {}],
    ['has choices that are no list', { choices: {} }],
    ['has a choice that is a list', { choices: [[]] }],
    ['has a choice that is nothing', { choices: [null] }],
    ['has an index that is no number', { choices: [{ index: '0', delta: {}, message: {} }] }],
    ['has an index that is null', { choices: [{ index: null, delta: {}, message: {} }] }],
    ['has an end that is no text', { choices: [{ delta: {}, message: {}, finish_reason: 1 }] }],
    ['says no object', { choices: [{ delta: 'a', message: 'a' }] }],
    ['says a list', { choices: [{ delta: [], message: [] }] }],
    ['says what is no text', { choices: [{ delta: { content: 1 }, message: { content: 1 } }] }],
    ['refuses with what is no text', { choices: [{ delta: { refusal: {} }, message: { refusal: {} } }] }],
    [
      'has a mistake in another choice',
      {
        choices: [
          { delta: {}, message: {} },
          { index: 1, delta: 1, message: 1 },
        ],
      },
    ],
  ];
  it.each(MISTAKES)('is refused if it %s', (_, value) => {
    expect(() => readEvent(value)).toThrow(failure('The reasoner sent an event of an unknown form'));
    expect(() => readWhole(value)).toThrow(failure('The reasoner answered in an unknown form'));
  });

  it('is refused if a whole answer has no message', () => {
    expect(() => readWhole({ choices: [{ index: 0 }] })).toThrow(failure('The reasoner answered in an unknown form'));
  });

  it.each([
    ['names itself an error', {}, 'error'],
    ['holds an error', { error: { message: 'made-up' }, choices: [] }, ''],
  ])('is refused if the event %s', (_, value, name) => {
    expect(() => readEvent(value, name)).toThrow(failure('The reasoner reported an error within its answer'));
  });

  it('is a SyntaxError if it is no JSON', () => {
    expect(() => readStreamedPart({ name: '', data: '{oops' })).toThrow(SyntaxError);
  });
});
