import { describe, expect, test } from '@jest/globals';
import { Hl7Message } from '@medplum/core';
import { type AckOrder, makeHl7Ack } from '../../../../src/flows/intake/formats/hl7-ack.ts';
import { anAdt } from '../../../support/event-samples.ts';
import { fc } from '../../../support/fast-check.ts';

const now = new Date('2026-11-21T16:00:05Z');
const ackOf = (message: string | Uint8Array, changes: Partial<AckOrder> = {}) =>
  makeHl7Ack({ message: Buffer.from(message), code: 'AA', now, controlId: 'a-1', ...changes });

describe('the answer to an HL7 v2 message', () => {
  test('goes back to the sender, and names its message', () => {
    expect(ackOf(anAdt())).toBe(
      'MSH|^~\\&|CHARTWRIGHT|MERCY|ADTSYS|MERCY|20261121160005+0000||ACK^A03^ACK|a-1|P|2.5.1\rMSA|AA|MSG00042\r',
    );
  });

  test('says in words what is wrong, without a separator in them', () => {
    const text = 'It has no visit number | ask ^ the sender\r\nat once';
    expect(ackOf(anAdt(), { code: 'AR', text })).toMatch(
      /\rMSA\|AR\|MSG00042\|It has no visit number \\F\\ ask \\S\\ the sender at once\r$/,
    );
    expect(ackOf(anAdt(), { code: 'AE', text: undefined })).toMatch(/\rMSA\|AE\|MSG00042\r$/);
  });

  test('keeps the sender’s separators and version', () => {
    const other = anAdt().replace(
      /[|^~\\&]/g,
      (each) => ({ '|': '!', '^': '*', '~': '+', '\\': '/', '&': '%' })[each] ?? '',
    );
    expect(ackOf(other.replace('2.5.1', '2.3'), { text: 'so!' })).toMatch(
      /^MSH!\*\+\/%!CHARTWRIGHT!MERCY!ADTSYS!MERCY!\d{14}\+0000!!ACK\*A03\*ACK!a-1!P!2\.3\rMSA!AA!MSG00042!so\/F\/\r$/,
    );
  });

  test.each([
    ['not HL7 at all', '{"resourceType":"Encounter"}'],
    ['empty', ''],
    ['cut in its header', 'MSH|^~'],
    ['bytes', Uint8Array.from([0, 255, 11, 28])],
  ])('can be given to what is %s', (_title, message) => {
    expect(ackOf(message, { code: 'AR', text: 'It is not HL7 v2' })).toBe(
      'MSH|^~\\&|||||20261121160005+0000||ACK|a-1|P|2.5.1\rMSA|AR||It is not HL7 v2\r',
    );
  });

  test('is given to messages that are not ADT, too, and to those without an id', () => {
    expect(ackOf(anAdt({ type: 'ORU', trigger: 'R01', controlId: '' }), { code: 'AR' })).toMatch(
      /ACK\^R01\^ACK.*\rMSA\|AR\|\r$/,
    );
  });

  test('gives back nothing that is no plain text, and nothing that is too long', () => {
    const ack = ackOf(anAdt({ controlId: `Ñ\t${'9'.repeat(400)}`, trigger: 'A03\u0007' }));
    expect(ack).toMatch(/^[ -~\r]+$/);
    expect(ack.length).toBeLessThan(500);
  });

  test('is always two segments that any parser reads', () => {
    const fields = fc.array(fc.string({ maxLength: 12 }), { maxLength: 14 });
    fc.assert(
      fc.property(fields, fc.string({ maxLength: 40 }), fc.string({ maxLength: 20 }), (words, text, controlId) => {
        const ack = ackOf(`MSH|^~\\&|${words.join('|')}`, { code: 'AE', text, controlId });
        const parsed = Hl7Message.parse(ack.replace(/\r$/, ''));
        expect(parsed.segments.map(({ name }) => name)).toEqual(['MSH', 'MSA']);
        expect(parsed.getSegment('MSA')?.getComponent(1, 1)).toBe('AE');
        expect(parsed.header.getComponent(12, 1)).toMatch(/^2/);
      }),
      { numRuns: 300 },
    );
  });
});
