import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { testEncounter } from '../../../src/domain/chart/test-visit.ts';
import type { EventContent, RawDelivery } from '../../../src/domain/event/delivery.ts';
import { makeUnderstandEvent } from '../../../src/flows/intake/understand-event.ts';
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
  anEncounter,
  aStoreChange,
  aSubscriptionStatus,
  EHR,
  entryOf,
} from '../../support/event-samples.ts';

const understand = makeUnderstandEvent();
const read = (body: unknown, changes: Partial<RawDelivery> = {}) =>
  understand(aListeningSite(), aDelivery(body, changes));
const hashOf = (content: string) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** In one line: what to look at (`!`: an emergency) and what recognises it; `nothing`; `?`. */
function gist(understood: EventContent): string {
  if (understood.kind === 'not-understood') return '?';
  if (understood.kind === 'nothing') return understood.mustSearch ? 'nothing, search' : 'nothing';
  const names = understood.encounters.map(({ encounter, isUrgent }) => `${encounter}${isUrgent ? '!' : ''}`);
  const key = understood.key.startsWith('sha256:') ? 'a hash' : understood.key;
  return `${names.join(' ')} as ${key}`;
}

const V3 = 'Encounter/1 as Encounter/1/_history/3';
const plain = { eventId: 'ev-1', encounter: 'Encounter/123', status: 'finished', occurredAt: '2026-11-21T15:00:00Z' };
const pubSub = (data: string, attributes: object = {}) => ({
  message: {
    data: Buffer.from(data).toString('base64'),
    attributes,
    messageId: '77',
    publishTime: '2026-11-21T15:00:00Z',
  },
  subscription: 'projects/p/subscriptions/s',
});
const gridEvent = (data: unknown, changes: object = {}) => ({
  ...{ id: 'g-1', topic: '/t', subject: 's', eventType: 'Microsoft.HealthcareApis.FhirResourceUpdated', data },
  ...{ eventTime: '2026-11-21T15:00:00Z', dataVersion: '3', ...changes },
});
const change = (changes: object = {}) => ({
  changes: [
    { reference: { resourceType: 'Encounter', resourceId: '1', version: '3' }, changeType: 'update', ...changes },
  ],
});
const named = (url: string, method = 'PUT') => ({ fullUrl: `${EHR}/${url}`, request: { method, url } });
const binary = { 'ce-specversion': '1.0', 'ce-id': 'ce-1', 'ce-source': '/adt' };

describe('the content of an event by format', () => {
  it.each<[title: string, body: unknown, expected: string, changes?: Partial<RawDelivery>]>([
    // Resources.
    ['an Encounter', anEncounter(), V3],
    ['an Encounter as FHIR', anEncounter(), V3, { contentType: 'application/fhir+json' }],
    ['an Encounter of no declared type', anEncounter(), V3, { contentType: '' }],
    ['an Encounter with a message id', anEncounter(), V3, { messageId: 'm-1' }],
    ['an Encounter that was cancelled', anEncounter({ status: 'cancelled' }), V3],
    ['an Encounter behind a byte order mark', `\ufeff${JSON.stringify(anEncounter())}`, V3],
    ['an emergency', anEncounter({ class: { code: 'EMER' } }), 'Encounter/1! as Encounter/1/_history/3'],
    [
      'an emergency of R5',
      anEncounter({ class: [{ coding: [{ code: 'EMER' }] }] }),
      'Encounter/1! as Encounter/1/_history/3',
    ],
    ['an Encounter without a version', anEncounter({ meta: {} }), 'Encounter/1 as a hash'],
    [
      'an Encounter without a version, with a message id',
      anEncounter({ meta: {} }),
      'Encounter/1 as id:m-1',
      { messageId: 'm-1' },
    ],
    ['an Encounter without an id', anEncounter({ id: undefined }), '?'],
    ['an Encounter with an id that FHIR does not allow', anEncounter({ id: '../Patient/1' }), '?'],
    ['a document of an encounter', aDocument(), 'Encounter/1 as DocumentReference/d-9/_history/2'],
    [
      'a document of a version of an encounter',
      aDocument([{ reference: 'Encounter/1/_history/2' }]),
      'Encounter/1 as DocumentReference/d-9/_history/2',
    ],
    [
      'a document of two encounters',
      aDocument([{ reference: 'Encounter/1' }, { reference: `${EHR}/Encounter/2` }]),
      'Encounter/1 Encounter/2 as DocumentReference/d-9/_history/2',
    ],
    [
      'a document of R5',
      aDocument([], { context: [{ reference: 'Encounter/1' }] }),
      'Encounter/1 as DocumentReference/d-9/_history/2',
    ],
    ['a document of no encounter', aDocument([]), 'nothing'],
    ['a document of a contained encounter', aDocument([{ reference: '#e' }]), 'nothing'],
    [
      'a document of another server’s encounter',
      aDocument([{ reference: 'https://ehr.example.com/fhir/Encounter/1' }]),
      '?',
    ],
    [
      'a document that this engine wrote',
      aDocument(undefined, { identifier: [{ system: 'urn:chartwright:mercy', value: 'x' }] }),
      'nothing',
    ],
    [
      'the Encounter of a write test of this engine',
      { ...testEncounter({ system: 'urn:chartwright:mercy', value: 'x' }, 'Patient/1'), id: 'e-9' },
      'nothing',
    ],
    ['a Media of an encounter', aMedia(), 'Encounter/1 as Media/m-7/_history/1'],
    ['a Media of no encounter', aMedia({ encounter: undefined }), 'nothing'],
    ['a Patient', { resourceType: 'Patient', id: 'p-1', name: [{ family: 'Roe' }] }, 'nothing'],
    ['an Observation', { resourceType: 'Observation', id: 'o-1', encounter: { reference: 'Encounter/1' } }, 'nothing'],
    ['a resource of no type of FHIR', { resourceType: 'Jane Roe', id: '1' }, '?'],
    // The plain event of an interface engine.
    ['a plain event', plain, 'Encounter/123 as id:ev-1'],
    ['a plain event with a message id', plain, 'Encounter/123 as id:m-1', { messageId: 'm-1' }],
    ['a plain event without an id', { encounter: 'Encounter/123' }, 'Encounter/123 as a hash'],
    ['a plain event with a number for an id', { ...plain, eventId: 7 }, 'Encounter/123 as id:7'],
    [
      'a plain event with a Reference',
      { ...plain, encounter: { reference: `${EHR}/Encounter/123` } },
      'Encounter/123 as id:ev-1',
    ],
    [
      'a plain event that names a version',
      { ...plain, encounter: 'Encounter/123/_history/2' },
      'Encounter/123 as Encounter/123/_history/2',
    ],
    ['a plain event of a patient', { ...plain, encounter: 'Patient/1' }, '?'],
    ['a plain event of an encounter by number', { ...plain, encounter: 123 }, '?'],
    ['a plain event with an object for an id', { ...plain, eventId: {} }, '?'],
    // Bundles.
    ['a history', aBundle('history', [entryOf(anEncounter())]), V3],
    [
      'a collection with more in it',
      aBundle('collection', [entryOf(anEncounter()), entryOf({ resourceType: 'Patient', id: 'p' })]),
      V3,
    ],
    ['a transaction', aBundle('transaction', [entryOf(anEncounter())]), V3],
    ['a batch', aBundle('batch', [entryOf(anEncounter())]), V3],
    [
      'a search set',
      aBundle('searchset', [
        entryOf(anEncounter()),
        { search: { mode: 'outcome' }, resource: { resourceType: 'OperationOutcome' } },
      ]),
      V3,
    ],
    [
      'a message',
      aBundle('message', [entryOf({ resourceType: 'MessageHeader', id: 'h' }), entryOf(anEncounter())]),
      V3,
    ],
    [
      'two encounters',
      aBundle('history', [entryOf(anEncounter()), entryOf(anEncounter({ id: '2' }))]),
      'Encounter/1 Encounter/2 as a hash',
    ],
    [
      'an encounter and its document',
      aBundle('collection', [entryOf(aDocument()), entryOf(anEncounter({ class: { code: 'EMER' } }))]),
      'Encounter/1! as a hash',
    ],
    [
      'a document behind its encounter',
      aBundle('collection', [entryOf(anEncounter({ class: { code: 'EMER' } })), entryOf(aDocument())]),
      'Encounter/1! as a hash',
    ],
    ['a deleted encounter in a history', aBundle('history', [named('Encounter/1', 'DELETE')]), 'Encounter/1 as a hash'],
    ['a deleted document in a history', aBundle('history', [named('DocumentReference/1', 'DELETE')]), 'nothing'],
    ['names alone', aBundle('history', [named('Encounter/1')]), 'Encounter/1 as a hash'],
    [
      'names alone, under a name of its own',
      aBundle('history', [named('Encounter/1')], { identifier: { value: 'b-1' } }),
      'Encounter/1 as id:|b-1',
    ],
    [
      'a name behind a proxy',
      aBundle('history', [
        { fullUrl: 'http://10.0.0.1/fhir/Encounter/1', request: { method: 'PUT', url: 'Encounter/1' } },
      ]),
      'Encounter/1 as a hash',
    ],
    ['a name at another server', aBundle('history', [{ fullUrl: 'http://169.254.169.254/Encounter/1' }]), '?'],
    ['a Bundle of patients', aBundle('collection', [entryOf({ resourceType: 'Patient', id: 'p' })]), 'nothing'],
    ['an empty Bundle', aBundle('history', []), 'nothing'],
    [
      'a Bundle within a Bundle',
      aBundle('collection', [{ resource: aBundle('history', [entryOf(anEncounter())]) }]),
      'nothing',
    ],
    ['a document Bundle', aBundle('document', [entryOf(anEncounter())]), '?'],
    ['the answer to a transaction', aBundle('transaction-response', []), '?'],
    // Notifications.
    ['a handshake', aNotification(aBackportStatus({ type: 'handshake', since: 0 })), 'nothing'],
    ['a heartbeat', aNotification(aBackportStatus({ type: 'heartbeat' })), 'nothing'],
    ['a status', aNotification(aSubscriptionStatus({ type: 'query-status' }), [], 'searchset'), 'nothing'],
    [
      'full resources (R4)',
      aNotification(aBackportStatus({ events: [{ number: 12, focus: 'Encounter/1' }] }), [entryOf(anEncounter())]),
      V3,
    ],
    [
      'full resources (R5)',
      aNotification(
        aSubscriptionStatus({ events: [{ number: 12, focus: `${EHR}/Encounter/1` }] }),
        [entryOf(anEncounter())],
        'subscription-notification',
      ),
      V3,
    ],
    [
      'ids only (R4)',
      aNotification(aBackportStatus({ events: [{ number: 12, focus: 'Encounter/1' }] }), [named('Encounter/1')]),
      'Encounter/1 as a hash',
    ],
    [
      'ids only, numbered and dated',
      aNotification(
        aBackportStatus({ events: [{ number: 12, focus: 'Encounter/1', timestamp: '2026-11-21T15:00:00Z' }] }),
      ),
      'Encounter/1 as id:Subscription/7 12@2026-11-21T15:00:00Z',
    ],
    [
      'ids only, with a version',
      aNotification(aSubscriptionStatus({ events: [{ number: 12, focus: 'Encounter/1/_history/3' }] })),
      V3,
    ],
    [
      'ids of documents',
      aNotification(aBackportStatus({ events: [{ number: 12, focus: 'DocumentReference/9' }] })),
      'nothing, search',
    ],
    [
      'a document as a whole, of no encounter',
      aNotification(aBackportStatus({ events: [{ number: 12, focus: 'DocumentReference/d-9' }] }), [
        entryOf(aDocument([])),
      ]),
      'nothing',
    ],
    [
      'ids of another server',
      aNotification(aBackportStatus({ events: [{ number: 12, focus: 'https://evil.example/Encounter/1' }] })),
      '?',
    ],
    ['ids of patients', aNotification(aBackportStatus({ events: [{ number: 12, focus: 'Patient/9' }] })), 'nothing'],
    [
      'events that came while nobody listened',
      aNotification(
        aSubscriptionStatus({ type: 'query-event', events: [{ number: 3, focus: 'Encounter/1' }] }),
        [entryOf(anEncounter())],
        'searchset',
      ),
      V3,
    ],
    ['empty (R4)', aNotification(aBackportStatus({ events: [{ number: 12 }] })), 'nothing, search'],
    ['empty (R5)', aNotification(aSubscriptionStatus(), [], 'subscription-notification'), 'nothing, search'],
    [
      'a status alone',
      aSubscriptionStatus({ events: [{ number: 12, focus: 'Encounter/1' }] }),
      'Encounter/1 as a hash',
    ],
    [
      'Aidbox',
      {
        topic: 'encounters',
        value: aNotification(
          aSubscriptionStatus({ events: [{ number: 1, focus: 'Encounter/1' }] }, 'AidboxSubscriptionStatus'),
          [entryOf(anEncounter())],
        ),
      },
      V3,
    ],
    ['a notification without its status', aBundle('subscription-notification', [entryOf(anEncounter())]), '?'],
    ['no body, from a Subscription', '', 'nothing, search', { source: 'subscription', contentType: '' }],
    ['no body, from a broker', '', '?'],
    // Envelopes.
    ['a CloudEvent', aCloudEvent(anEncounter()), V3, { contentType: 'application/cloudevents+json' }],
    ['a CloudEvent that says nothing of its type', aCloudEvent(plain), 'Encounter/123 as id:/hospital/adt ce-1'],
    [
      'a CloudEvent with another id outside',
      aCloudEvent(plain),
      'Encounter/123 as id:/hospital/adt ce-1',
      { messageId: 'ce-1' },
    ],
    ['a CloudEvent around a Bundle', aCloudEvent(aBundle('history', [entryOf(anEncounter())])), V3],
    ['a CloudEvent around a text', aCloudEvent(JSON.stringify(anEncounter())), V3],
    [
      'a CloudEvent around bytes',
      aCloudEvent(undefined, { data_base64: Buffer.from(JSON.stringify(anEncounter())).toString('base64') }),
      V3,
    ],
    ['a CloudEvent around no base64', aCloudEvent(undefined, { data_base64: '{}' }), '?'],
    ['a CloudEvent around XML', aCloudEvent('<Encounter/>', { datacontenttype: 'application/fhir+xml' }), '?'],
    ['a CloudEvent around nothing', aCloudEvent(undefined), '?'],
    ['a CloudEvent around a CloudEvent', aCloudEvent(aCloudEvent(anEncounter())), '?'],
    ['a CloudEvent around a list', aCloudEvent([anEncounter()]), '?'],
    ['a CloudEvent of an old version', aCloudEvent(anEncounter(), { specversion: '0.3' }), '?'],
    ['a CloudEvent without an id', aCloudEvent(anEncounter(), { id: '' }), '?'],
    ['a CloudEvent without a source', aCloudEvent(anEncounter(), { source: undefined }), '?'],
    ['a CloudEvent in headers', anEncounter(), V3, { headers: binary }],
    ['a CloudEvent in headers, around a plain event', plain, 'Encounter/123 as id:/adt ce-1', { headers: binary }],
    ['a CloudEvent in headers, around a CloudEvent', aCloudEvent(plain), '?', { headers: binary }],
    ['a list of CloudEvents', [aCloudEvent(anEncounter()), aCloudEvent(plain)], 'Encounter/1 Encounter/123 as a hash'],
    ['a list of one', [aCloudEvent(anEncounter())], V3],
    ['an empty list', [], '?'],
    ['a list of lists', [[anEncounter()]], '?'],
    [
      'Azure as a CloudEvent',
      aCloudEvent(aStoreChange(), { type: 'Microsoft.HealthcareApis.FhirResourceUpdated' }),
      V3,
    ],
    ['Azure by Event Grid', [gridEvent(aStoreChange())], V3],
    [
      'Azure without a version',
      [gridEvent(aStoreChange({ resourceVersionId: undefined }))],
      'Encounter/1 as id:/t g-1',
    ],
    ['Azure, another service', aCloudEvent(aStoreChange({ resourceFhirAccount: 'other.example.org' })), '?'],
    ['Azure, a document', aCloudEvent(aStoreChange({ resourceType: 'DocumentReference' })), 'nothing, search'],
    ['Azure, a Patient', aCloudEvent(aStoreChange({ resourceType: 'Patient' })), 'nothing'],
    [
      'Event Grid asks for an answer',
      [gridEvent({ validationCode: '1' }, { eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent' })],
      'nothing',
    ],
    ['Pub/Sub with the resource', pubSub(JSON.stringify(anEncounter())), V3],
    ['Pub/Sub with a plain event', pubSub(JSON.stringify({ encounter: 'Encounter/5' })), 'Encounter/5 as id:77'],
    [
      'Pub/Sub with the name of another store',
      pubSub('projects/p/locations/l/datasets/d/fhirStores/s/fhir/Encounter/1'),
      '?',
    ],
    ['MassTransit', aMassTransit(change()), V3],
    [
      'MassTransit with the resource',
      aMassTransit(change({ resource: JSON.stringify(anEncounter({ class: { code: 'EMER' } })) })),
      'Encounter/1! as Encounter/1/_history/3',
    ],
    ['MassTransit, deleted', aMassTransit(change({ changeType: 'delete' })), 'Encounter/1 as id:mt-1'],
    ['MassTransit around a plain event', aMassTransit({ encounter: 'Encounter/5' }), 'Encounter/5 as id:mt-1'],
    // Deletions.
    [
      'Medplum deletes',
      {},
      'Encounter/1 as id:Encounter/1/deleted',
      { headers: { 'x-medplum-deleted-resource': 'Encounter/1' } },
    ],
    [
      'Medplum deletes a Patient',
      {},
      'nothing',
      { headers: { 'x-medplum-deleted-resource': 'Patient/1', 'x-medplum-interaction': 'delete' } },
    ],
    ['Medplum deletes, and does not say what', {}, 'nothing', { headers: { 'x-medplum-interaction': 'delete' } }],
    [
      'Medplum deletes something odd',
      {},
      '?',
      { headers: { 'x-medplum-deleted-resource': 'https://evil.example/Encounter/1' } },
    ],
    ['an empty object', {}, '?'],
    ['an object of no known shape', { hello: 'world' }, '?'],
    ['a number', 7, '?'],
  ])('%s', (_title, body, expected, changes = {}) => {
    expect(gist(read(body, changes))).toBe(expected);
  });

  it('Google’s store is recognised by the end of the site’s address', () => {
    const store = 'projects/p/locations/l/datasets/d/fhirStores/s/fhir';
    const site = aListeningSite(`https://healthcare.googleapis.com/v1/${store}`);
    const send = (attributes: object) => gist(understand(site, aDelivery(pubSub(`${store}/Encounter/1`, attributes))));
    expect(send({ action: 'UpdateResource', versionId: 'abc' })).toBe('Encounter/1 as Encounter/1/_history/abc');
    expect(send({ action: 'DeleteResource' })).toBe('Encounter/1 as id:77');
    expect(send({})).toBe('Encounter/1 as id:77');
  });

  it('a site without an EHR accepts only relative references', () => {
    const site = aListeningSite();
    const { ehr: _, ...settings } = site.settings;
    const tell = (encounter: string) => gist(understand({ ...site, settings }, aDelivery({ encounter })));
    expect(tell('Encounter/1')).toBe('Encounter/1 as a hash');
    expect(tell(`${EHR}/Encounter/1`)).toBe('?');
  });
});

describe('the key that identifies repeats', () => {
  it('one version of an encounter has one key in every format', () => {
    const encounter = anEncounter();
    const ways = [
      read(encounter, { messageId: 'm-1' }),
      read(encounter, { source: 'subscription', contentType: 'application/fhir+json' }),
      read(aBundle('history', [entryOf(encounter)]), { messageId: 'm-2' }),
      read(aNotification(aBackportStatus({ events: [{ number: 4, focus: 'Encounter/1' }] }), [entryOf(encounter)])),
      read(aCloudEvent(encounter)),
      read(encounter, { headers: binary }),
      read(aMassTransit(change())),
      read([gridEvent(aStoreChange())]),
    ];
    const keys = ways.map((understood) => understood.kind === 'encounters' && understood.key);
    expect(new Set(keys)).toEqual(new Set(['Encounter/1/_history/3']));
  });

  it('white space, the order of keys and times of sending do not change a key with a version or an id', () => {
    const keyOf = (body: unknown) => {
      const understood = read(body);
      return understood.kind === 'encounters' ? understood.key : understood.why;
    };
    const turned = Object.fromEntries(Object.entries(anEncounter()).reverse());
    expect(keyOf(JSON.stringify(turned, null, 4))).toBe(keyOf(anEncounter()));
    const two = [entryOf(anEncounter()), entryOf(anEncounter({ id: '2' }))];
    expect(keyOf(aBundle('history', two.toReversed(), { timestamp: '2027-01-01T00:00:00Z' }))).toBe(
      keyOf(aBundle('history', two)),
    );
    expect(keyOf(aCloudEvent(plain, { time: '2027-01-01T00:00:00Z' }))).toBe(keyOf(aCloudEvent(plain)));
    expect(keyOf({ ...plain, occurredAt: '2027-01-01T00:00:00Z' })).toBe(keyOf(plain));
  });

  it('an event without a version or an id is identified by its bytes', () => {
    const body = JSON.stringify({ encounter: 'Encounter/1' });
    expect(read(body)).toMatchObject({ key: hashOf(body) });
    expect(read(`${body} `)).toMatchObject({ key: hashOf(`${body} `) });
  });

  it('events of different sources may have the same id', () => {
    const [one, other] = ['/a', '/b'].map((source) => read(aCloudEvent(plain, { source })));
    expect(one).not.toEqual(other);
  });

  it('the key of a Bundle contains the versions of all its encounters', () => {
    const keyOf = (version: string) =>
      read(
        aBundle('history', [entryOf(anEncounter()), entryOf(anEncounter({ id: '2', meta: { versionId: version } }))]),
      );
    expect(keyOf('1')).not.toEqual(keyOf('2'));
    expect(keyOf('1')).toEqual(keyOf('1'));
  });

  it('the sender’s id is returned if it can be shown', () => {
    expect(read(plain)).toMatchObject({ eventId: 'ev-1' });
    expect(read(anEncounter(), { messageId: 'm-1' })).toMatchObject({ eventId: 'm-1' });
    expect(read(aCloudEvent(anEncounter()), { messageId: 'm-1' })).toMatchObject({ eventId: 'ce-1' });
    expect(read(aMassTransit(change()))).toMatchObject({ eventId: 'mt-1' });
    for (const messageId of ['', 'a\u0000b', 'x'.repeat(300), '\ud800']) {
      expect(read(anEncounter(), { messageId })).not.toHaveProperty('eventId');
    }
  });
});

describe('other content of an event', () => {
  it('the time of the event is returned; without an offset it is in the time zone of the site', () => {
    expect(read(plain)).toMatchObject({ occurredAt: new Date('2026-11-21T15:00:00Z') });
    const local = { ...plain, occurredAt: '2026-11-21T09:00:00' };
    expect(read(local)).toMatchObject({ occurredAt: new Date('2026-11-21T15:00:00Z') });
    expect(read(anEncounter())).toMatchObject({ occurredAt: new Date('2026-11-21T15:59:00Z') });
    expect(read(aCloudEvent(anEncounter()))).toMatchObject({ occurredAt: new Date('2026-11-21T15:58:00Z') });
    expect(read({ ...plain, occurredAt: 'yesterday' })).not.toHaveProperty('occurredAt');
  });

  it('the subscription status of a notification is returned', () => {
    const events = [{ number: 11, focus: 'Encounter/1' }, { number: 12, focus: 'Encounter/2' }, { number: 10 }];
    const news = { subscription: 'Subscription/7', kind: 'event-notification', status: 'active' };
    for (const status of [aBackportStatus({ events }), aSubscriptionStatus({ events })]) {
      expect(read(aNotification(status))).toMatchObject({
        subscription: { ...news, eventNumber: 12, firstEventNumber: 10 },
      });
    }
    expect(read(aNotification(aBackportStatus({ type: 'heartbeat', since: 40 })))).toEqual({
      kind: 'nothing',
      why: 'It is the heartbeat of a subscription',
      subscription: { subscription: 'Subscription/7', kind: 'heartbeat', status: 'active', eventNumber: 40 },
    });
    expect(read(aNotification(aBackportStatus()))).toMatchObject({
      mustSearch: true,
      subscription: { eventNumber: 12 },
    });
  });

  it('a subscription of another server is not returned', () => {
    const status = {
      ...aSubscriptionStatus({ type: 'heartbeat' }),
      subscription: { reference: 'https://x.example/Subscription/7' },
    };
    const understood = read(aNotification(status));
    expect(understood).toMatchObject({ subscription: { kind: 'heartbeat' } });
    expect(understood).not.toHaveProperty('subscription.subscription');
  });

  it('other resources of a feed give the reason why they are ignored', () => {
    expect(read({ resourceType: 'Patient', id: 'p-1' })).toEqual({
      kind: 'nothing',
      why: 'The feed also carries Patient resources, which are not needed',
    });
  });

  it.each(['replaces', 'replaced-by'])('a Patient with a link %s has the EHR searched for changes', (type) => {
    const link = [{ other: { reference: 'Patient/p-2' }, type }];
    expect(read({ resourceType: 'Patient', id: 'p-1', link })).toEqual({
      kind: 'nothing',
      why: 'Patients were merged: the encounters that have changed are searched for',
      mustSearch: true,
    });
    const other = { resourceType: 'Patient', id: 'p-1', link: [{ ...link[0], type: 'seealso' }] };
    expect(read(other)).not.toHaveProperty('mustSearch');
  });
});
