import { describe, expect, it } from '@jest/globals';
import { Hl7Message } from '@medplum/core';
import { type AckOrder, makeHl7Ack } from '../../../../src/flows/intake/formats/hl7-ack.ts';
import { anAdt } from '../../../support/event-samples.ts';
import { fc } from '../../../support/fast-check.ts';

const now = new Date('2026-11-21T16:00:05Z');
const ackOf = (message: string | Uint8Array, changes: Partial<AckOrder> = {}) =>
  makeHl7Ack({ message: Buffer.from(message), code: 'AA', now, controlId: 'a-1', ...changes });

describe('the acknowledgement of an HL7 v2 message', () => {
  it('it is addressed to the sender and names the message', () => {
    expect(ackOf(anAdt())).toBe(
      'MSH|^~\\&|CHARTWRIGHT|MERCY|ADTSYS|MERCY|20261121160005+0000||ACK^A03^ACK|a-1|P|2.5.1\rMSA|AA|MSG00042\r',
    );
  });

  it('it describes the problem in words without separators', () => {
    const text = 'It has no visit number | ask ^ the sender\r\nat once';
    expect(ackOf(anAdt(), { code: 'AR', text })).toMatch(
      /\rMSA\|AR\|MSG00042\|It has no visit number \\F\\ ask \\S\\ the sender at once\r$/,
    );
    expect(ackOf(anAdt(), { code: 'AE', text: undefined })).toMatch(/\rMSA\|AE\|MSG00042\r$/);
  });

  it('it uses the separators and version of the sender', () => {
    const other = anAdt().replace(
      /[|^~\\&]/g,
      (each) => ({ '|': '!', '^': '*', '~': '+', '\\': '/', '&': '%' })[each] ?? '',
    );
    expect(ackOf(other.replace('2.5.1', '2.3'), { text: 'so!' })).toMatch(
      /^MSH!\*\+\/%!CHARTWRIGHT!MERCY!ADTSYS!MERCY!\d{14}\+0000!!ACK\*A03\*ACK!a-1!P!2\.3\rMSA!AA!MSG00042!so\/F\/\r$/,
    );
  });

  it.each([
    ['not HL7 at all', '{"resourceType":"Encounter"}'],
    ['empty', ''],
    ['cut in its header', 'MSH|^~'],
    ['bytes', Uint8Array.from([0, 255, 11, 28])],
  ])('it can acknowledge a message that is %s', (_title, message) => {
    expect(ackOf(message, { code: 'AR', text: 'It is not HL7 v2' })).toBe(
      'MSH|^~\\&|||||20261121160005+0000||ACK|a-1|P|2.5.1\rMSA|AR||It is not HL7 v2\r',
    );
  });

  it('it can acknowledge messages that are not ADT, or have no id', () => {
    expect(ackOf(anAdt({ type: 'ORU', trigger: 'R01', controlId: '' }), { code: 'AR' })).toMatch(
      /ACK\^R01\^ACK.*\rMSA\|AR\|\r$/,
    );
  });

  it('it returns only plain text of limited length', () => {
    const ack = ackOf(anAdt({ controlId: `Ñ\t${'9'.repeat(400)}`, trigger: 'A03\u0007' }));
    expect(ack).toMatch(/^[ -~\r]+$/);
    expect(ack.length).toBeLessThan(500);
  });

  it('it always has two segments that any parser can read', () => {
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
