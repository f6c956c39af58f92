// Builders for what EHRs, brokers and interface engines send: a site that gets it, deliveries, resources, Bundles, envelopes, HL7 v2.
import type { RawDelivery } from '../../src/domain/event/delivery.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import { aSite } from './chart-facts.ts';

export const EHR = 'https://ehr.example.org/fhir/R4';
export const NOW = new Date('2026-11-21T16:00:00Z');

type Json = Readonly<Record<string, unknown>>;

export function aListeningSite(baseUrl = EHR): LoadedSite {
  const site = aSite();
  const ehr = { baseUrl, auth: { type: 'none' as const }, maxConcurrentWrites: 2, headers: {} };
  return { ...site, settings: { ...site.settings, ehr } };
}

/** A body that is neither bytes nor text is sent as JSON. */
export function aDelivery(body: unknown, changes: Partial<Omit<RawDelivery, 'body'>> = {}): RawDelivery {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { source: 'amqp', contentType: 'application/json', headers: {}, receivedAt: NOW, ...changes, body: bytes };
}

export function anEncounter(changes: Json = {}): Json {
  return {
    resourceType: 'Encounter',
    id: '1',
    meta: { versionId: '3', lastUpdated: '2026-11-21T15:59:00Z' },
    status: 'finished',
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
    subject: { reference: 'Patient/p-1', display: 'Jane Roe' },
    ...changes,
  };
}

export function aDocument(encounters: readonly unknown[] = [{ reference: 'Encounter/1' }], changes: Json = {}): Json {
  return {
    resourceType: 'DocumentReference',
    id: 'd-9',
    meta: { versionId: '2' },
    status: 'current',
    content: [{ attachment: { contentType: 'audio/wav', url: 'Binary/7' } }],
    context: { encounter: encounters },
    ...changes,
  };
}

export function aMedia(changes: Json = {}): Json {
  return {
    resourceType: 'Media',
    id: 'm-7',
    meta: { versionId: '1' },
    status: 'completed',
    encounter: { reference: 'Encounter/1' },
    content: { contentType: 'audio/wav', url: 'Binary/8' },
    ...changes,
  };
}

export function aBundle(type: string, entries: readonly unknown[], changes: Json = {}): Json {
  return { resourceType: 'Bundle', type, timestamp: '2026-11-21T15:59:30Z', entry: entries, ...changes };
}

export function entryOf(resource: Json): Json {
  const name = `${resource['resourceType']}/${resource['id']}`;
  return { fullUrl: `${EHR}/${name}`, resource, request: { method: 'PUT', url: name } };
}

type EventFacts = { readonly number: number; readonly focus?: string; readonly timestamp?: string };
type NoticeFacts = { readonly type?: string; readonly since?: number; readonly events?: readonly EventFacts[] };

/** Returns a notification of the R4 Backport: Parameters. */
export function aBackportStatus({ type = 'event-notification', since = 12, events = [] }: NoticeFacts = {}): Json {
  const part = ({ number, focus, timestamp }: EventFacts) => [
    { name: 'event-number', valueString: String(number) },
    ...(timestamp === undefined ? [] : [{ name: 'timestamp', valueInstant: timestamp }]),
    ...(focus === undefined ? [] : [{ name: 'focus', valueReference: { reference: focus } }]),
  ];
  return {
    resourceType: 'Parameters',
    meta: {
      profile: ['http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-subscription-status-r4'],
    },
    parameter: [
      { name: 'subscription', valueReference: { reference: `${EHR}/Subscription/7` } },
      { name: 'status', valueCode: 'active' },
      { name: 'type', valueCode: type },
      { name: 'events-since-subscription-start', valueString: String(since) },
      ...events.map((event) => ({ name: 'notification-event', part: part(event) })),
    ],
  };
}

/** Returns a notification of R4B and R5. */
export function aSubscriptionStatus(
  { type = 'event-notification', since = 12, events = [] }: NoticeFacts = {},
  resourceType = 'SubscriptionStatus',
): Json {
  return {
    resourceType,
    status: 'active',
    type,
    eventsSinceSubscriptionStart: since,
    notificationEvent: events.map(({ number, focus, timestamp }) => ({
      eventNumber: number,
      ...(timestamp !== undefined && { timestamp }),
      ...(focus !== undefined && { focus: { reference: focus } }),
    })),
    subscription: { reference: 'Subscription/7' },
  };
}

export function aNotification(status: Json, entries: readonly unknown[] = [], type = 'history'): Json {
  return aBundle(type, [{ fullUrl: 'urn:uuid:0a1b', resource: status }, ...entries]);
}

export function aCloudEvent(data: unknown, changes: Json = {}): Json {
  return {
    specversion: '1.0',
    id: 'ce-1',
    source: '/hospital/adt',
    type: 'org.example.encounter',
    time: '2026-11-21T15:58:00Z',
    datacontenttype: 'application/fhir+json',
    data,
    ...changes,
  };
}

export function aStoreChange(changes: Json = {}): Json {
  return {
    resourceType: 'Encounter',
    resourceFhirAccount: 'ehr.example.org',
    resourceFhirId: '1',
    resourceVersionId: 3,
    ...changes,
  };
}

export function aMassTransit(message: unknown): Json {
  return { messageId: 'mt-1', messageType: ['urn:message:Firely.Server.Contracts.Messages.V1:Changes'], message };
}

type Hl7Facts = {
  readonly trigger?: string;
  readonly type?: string;
  readonly controlId?: string;
  readonly charset?: string;
  /** The text of PV1-19, unchanged. */
  readonly visit?: string;
  readonly patientClass?: string;
  readonly time?: string;
  readonly name?: string;
  readonly ending?: string;
  /** Segments behind PV1. `PV1` in `without` leaves that segment out. */
  readonly more?: readonly string[];
  readonly without?: readonly string[];
};

export function anAdt(facts: Hl7Facts = {}): string {
  const { trigger = 'A03', type = 'ADT', controlId = 'MSG00042', charset = '', visit = 'V-77^^^HOSP^VN' } = facts;
  const {
    patientClass = 'I',
    time = '20261121095900',
    name = 'ROE^JANE',
    ending = '\r',
    more = [],
    without = [],
  } = facts;
  const visitFields = Array.from(
    { length: 19 },
    (_, index) => [patientClass, visit][index === 1 ? 0 : index === 18 ? 1 : 2] ?? '',
  );
  const segments = [
    `MSH|^~\\&|ADTSYS|MERCY|CHARTWRIGHT|MERCY|20261121100000-0600||${type}^${trigger}^ADT_A01|${controlId}|P|2.5.1||||||${charset}`,
    `EVN|${trigger}|${time}`,
    `PID|1||12345^^^MRN||${name}`,
    `PV1|${visitFields.join('|')}`,
    ...more,
  ];
  const kept = segments.filter((segment) => !without.includes(segment.slice(0, 3)));
  return kept.map((segment) => segment + ending).join('');
}

export function hl7Delivery(body: string | Uint8Array, changes: Partial<Omit<RawDelivery, 'body'>> = {}): RawDelivery {
  return aDelivery(body, { source: 'push', contentType: 'application/hl7-v2', ...changes });
}
