import { describe, expect, it } from '@jest/globals';
import { Hl7Message } from '@medplum/core';
import { type AckOrder, type Hl7Result, makeHl7Ack } from '../../../../src/flows/intake/formats/hl7-ack.ts';
import { anAdt } from '../../../support/event-samples.ts';
import { fc } from '../../../support/fast-check.ts';

const now = new Date('2026-11-21T16:00:05Z');
const ackOf = (message: string | Uint8Array, changes: Partial<AckOrder> = {}) =>
  makeHl7Ack({ message: Buffer.from(message), result: STORED, now, controlId: 'a-1', ...changes });
const STORED: Hl7Result = { kind: 'stored' };

describe('the acknowledgement of an HL7 v2 message', () => {
  it('it is addressed to the sender and names the message', () => {
    expect(ackOf(anAdt())).toBe(
      'MSH|^~\\&|CHARTWRIGHT|MERCY|ADTSYS|MERCY|20261121160005+0000||ACK^A03^ACK|a-1|P|2.5.1\rMSA|AA|MSG00042\r',
    );
  });

  it('it describes the problem in words without separators', () => {
    const text = 'It has no visit number | ask ^ the sender\r\nat once';
    expect(ackOf(anAdt(), { result: { kind: 'refused', text } })).toMatch(
      /\rMSA\|AR\|MSG00042\|It has no visit number \\F\\ ask \\S\\ the sender at once\r$/,
    );
    expect(ackOf(anAdt(), { result: { kind: 'failed' } })).toMatch(/\rMSA\|AE\|MSG00042\r$/);
  });

  it('it uses the separators and version of the sender', () => {
    const other = anAdt().replace(
      /[|^~\\&]/g,
      (each) => ({ '|': '!', '^': '*', '~': '+', '\\': '/', '&': '%' })[each] ?? '',
    );
    expect(ackOf(other.replace('2.5.1', '2.3'), { result: { kind: 'stored', text: 'so!' } })).toMatch(
      /^MSH!\*\+\/%!CHARTWRIGHT!MERCY!ADTSYS!MERCY!\d{14}\+0000!!ACK\*A03\*ACK!a-1!P!2\.3\rMSA!AA!MSG00042!so\/F\/\r$/,
    );
  });

  it.each([
    ['not HL7 at all', '{"resourceType":"Encounter"}'],
    ['empty', ''],
    ['cut in its header', 'MSH|^~'],
    ['bytes', Uint8Array.from([0, 255, 11, 28])],
  ])('it can acknowledge a message that is %s', (_title, message) => {
    expect(ackOf(message, { result: { kind: 'refused', text: 'It is not HL7 v2' } })).toBe(
      'MSH|^~\\&|||||20261121160005+0000||ACK|a-1|P|2.5.1\rMSA|AR||It is not HL7 v2\r',
    );
  });

  it('it can acknowledge messages that are not ADT, or have no id', () => {
    expect(ackOf(anAdt({ type: 'ORU', trigger: 'R01', controlId: '' }), { result: { kind: 'refused' } })).toMatch(
      /ACK\^R01\^ACK.*\rMSA\|AR\|\r$/,
    );
  });

  it('it returns the control id byte for byte, and other fields as plain text of limited length', () => {
    const controlId = ` Ñ-7\t${'9'.repeat(400)} `;
    const sent = Buffer.from(anAdt({ controlId, trigger: 'A03\u0007' }).replace('ADTSYS', `Ñ${'x'.repeat(400)}`));
    const ack = Buffer.from(ackOf(sent), 'latin1');
    expect(ack.toString('utf8').split('\r')[1]).toBe(`MSA|AA|${controlId}`);
    const [header = ''] = ack.toString('utf8').split('\r');
    expect(header).toMatch(/^[ -~]+$/);
    expect(header.length).toBeLessThan(400);
  });

  it('it returns no characters that would end a segment or a framed message', () => {
    expect(ackOf(anAdt({ controlId: 'a\u000bb\u001cc' }))).toMatch(/\rMSA\|AA\|a\?b\?c\r$/);
  });

  it.each([
    ['another charset', anAdt({ charset: 'BIG-5' })],
    ['more than one message', anAdt() + anAdt({ controlId: 'other' })],
    ['a segment that is too long', anAdt().replace('PV1|', `PV1|${'x'.repeat(70_000)}`)],
    ['separators that are not clear', anAdt().replace('MSH|^~\\&', 'MSH|^~')],
    ['no time, type or version', 'MSH|^~\\&|a|b|c|d||||MSG00042'],
  ])('it names the message also if that cannot be read because of %s', (_title, message) => {
    expect(ackOf(message, { result: { kind: 'refused' } })).toMatch(/\rMSA\|AR\|MSG00042\r$/);
  });

  const KINDS = ['stored', 'refused', 'failed'] as const;
  it.each([
    ['', '', ['AA', 'AR', 'AE']],
    ['AL', '', ['CA', 'CR', 'CE']],
    ['AL', 'AL', ['CA', 'CR', 'CE']],
    ['NE', 'NE', ['', '', '']],
    ['NE', 'AL', ['AA', 'AR', 'AE']],
    ['', 'AL', ['AA', 'AR', 'AE']],
    ['', 'NE', ['', '', '']],
    ['ER', '', ['', 'CR', 'CE']],
    ['SU', '', ['CA', '', '']],
    ['ER', 'AL', ['AA', 'CR', 'CE']],
    ['SU', 'ER', ['CA', 'AR', 'AE']],
    ['al', 'ne', ['CA', 'CR', 'CE']],
    ['XX', '', ['CA', 'CR', 'CE']],
  ])('with MSH-15 %j and MSH-16 %j it is what the sender asks for', (accept, application, codes) => {
    const asking = anAdt().replace('|2.5.1||||||', `|2.5.1|||${accept}|${application}||`);
    const given = KINDS.map((kind) => ackOf(asking, { result: { kind } }));
    expect(given.map((ack) => /\rMSA\|(..)\|MSG00042\r$/.exec(ack)?.[1] ?? ack)).toEqual(codes);
  });

  it('it always has two segments that any parser can read', () => {
    const fields = fc.array(fc.string({ maxLength: 12 }), { maxLength: 14 });
    fc.assert(
      fc.property(fields, fc.string({ maxLength: 40 }), fc.string({ maxLength: 20 }), (words, text, controlId) => {
        const ack = ackOf(`MSH|^~\\&|${words.join('|')}`, { result: { kind: 'failed', text }, controlId });
        const parsed = Hl7Message.parse(ack.replace(/\r$/, ''));
        expect(parsed.segments.map(({ name }) => name)).toEqual(['MSH', 'MSA']);
        expect(parsed.getSegment('MSA')?.getComponent(1, 1)).toBe('AE');
        expect(parsed.header.getComponent(12, 1)).toMatch(/^2/);
      }),
      { numRuns: 300 },
    );
  });
});
