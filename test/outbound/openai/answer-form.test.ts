// Whatever events an answer has: reading them by their form gives the same as reading each of them in full.
import { describe, expect, it } from '@jest/globals';
import { AnswerForm } from '../../../src/outbound/openai/answer-form.ts';
import { readStreamedPart } from '../../../src/outbound/openai/answer-part.ts';
import type { ServerEvent } from '../../../src/outbound/openai/event-reader.ts';
import { fc } from '../../support/fast-check.ts';

function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (thrown) {
    return String(thrown);
  }
}

function expectSame(events: readonly ServerEvent[]): void {
  const form = new AnswerForm();
  for (const event of events)
    expect(outcomeOf(() => form.read(event))).toEqual(outcomeOf(() => readStreamedPart(event)));
}

const aText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a', 'b', '"', '\\', '","content":"x', '"}}]', '\n', 'é', '\ud83d'),
);
/** The same members in the same order, so that most events of an answer differ in their text alone. */
const anEvent = fc
  .record({
    id: fc.constantFrom('one', 'a', '"a"'),
    model: fc.constantFrom('m', 'a', undefined),
    content: fc.oneof(aText, fc.constantFrom(null, undefined, '', 1)),
    finish: fc.constantFrom(null, null, null, 'stop', 'a'),
    others: fc.constantFrom([], [{ index: 1, delta: { content: 'a' }, finish_reason: null }]),
    isFirst: fc.boolean(),
    padding: fc.constantFrom('', 'a'),
    error: fc.constantFrom(undefined, undefined, undefined, 'x'),
    name: fc.constantFrom('', '', '', 'error', 'message'),
  })
  .map(({ id, model, content, finish, others, isFirst, padding, error, name }): ServerEvent => {
    const one = { index: 0, delta: { role: 'a', content }, finish_reason: finish };
    const choices = isFirst ? [one, ...others] : [...others, one];
    return { name, data: JSON.stringify({ id, model, error, choices, padding }) };
  });
/** Text behind the head and before the tail of an event that is no string. */
const aBrokenEvent = fc.tuple(aText, aText).map(([before, after]) => ({
  name: '',
  data: `{"choices":[{"index":0,"delta":{"content":"${before}"}}],"padding":"${after}"}`,
}));

describe('An event of an answer, read by the form of the one before it', () => {
  it('says the same as if it was read in full', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof({ weight: 4, arbitrary: anEvent }, aBrokenEvent), { maxLength: 12 }), expectSame),
      { numRuns: 2_000 },
    );
  });

  it('says the same if only texts differ, also such as JSON escapes', () => {
    fc.assert(
      fc.property(fc.array(aText, { minLength: 2, maxLength: 8 }), (texts) => {
        expectSame(
          texts.map((content) => ({
            name: '',
            data: JSON.stringify({ id: 'a', choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
          })),
        );
      }),
    );
  });

  it('is not taken apart again', () => {
    const form = new AnswerForm();
    const ofText = (content: string) => ({ name: '', data: JSON.stringify({ choices: [{ delta: { content } }] }) });
    form.read(ofText('one'));
    const { parse } = JSON;
    let parsed = 0;
    JSON.parse = (...given) => {
      parsed += 1;
      return parse(...given);
    };
    try {
      expect(form.read(ofText(' two')).content).toBe(' two');
      expect(parsed).toBe(0);
    } finally {
      JSON.parse = parse;
    }
  });
});
