import { describe, expect, it } from '@jest/globals';
import type { RawDelivery } from '../../../../src/domain/event/delivery.ts';
import { readHl7Header } from '../../../../src/flows/intake/formats/hl7-message.ts';
import { makeUnderstandEvent } from '../../../../src/flows/intake/understand-event.ts';
import { aCloudEvent, aDelivery, aListeningSite, anAdt, hl7Delivery } from '../../../support/event-samples.ts';

const understand = makeUnderstandEvent();
const read = (body: string | Uint8Array, changes: Partial<RawDelivery> = {}) =>
  understand(aListeningSite(), hl7Delivery(body, changes));
const encountersOf = (body: string | Uint8Array) => {
  const understood = read(body);
  return understood.kind === 'encounters' ? understood.encounters : understood.why;
};

const keyOf = (delivery: RawDelivery) => {
  const understood = understand(aListeningSite(), delivery);
  return understood.kind === 'encounters' ? understood.key : understood.why;
};

/** MSH-7 of the samples. */
const MADE = '20261121100000-0600';
const VISIT = [{ encounter: 'visit:V-77', isUrgent: false }];
const framed = (text: string) => `\u000b${text}\u001c\r`;

describe('an HL7 v2 ADT message', () => {
  it.each(['A01', 'A02', 'A03', 'A04', 'A05', 'A06', 'A07', 'A08', 'A11', 'A13', 'A40'])(
    '%s resolves the visit',
    (trigger) => {
      expect(read(anAdt({ trigger }))).toEqual({
        kind: 'encounters',
        encounters: VISIT,
        key: 'hl7:ADTSYS|MERCY|MSG00042|20261121100000-0600',
        eventId: 'MSG00042',
        occurredAt: new Date('2026-11-21T15:59:00Z'),
      });
    },
  );

  it.each(['A09', 'A21', 'A28', 'A31', 'Z01', ''])('other ADT messages are ignored: %s', (trigger) => {
    expect(read(anAdt({ trigger }))).toMatchObject({ kind: 'nothing', why: expect.stringMatching(/ADT/) });
  });

  it.each(['ORU', 'SIU', 'ACK', ''])('other messages are not understood: %s', (type) => {
    expect(read(anAdt({ type }))).toMatchObject({ kind: 'not-understood', why: expect.stringMatching(/ADT/) });
  });

  it('a merge of patients has the EHR searched for the encounters that have changed', () => {
    const merge = anAdt({ trigger: 'A40', without: ['PV1'], more: ['MRG|54321^^^MRN'] });
    const why = 'Patients were merged: the encounters that have changed are searched for';
    expect(read(merge)).toEqual({ kind: 'nothing', why, mustSearch: true });
  });

  it.each([
    ['the segments end with line feeds', anAdt({ ending: '\n' })],
    ['the segments end as in Windows', anAdt({ ending: '\r\n' })],
    ['it is framed as for MLLP', framed(anAdt())],
    ['there are segments of the site’s own', anAdt({ more: ['ZPI|1|a^b&c~d', 'ZZZ'] })],
    ['there are repetitions and subcomponents', anAdt({ visit: 'V-77&X^^^HOSP~V-78^^^OTHER' })],
    ['the first repetition is empty', anAdt({ visit: '^^^HOSP~V-77^^^HOSP' })],
    ['there are blanks around the number', anAdt({ visit: '  V-77  ' })],
    ['another segment holds a document of 400 KB', anAdt({ more: [`OBX|1|ED|||${'QUJD'.repeat(100_000)}`] })],
    ['there is a byte order mark', `\ufeff${anAdt()}`],
    ['the structure of the message is not said', anAdt().replace('^ADT_A01', '')],
    ['the trigger stands in EVN alone', anAdt().replace('ADT^A03^ADT_A01', 'ADT')],
    [
      'the other separators are in use',
      anAdt().replace(/[|^~\\&]/g, (each) => ({ '|': '!', '^': '*', '~': '+', '\\': '/', '&': '%' })[each] ?? ''),
    ],
    ['there is a fifth separator', anAdt().replace('^~\\&', '^~\\&#')],
  ])('the message is read although %s', (_title, body) => {
    expect(encountersOf(body)).toEqual(VISIT);
  });

  it('a visit number may contain escaped separators', () => {
    expect(encountersOf(anAdt({ visit: 'V\\F\\7\\T\\7^^^HOSP' }))).toEqual([
      { encounter: 'visit:V|7&7', isUrgent: false },
    ]);
    expect(encountersOf(anAdt({ visit: 'V\\X2D\\77' }))).toEqual(VISIT);
    expect(encountersOf(anAdt({ visit: 'V\\S\\R\\R\\E\\E\\\\H\\7' }))).toEqual([
      { encounter: 'visit:V^R~E\\7', isUrgent: false },
    ]);
    expect(encountersOf(anAdt({ visit: 'V\\77' }))).toEqual([{ encounter: 'visit:V\\77', isUrgent: false }]);
  });

  it.each([
    ['none at all', anAdt({ visit: '' })],
    ['no PV1', anAdt({ without: ['PV1'] })],
    ['a short PV1', anAdt().replace(/PV1.*/, 'PV1|1|I')],
    ['one that was emptied', anAdt({ visit: '""' })],
    ['one of 65 characters', anAdt({ visit: 'V'.repeat(65) })],
    ['one with a control character', anAdt({ visit: 'V\\X0D\\77' })],
    ['one with a tab', anAdt({ visit: 'V\t77' })],
    ['blanks alone', anAdt({ visit: '   ' })],
  ])('a message without a valid visit number is not understood: %s', (_title, body) => {
    expect(read(body)).toEqual({ kind: 'not-understood', why: 'It has no visit number that can be used (PV1-19)' });
  });

  it('an emergency is urgent', () => {
    expect(encountersOf(anAdt({ patientClass: 'E' }))).toEqual([{ encounter: 'visit:V-77', isUrgent: true }]);
    expect(encountersOf(anAdt({ patientClass: 'e^Emergency' }))).toEqual([{ encounter: 'visit:V-77', isUrgent: true }]);
  });

  it.each([
    ['8859/1', 'latin1'],
    ['8859/15', 'latin1'],
    ['', 'latin1'],
    ['ASCII', 'latin1'],
    ['UNICODE UTF-8', 'utf8'],
    ['', 'utf8'],
    ['8859/1~UNICODE UTF-8', 'latin1'],
  ] as const)('names with accents do no harm: MSH-18 "%s", sent as %s', (charset, encoding) => {
    const body = Buffer.from(anAdt({ charset, name: 'PEÑA^JOSÉ^DA CONCEIÇÃO' }), encoding);
    expect(encountersOf(body)).toEqual(VISIT);
  });

  it('a visit number with an accent is read in the stated charset', () => {
    const number = 'SÃO-7';
    const expected = [{ encounter: `visit:${number}`, isUrgent: false }];
    expect(encountersOf(Buffer.from(anAdt({ visit: number, charset: '8859/1' }), 'latin1'))).toEqual(expected);
    expect(encountersOf(Buffer.from(anAdt({ visit: number, charset: 'UNICODE UTF-8' }), 'utf8'))).toEqual(expected);
  });

  it('an unsupported or wrongly stated charset is reported', () => {
    expect(encountersOf(anAdt({ charset: 'UNICODE UTF-16' }))).toMatch(/MSH-18/);
    expect(encountersOf(anAdt({ charset: 'GB 18030-2000' }))).toMatch(/MSH-18/);
    expect(encountersOf(Buffer.from(anAdt({ visit: 'SÃO', charset: 'UNICODE UTF-8' }), 'latin1'))).toMatch(/UTF-8/);
  });

  it.each([
    ['20261121095900', '2026-11-21T15:59:00Z'],
    ['202611210959', '2026-11-21T15:59:00Z'],
    ['2026112109', '2026-11-21T15:00:00Z'],
    ['20261121', '2026-11-21T06:00:00Z'],
    ['20261121095900.123+0100', '2026-11-21T08:59:00Z'],
    ['20260721095900', '2026-07-21T14:59:00Z'],
    // MSH-7 where EVN-2 is none.
    ['', '2026-11-21T16:00:00Z'],
    ['2026', '2026-11-21T16:00:00Z'],
    ['20261399', undefined],
  ])('a time without an offset is in the time zone of the site: %s', (time, expected) => {
    const understood = read(anAdt({ time }));
    const occurredAt = understood.kind === 'encounters' ? understood.occurredAt : undefined;
    expect(occurredAt).toEqual(expected === undefined ? undefined : new Date(expected));
  });

  it('the same message has the same key in every feed; another sender’s has another key', () => {
    const key = 'hl7:ADTSYS|MERCY|MSG00042|20261121100000-0600';
    expect(keyOf(hl7Delivery(anAdt(), { source: 'amqp', messageId: 'm-1' }))).toBe(key);
    expect(keyOf(hl7Delivery(framed(anAdt({ ending: '\r\n' })), { contentType: 'text/plain' }))).toBe(key);
    expect(keyOf(hl7Delivery(anAdt(), { contentType: 'x-application/hl7-v2+er7' }))).toBe(key);
    expect(keyOf(hl7Delivery(anAdt(), { contentType: 'application/octet-stream' }))).toBe(key);
    expect(keyOf(aDelivery(aCloudEvent(anAdt(), { datacontenttype: 'application/hl7-v2' })))).toBe(key);
    expect(keyOf(hl7Delivery(anAdt().replace('|MERCY|CHART', '|NORTH|CHART')))).toBe(key.replace('MERCY', 'NORTH'));
    expect(keyOf(hl7Delivery(anAdt({ controlId: '' })))).toMatch(/^sha256:/);
    expect(keyOf(hl7Delivery(anAdt({ controlId: '' }), { messageId: 'm-1' }))).toBe('id:m-1');
  });

  it('a reused control id with another time is another message', () => {
    const later = hl7Delivery(anAdt().replace(MADE, '20261124081500-0600'));
    expect(keyOf(later)).toBe('hl7:ADTSYS|MERCY|MSG00042|20261124081500-0600');
    const fromAnotherPatient = anAdt({ visit: 'V-78' });
    expect(keyOf(hl7Delivery(fromAnotherPatient))).toBe(keyOf(hl7Delivery(anAdt())));
  });

  it.each([
    ['no time', ''],
    ['a day alone', '20261121'],
    ['an hour alone', '2026112110'],
    ['an empty one', '""'],
  ])('with %s in its header, the same bytes are a repeat and other bytes are not', (_title, made) => {
    const timeless = (facts: Parameters<typeof anAdt>[0] = {}) => anAdt(facts).replace(MADE, made);
    const key = keyOf(hl7Delivery(timeless()));
    expect(key).toMatch(/^hl7:ADTSYS\|MERCY\|MSG00042\|sha256:[0-9a-f]{64}$/);
    expect(keyOf(hl7Delivery(timeless(), { source: 'amqp', messageId: 'm-2' }))).toBe(key);
    expect(keyOf(hl7Delivery(framed(timeless({ ending: '\r\n' }))))).toBe(key);
    expect(keyOf(hl7Delivery(timeless({ visit: 'V-78' })))).not.toBe(key);
    expect(keyOf(hl7Delivery(timeless({ name: 'ROE^JOHN' })))).not.toBe(key);
    expect(keyOf(hl7Delivery(timeless({ more: ['OBX|1|ED|||QUJD'] })))).not.toBe(key);
  });

  it.each([
    ['not HL7', 'hello'],
    ['a header alone', 'MSH'],
    ['no separators', 'MSHHHHHHHHH'],
    ['the same separator twice', anAdt().replace('^~\\&', '^^\\&')],
    ['too few separators', anAdt().replace('^~\\&', '^~')],
    ['letters for separators', anAdt().replaceAll('|', 'x')],
    ['two messages', anAdt() + anAdt({ controlId: 'other' })],
    ['two frames', framed(anAdt()) + framed(anAdt())],
    ['a batch', `BHS|^~\\&|ADTSYS\r${anAdt()}BTS|1\r`],
    ['10,001 segments', anAdt({ more: Array.from({ length: 10_001 }, () => 'NTE|1') })],
    ['a header of 100 KB', anAdt().replace('ADTSYS', 'A'.repeat(100_000))],
  ])('an invalid message is refused with a reason: %s', (_title, body) => {
    expect(read(body)).toMatchObject({ kind: 'not-understood', why: expect.stringMatching(/^It[^\r\n]{5,120}$/) });
  });
});

describe('the header of an HL7 v2 message', () => {
  it('its fields are returned unchanged', () => {
    expect(readHl7Header(Buffer.from(framed(anAdt())))).toEqual({
      sendingApplication: 'ADTSYS',
      sendingFacility: 'MERCY',
      receivingApplication: 'CHARTWRIGHT',
      receivingFacility: 'MERCY',
      time: MADE,
      type: 'ADT',
      trigger: 'A03',
      controlId: 'MSG00042',
      processingId: 'P',
      version: '2.5.1',
      acceptAck: '',
      applicationAck: '',
      separators: '|^~\\&',
    });
  });

  it('it is undefined for an invalid message', () => {
    expect(readHl7Header(Buffer.from('{"a":1}'))).toBeUndefined();
    expect(readHl7Header(new Uint8Array())).toBeUndefined();
  });
});
