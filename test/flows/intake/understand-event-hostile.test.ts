import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RawDelivery } from '../../../src/domain/event/delivery.ts';
import { MAX_EVENT_BYTES, makeUnderstandEvent } from '../../../src/flows/intake/understand-event.ts';
import {
  aBackportStatus,
  aBundle,
  aCloudEvent,
  aDelivery,
  aDocument,
  aListeningSite,
  aMassTransit,
  aMedia,
  aNotification,
  anAdt,
  anEncounter,
  aStoreChange,
  aSubscriptionStatus,
  EHR,
  entryOf,
  hl7Delivery,
} from '../../support/event-samples.ts';
import { fc } from '../../support/fast-check.ts';

// What goes wrong in it is thrown as it is, and not told as something that was not understood.
const understand = makeUnderstandEvent({
  onMistake: (_, thrown) => {
    throw thrown;
  },
});
const site = aListeningSite();
const read = (body: unknown, changes: Partial<RawDelivery> = {}) => understand(site, aDelivery(body, changes));

function refusal(body: unknown, changes: Partial<RawDelivery> = {}): string {
  const understood = read(body, changes);
  if (understood.kind !== 'not-understood') throw new Error(`it was taken as ${understood.kind}`);
  return understood.why;
}

const nested = (depth: number) => `{"resourceType":"Encounter","id":"1","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);

// As in a process that has run for long: from some megabytes of compiled patterns on, further ones are made so that they remember each
// step, and run out of their stack.
beforeAll(() => setFlagsFromString('--no-regexp-optimization'));
afterAll(() => setFlagsFromString('--regexp-optimization'));

describe('a hostile or broken event', () => {
  it.each<[title: string, body: unknown, why: RegExp, changes?: Partial<RawDelivery>]>([
    ['no JSON', 'hello', /not valid JSON/],
    ['half of an Encounter', JSON.stringify(anEncounter()).slice(0, 60), /not valid JSON/],
    ['XML', '<Encounter xmlns="http://hl7.org/fhir"/>', /XML/, { contentType: 'application/fhir+xml' }],
    ['XML that calls itself JSON', '<?xml version="1.0"?><!DOCTYPE x><Encounter/>', /XML/],
    ['HL7 v2 as XML', '<ADT_A01/>', /XML/, { contentType: 'application/hl7-v2+xml' }],
    ['nothing but blanks', ' \n ', /empty/],
    ['UTF-16', utf16(JSON.stringify(anEncounter())), /UTF-16/],
    ['UTF-16 without a mark', Buffer.from(JSON.stringify(anEncounter()), 'utf16le'), /U\+0000/],
    ['Latin-1', Buffer.from('{"encounter":"Encounter/1","name":"José"}', 'latin1'), /not UTF-8/],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), /compressed/],
    ['more than 16 MB', Buffer.alloc(MAX_EVENT_BYTES + 1, 0x20), /16 MB/],
    ['65 levels', nested(64), /nested/],
    ['100,000 levels', nested(100_000), /nested/],
    ['a million empty lists', `{"a":[${'[],'.repeat(1_000_001)}[]]}`, /more than 1000000/],
    [
      '100,001 keys',
      `{${Array.from({ length: 100_001 }, (_, index) => `"k${index}":0`).join(',')}}`,
      /more than 100000 keys/,
    ],
    ['the same key twice', '{"encounter":"Encounter/1","encounter":"Encounter/2"}', /same key twice/],
    ['a key that reaches for prototypes', '{"__proto__":{"encounter":"Encounter/1"}}', /not allowed/],
    ['U+0000 in an id', '{"resourceType":"Encounter","id":"1\\u0000"}', /not allowed/],
    ['half a surrogate pair in an id', '{"encounter":"Encounter/1","eventId":"\\ud83d"}', /not allowed/],
    ['an Encounter whose id is a number', anEncounter({ id: 1 }), /id/],
    ['an id of 65 characters', anEncounter({ id: 'x'.repeat(65) }), /id/],
    ['an id that is a way up', anEncounter({ id: '..' }), /id/],
    ['an id that is the way here', aStoreChange({ resourceFhirId: '.' }), /id/],
    [
      '10,001 entries',
      aBundle(
        'history',
        Array.from({ length: 10_001 }, () => ({})),
      ),
      /10000 entries/,
    ],
    ['10,001 events', Array.from({ length: 10_001 }, () => ({})), /10000 events/],
    [
      'a notification of 10,001',
      aNotification(
        aSubscriptionStatus({
          events: Array.from({ length: 10_001 }, (_, number) => ({ number, focus: 'Encounter/1' })),
        }),
      ),
      /10000 entries/,
    ],
    ['a resourceType that is an object', { resourceType: { a: 1 } }, /not defined in FHIR/],
    ['a Bundle of no type', aBundle('', []), /type/],
    ['a Bundle whose type is a list', { resourceType: 'Bundle', type: ['history'] }, /type/],
  ])('it is not understood: %s', (_title, body, why, changes = {}) => {
    expect(refusal(body, changes)).toMatch(why);
  });

  it('an event just within the limits is accepted', () => {
    expect(read(nested(63)).kind).toBe('encounters');
    const entries = Array.from({ length: 10_000 }, (_, index) => entryOf(anEncounter({ id: String(index) })));
    expect(read(aBundle('history', entries))).toMatchObject({ encounters: { length: 10_000 } });
    const padded = JSON.stringify(anEncounter({ text: { div: 'x'.repeat(MAX_EVENT_BYTES - 1_000) } }));
    expect(read(padded).kind).toBe('encounters');
  });

  it.each([
    'http://169.254.169.254/latest/Encounter/1',
    'file:///etc/passwd',
    'file:///fhir/R4/Encounter/1',
    'gopher://ehr.example.org/fhir/R4/Encounter/1',
    'https://ehr.example.org.evil.io/fhir/R4/Encounter/1',
    'https://ehr.example.org@evil.io/fhir/R4/Encounter/1',
    'https://evil.io#@ehr.example.org/fhir/R4/Encounter/1',
    'https://ehr.example.org\\@evil.io/fhir/R4/Encounter/1',
    'http://ehr.example.org/fhir/R4/Encounter/1',
    'https://ehr.example.org:8443/fhir/R4/Encounter/1',
    'https://ehr.example.org/fhir/R4/../../Encounter/1',
    '//ehr.example.org/fhir/R4/Encounter/1',
    '/Encounter/1',
    'Encounter/1\n2',
    `${EHR}/Encounter/1\t2`,
    `${EHR}/Encounter/1?_format=json`,
    `${EHR}/Encounter/%31`,
    'Encounter/../Patient/1',
    'Encounter/1/_history/../2',
    'Encounter/1/_history/1/_history/2',
    'Encounter/',
    'Encounter/.',
    'Encounter/..',
    'data:application/json,{}',
    `${EHR}/Encounter/${'1'.repeat(3_000_000)}`,
  ])('a reference never leads to another address: %#', (reference) => {
    const other = /another server|invalid FHIR id/;
    expect(refusal({ eventId: 'e', encounter: reference })).toMatch(other);
    expect(refusal(aDocument([{ reference }]))).toMatch(other);
    expect(refusal(aMedia({ encounter: { reference } }))).toMatch(other);
    expect(refusal(aNotification(aBackportStatus({ events: [{ number: 1, focus: reference }] })))).toMatch(other);
  });

  it('circular and contained references lead nowhere', () => {
    const contained = [{ resourceType: 'Encounter', id: 'e', partOf: { reference: '#e' } }];
    expect(read(aDocument([{ reference: '#e' }], { contained })).kind).toBe('nothing');
    const circle = [
      entryOf(anEncounter({ id: 'a', partOf: { reference: 'Encounter/b' } })),
      entryOf(anEncounter({ id: 'b', partOf: { reference: 'Encounter/a' } })),
    ];
    expect(read(aBundle('collection', circle))).toMatchObject({ encounters: { length: 2 } });
  });

  it('no refusal contains content of the event', () => {
    const secret = 'JaneRoeSecret';
    const bodies: readonly unknown[] = [
      `{"${secret}"`,
      { resourceType: secret, id: '1' },
      { resourceType: 'Bundle', type: secret },
      { encounter: `https://${secret}.example/Encounter/1` },
      { encounter: 'Encounter/1', eventId: { secret } },
      aCloudEvent({ [secret]: 1 }, { id: secret, source: secret }),
      `MSH|^~\\&|${secret}|||||||\rPID|${secret}`,
      anAdt({ type: secret, name: secret }),
      anAdt({ visit: secret.repeat(10) }),
      anAdt({ charset: secret }),
    ];
    for (const body of bodies) {
      const why = refusal(body, { contentType: '' });
      expect(why).not.toMatch(/secret/i);
      expect(why).toMatch(/^[A-Z][^\r\n]{5,150}$/);
    }
  });
});

const SAMPLES: readonly string[] = [
  ...[
    anEncounter(),
    aDocument(),
    aMedia(),
    { eventId: 'ev-1', encounter: 'Encounter/123', status: 'finished', occurredAt: '2026-11-21T15:00:00Z' },
    aBundle('history', [entryOf(anEncounter()), entryOf(aDocument())]),
    aNotification(aBackportStatus({ events: [{ number: 3, focus: 'Encounter/1' }] }), [entryOf(anEncounter())]),
    aNotification(aSubscriptionStatus({ events: [{ number: 3, focus: 'Encounter/1', timestamp: '2026-01-01' }] })),
    aCloudEvent(anEncounter()),
    [aCloudEvent(aStoreChange())],
    aMassTransit({ changes: [{ reference: { resourceType: 'Encounter', resourceId: '1' }, changeType: 'update' }] }),
    { message: { data: 'e30=', messageId: '1', attributes: {} }, subscription: 's' },
  ].map((sample) => JSON.stringify(sample)),
  anAdt(),
  anAdt({ ending: '\r\n', charset: '8859/1', more: ['ZPI|1|a&b~c^d'] }),
];

type Mutation = { readonly at: number; readonly length: number; readonly put: Uint8Array };

const mutations = fc.array(
  fc.record<Mutation>({
    at: fc.nat(2_000),
    length: fc.nat(12),
    put: fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc.constantFrom('null', '[]', '{}', '"', '\\', '|', '~', '\r', '1e400').map((text) => Buffer.from(text)),
    ),
  }),
  { minLength: 1, maxLength: 5 },
);

function mutate(body: Uint8Array, changes: readonly Mutation[]): Uint8Array {
  return changes.reduce<Uint8Array>((bytes, { at, length, put }) => {
    const start = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + length)]);
  }, body);
}

/** Every member replaced by something of another shape. */
function disturb(value: unknown, at: { count: number }, put: unknown): unknown {
  at.count -= 1;
  if (at.count === 0) return put;
  if (Array.isArray(value)) return value.map((item) => disturb(item, at, put));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, disturb(member, at, put)]));
}

const contentTypes = fc.constantFrom(
  '',
  'application/json',
  'application/hl7-v2',
  'text/plain',
  'application/cloudevents+json',
);
const headers = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/a' },
  { 'ce-specversion': '' },
  { 'x-medplum-interaction': 'delete', 'x-medplum-deleted-resource': 'Encounter/1/2' },
);

/** An answer of the right form, that no mistake of ours has made. */
function expectAnswer(delivery: RawDelivery): void {
  const understood = understand(site, delivery);
  if (understood.kind !== 'encounters') {
    expect(understood.why).not.toMatch(/unexpected/);
    return;
  }
  expect(understood.key).toMatch(
    /^(?:id:|hl7:|sha256:[0-9a-f]{64}$|[A-Z][A-Za-z]+\/[A-Za-z0-9.-]{1,64}\/_history\/[A-Za-z0-9.-]{1,64}$)/s,
  );
  expect(understood.encounters.length).toBeGreaterThan(0);
  for (const { encounter } of understood.encounters) {
    expect(encounter).toMatch(/^(?:Encounter\/[A-Za-z0-9.-]{1,64}|visit:[^\p{Cc}]{1,64})$/u);
  }
}

describe('any input gets an answer', () => {
  it('random bytes get an answer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), contentTypes, headers, (bytes, contentType, given) => {
        expectAnswer(aDelivery(bytes, { contentType, headers: given }));
      }),
      { numRuns: 300 },
    );
  });

  it('any JSON gets an answer', () => {
    fc.assert(
      fc.property(fc.jsonValue(), contentTypes, headers, (value, contentType, given) => {
        expectAnswer(aDelivery(JSON.stringify(value), { contentType, headers: given }));
      }),
      { numRuns: 300 },
    );
  });

  it.each(SAMPLES.map((sample, index) => [index, sample] as const))(
    'sample %i with changed bytes gets an answer',
    (_index, sample) => {
      fc.assert(
        fc.property(mutations, contentTypes, headers, (changes, contentType, given) => {
          expectAnswer(aDelivery(mutate(Buffer.from(sample), changes), { contentType, headers: given }));
        }),
        { numRuns: 60 },
      );
    },
  );

  it('every sample with one member of another shape gets an answer', () => {
    const shapes: readonly unknown[] = [null, 7, '', 'x', [], {}, [null], [[]], { reference: 7 }, true, 'Encounter/1'];
    for (const sample of SAMPLES.filter((each) => !each.startsWith('MSH'))) {
      const value: unknown = JSON.parse(sample);
      const members = sample.split(/[:,]/).length + 10;
      for (const put of shapes) {
        for (let at = 1; at <= members; at += 1) expectAnswer(aDelivery(disturb(value, { count: at }, put)));
      }
    }
  });

  it('any input that begins like HL7 v2 gets an answer', () => {
    const word = fc.constantFrom(
      'MSH',
      'EVN',
      'PV1',
      'ZZZ',
      'ADT^A01',
      'A40',
      '|',
      '^',
      '~',
      '\\',
      '&',
      '\r',
      '\n',
      '\u000b',
      '\u001c',
      'V-1',
      '""',
      '2026',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ maxLength: 4 })), { maxLength: 80 }), (words) => {
        expectAnswer(hl7Delivery(`MSH|^~\\&|${words.join('')}`));
        expectAnswer(hl7Delivery(`MSH${words.join('|')}`));
      }),
      { numRuns: 300 },
    );
  });

  it('the time grows only with the size of the input', () => {
    const heavy = [
      `{"a":"${'\\"'.repeat(4_000_000)}"}`,
      `[${'{"encounter":"Encounter/1"},'.repeat(9_999)}{"encounter":"Encounter/1"}]`,
      `MSH|^~\\&|${'~'.repeat(8_000_000)}`,
      `MSH|^~\\&|A${'\rZ'.repeat(4_000_000)}`,
      `${' '.repeat(8_000_000)}MSH|`,
      `{"encounter"${' '.repeat(8_000_000)}:"Encounter/1"}`,
      JSON.stringify({ encounter: `${'/_history/'.repeat(800_000)}` }),
      JSON.stringify({ message: { data: 'A'.repeat(8_000_000), messageId: '1' } }),
    ];
    for (const body of heavy) {
      const start = process.cpuUsage();
      expectAnswer(aDelivery(body, { contentType: '' }));
      const { user, system } = process.cpuUsage(start);
      expect((user + system) / 1000).toBeLessThan(5_000);
    }
  });
});
