// Batches of HL7 v2 messages: how they are taken apart, and how they are answered.
import { describe, expect, it } from '@jest/globals';
import { makeHl7Answer } from '../../../../src/flows/intake/formats/hl7-answer.ts';
import { openBatch } from '../../../../src/flows/intake/formats/hl7-batch.ts';
import { anAdt } from '../../../support/event-samples.ts';
import { fc } from '../../../support/fast-check.ts';

const FHS = 'FHS|^~\\&|ADTSYS|MERCY|CHARTWRIGHT|ENGINE|20261121||file-7.hl7||F-7\r';
const BHS = 'BHS|^~\\&|ADTSYS|MERCY|CHARTWRIGHT|ENGINE|20261121||||B-42\r';
const adt = (controlId: string) => anAdt({ controlId });
const two = adt('m-1') + adt('m-2');
const now = new Date('2026-11-21T16:00:05Z');

const open = (text: string) => openBatch(Buffer.from(text));
const messagesIn = (text: string) =>
  open(text)?.groups.map(({ messages }) => messages.map((message) => Buffer.from(message).toString()));

function answerOf(text: string, parts: Partial<Parameters<typeof makeHl7Answer>[0]> = {}): string {
  let count = 0;
  const makeId = () => `a-${++count}`;
  return makeHl7Answer({ body: Buffer.from(text), results: [{ kind: 'stored' }], now, makeId, ...parts });
}

describe('a batch of HL7 v2 messages', () => {
  it.each([
    ['a file with one batch', `${FHS}${BHS}${two}BTS|2\rFTS|1\r`, [[adt('m-1'), adt('m-2')]]],
    ['a batch without a file', `${BHS}${two}BTS|2\r`, [[adt('m-1'), adt('m-2')]]],
    ['a file without a batch', `${FHS}${two}FTS|2\r`, [[adt('m-1'), adt('m-2')]]],
    [
      'a file with two batches',
      `${FHS}${BHS}${two}BTS|2\r${BHS}${adt('m-3')}BTS|1\rFTS|2\r`,
      [[adt('m-1'), adt('m-2')], [adt('m-3')]],
    ],
    ['no trailers', `${FHS}${BHS}${two}`, [[adt('m-1'), adt('m-2')]]],
    ['trailers without counts', `${FHS}${BHS}${two}BTS\rFTS||done\r`, [[adt('m-1'), adt('m-2')]]],
    ['line feeds', `${FHS}${BHS}${two}BTS|2\rFTS|1\r`.replaceAll('\r', '\r\n'), [[adt('m-1'), adt('m-2')]]],
    ['framing around all', `\u000b${FHS}${BHS}${two}BTS|2\rFTS|1\r\u001c\r`, [[adt('m-1'), adt('m-2')]]],
    [
      'framing around each message',
      `${BHS}\u000b${adt('m-1')}\u001c\r\u000b${adt('m-2')}\u001c\rBTS|2\r`,
      [[adt('m-1'), adt('m-2')]],
    ],
    ['no messages', `${FHS}${BHS}BTS|0\rFTS|1\r`, [[]]],
  ])('is taken apart: %s', (_title, text, messages) => {
    expect(messagesIn(text)).toEqual(messages);
    expect(open(text)?.problem).toBeUndefined();
  });

  it.each([
    [
      'messages are missing',
      `${BHS}${two}BTS|3\r`,
      'The batch is not complete: it has 2 messages, and its trailer counts 3 (BTS-1)',
    ],
    [
      'there are too many messages',
      `${BHS}${two}BTS|1 \r`,
      'The batch is not complete: it has 2 messages, and its trailer counts 1 (BTS-1)',
    ],
    [
      'batches are missing',
      `${FHS}${BHS}${two}BTS|2\rFTS|2\r`,
      'The batch is not complete: it has 1 batches, and its trailer counts 2 (FTS-1)',
    ],
  ])('is not complete if %s, and what is there is taken', (_title, text, problem) => {
    expect(open(text)?.problem).toBe(problem);
    expect(messagesIn(text)).toEqual([[adt('m-1'), adt('m-2')]]);
  });

  it.each([
    ['one message', adt('m-1')],
    ['messages without a batch around them', two],
    ['a text', 'BHS is no batch'],
    ['nothing', ''],
  ])('is not: %s', (_title, text) => {
    expect(open(text)).toBeUndefined();
  });

  it('has at most 10,000 messages', () => {
    const many = open(BHS + 'MSH|^~\\&|a\r'.repeat(10_001));
    expect(many).toEqual({ groups: [], problem: 'It is a batch of more than 10000 messages: send several' });
  });

  it('can be any bytes', () => {
    fc.assert(
      fc.property(fc.constantFrom(FHS, BHS), fc.uint8Array({ maxLength: 400 }), (header, rest) => {
        const body = Buffer.concat([Buffer.from(header), rest]);
        expect(openBatch(body)).toBeDefined();
        expect(makeHl7Answer({ body, results: [{ kind: 'failed' }], now, makeId: () => 'a' })).not.toMatch(/\n/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the answer to a batch', () => {
  it('is a batch of acknowledgements that names the batch and each message', () => {
    const answer = answerOf(`${FHS}${BHS}${two}BTS|2\rFTS|1\r`, {
      results: [{ kind: 'stored' }, { kind: 'refused', text: 'It has no visit number' }],
    });
    expect(answer.split('\r')).toEqual([
      'FHS|^~\\&|CHARTWRIGHT|ENGINE|ADTSYS|MERCY|20261121160005+0000||||a-3|F-7',
      'BHS|^~\\&|CHARTWRIGHT|ENGINE|ADTSYS|MERCY|20261121160005+0000||||a-4|B-42',
      'MSH|^~\\&|CHARTWRIGHT|MERCY|ADTSYS|MERCY|20261121160005+0000||ACK^A03^ACK|a-1|P|2.5.1',
      'MSA|AA|m-1',
      'MSH|^~\\&|CHARTWRIGHT|MERCY|ADTSYS|MERCY|20261121160005+0000||ACK^A03^ACK|a-2|P|2.5.1',
      'MSA|AR|m-2|It has no visit number',
      'BTS|2',
      'FTS|1',
      '',
    ]);
  });

  it('says in its first header what is wrong with the batch', () => {
    const answer = answerOf(`${BHS}${two}BTS|3\r`, { comment: 'It has 2 messages | not 3' });
    expect(answer).toMatch(
      /^BHS\|\^~\\&\|CHARTWRIGHT\|ENGINE\|ADTSYS\|MERCY\|\d{14}\+0000\|\|\|It has 2 messages \\F\\ not 3\|a-3\|B-42\r/,
    );
    expect(answer).toMatch(/BTS\|2\r$/);
  });

  it('has only the acknowledgements that the messages ask for', () => {
    const asking = (controlId: string) => adt(controlId).replace('|2.5.1||||||', '|2.5.1|||ER|||||');
    const text = `${BHS}${asking('m-1')}${asking('m-2')}BTS|2\r`;
    const results = [{ kind: 'stored' }, { kind: 'refused' }] as const;
    expect(
      answerOf(text, { results })
        .split('\r')
        .filter((line) => /^MSA|^BTS/.test(line)),
    ).toEqual(['MSA|CR|m-2', 'BTS|1']);
    expect(answerOf(text)).toBe('');
  });

  it('is one acknowledgement for one message', () => {
    expect(answerOf(adt('m-9'))).toMatch(/^MSH[^\r]*\rMSA\|AA\|m-9\r$/);
  });
});
