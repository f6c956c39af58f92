// Reads the envelopes of brokers: CloudEvents, Event Grid's own schema, Pub/Sub push, MassTransit. The envelope gives the event its name and
// time; its content is read like a message without an envelope.
import { listOf, memberOf, textOf } from '../../../domain/raw-members.ts';
import { occurredAt, readNamedReference, readNamedResource } from './read-resource.ts';
import { mergeReadings, nameKey, nothing, notUnderstood, type Reading, type ReadingPlace, shownId } from './reading.ts';

/** Reads the content of an envelope, which must not be another envelope. */
export type InnerReader = {
  readonly place: ReadingPlace;
  readonly value: (value: unknown) => Reading;
  readonly content: (bytes: Uint8Array, contentType: string) => Reading;
};

/** The attributes of a CloudEvent, from JSON or from headers. */
export type EventAttributes = {
  readonly specversion?: unknown;
  readonly id?: unknown;
  readonly source?: unknown;
  readonly time?: unknown;
};

const NOT_BASE64 = /[^A-Za-z0-9+/_-]/;
const PADDING = /={1,2}$/;
const MAX_CHANGES = 10_000;

/** Undefined if the value is not an envelope. */
export function findEnvelope(value: unknown): ((inner: InnerReader) => Reading) | undefined {
  if (memberOf(value, 'specversion') !== undefined) return (inner) => readCloudEvent(value, inner);
  if (memberOf(value, 'eventType') !== undefined && hasData(value)) return (inner) => readGridEvent(value, inner);
  const message = memberOf(value, 'message');
  if (typeof message !== 'object' || memberOf(message, 'resourceType') !== undefined) return undefined;
  if (memberOf(value, 'messageType') !== undefined) return (inner) => readMassTransit(value, inner);
  return hasData(message) || memberOf(message, 'attributes') !== undefined
    ? (inner) => readPubSub(message, inner)
    : undefined;
}

function hasData(value: unknown): boolean {
  return memberOf(value, 'data') !== undefined;
}

function readCloudEvent(event: unknown, inner: InnerReader): Reading {
  const { specversion, id, source, time } = attributesOf(event);
  return nameCloudEvent({ specversion, id, source, time }, inner.place, () => readEventData(event, inner));
}

function attributesOf(event: unknown): EventAttributes {
  const [specversion, id] = [memberOf(event, 'specversion'), memberOf(event, 'id')];
  return { specversion, id, source: memberOf(event, 'source'), time: memberOf(event, 'time') };
}

/** By the standard, source and id together are unique; they are preferred to the broker's message id. */
export function nameCloudEvent(event: EventAttributes, place: ReadingPlace, read: () => Reading): Reading {
  if (!/^1\.\d$/.test(String(event.specversion)))
    return notUnderstood('It is a CloudEvent of another version than 1.0');
  const eventId = shownId(event.id);
  if (eventId === undefined || typeof event.source !== 'string' || event.source === '') {
    return notUnderstood('It is a CloudEvent without an id or a source');
  }
  const reading = read();
  if (reading.kind !== 'encounters') return reading;
  const key = reading.key ?? nameKey(`${event.source} ${eventId}`);
  return { ...reading, key, eventId, ...occurredAt(event.time, place.timeZone) };
}

function readEventData(event: unknown, inner: InnerReader): Reading {
  const contentType = bareType(textOf(event, 'datacontenttype') ?? 'application/json');
  const encoded = memberOf(event, 'data_base64');
  if (encoded !== undefined) return readBase64(encoded, contentType, inner);
  const data = memberOf(event, 'data');
  if (data === undefined) return notUnderstood('It is a CloudEvent without data');
  return typeof data === 'string' ? inner.content(Buffer.from(data, 'utf8'), contentType) : inner.value(data);
}

function bareType(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function readBase64(encoded: unknown, contentType: string, inner: InnerReader): Reading {
  if (typeof encoded !== 'string' || !isBase64(encoded)) return notUnderstood('Its data is no base64');
  return inner.content(Buffer.from(encoded, 'base64'), contentType);
}

/** The pattern needs no backtracking, which would take memory for each of millions of characters. */
function isBase64(text: string): boolean {
  return !NOT_BASE64.test(text.slice(-2).includes('=') ? text.replace(PADDING, '') : text);
}

/** Event Grid's own schema. */
function readGridEvent(event: unknown, inner: InnerReader): Reading {
  if (textOf(event, 'eventType') === 'Microsoft.EventGrid.SubscriptionValidationEvent') {
    return nothing('It is a validation request of Event Grid');
  }
  const reading = inner.value(memberOf(event, 'data'));
  const eventId = shownId(memberOf(event, 'id'));
  if (reading.kind !== 'encounters' || eventId === undefined) return reading;
  const name = `${textOf(event, 'topic') ?? ''} ${eventId}`;
  return { ...reading, eventId, name, ...occurredAt(memberOf(event, 'eventTime'), inner.place.timeZone) };
}

/** Google's FHIR stores send the whole resource, or its name in the store. */
function readPubSub(message: unknown, inner: InnerReader): Reading {
  const data = textOf(message, 'data') ?? '';
  if (!isBase64(data)) return notUnderstood('Its data is no base64');
  const bytes = Buffer.from(data, 'base64');
  const resourceName = /^projects\/[^\s]{1,1000}$/.exec(bytes.subarray(0, 1_100).toString('latin1'))?.[0];
  const isNamed = resourceName !== undefined && bytes.length === resourceName.length;
  const reading = isNamed ? readStoreName(resourceName, message, inner.place) : inner.content(bytes, '');
  const time = memberOf(message, 'publishTime') ?? memberOf(message, 'publish_time');
  return named(reading, memberOf(message, 'messageId') ?? memberOf(message, 'message_id'), time, inner.place);
}

/** `projects/…/fhirStores/x/fhir/Encounter/1` belongs to the site if the address of its EHR ends with the name of the store. */
function readStoreName(resourceName: string, message: unknown, place: ReadingPlace): Reading {
  const at = resourceName.indexOf('/fhir/');
  const store = at < 0 ? undefined : resourceName.slice(0, at + '/fhir'.length);
  const ownPath = URL.parse(place.baseUrl ?? '')?.pathname.replace(/\/+$/, '');
  if (store === undefined || ownPath?.endsWith(`/${store}`) !== true) {
    return notUnderstood('It is about another FHIR store than the one of this site');
  }
  const attributes = memberOf(message, 'attributes');
  const version = textOf(attributes, 'versionId');
  const literal = resourceName.slice(at + '/fhir/'.length);
  const versioned =
    version === undefined || literal.includes('/_history/') ? literal : `${literal}/_history/${version}`;
  return readNamedReference(versioned, place, textOf(attributes, 'action') === 'DeleteResource');
}

/** A list of changes of Firely Server, or another message of a .NET program. */
function readMassTransit(envelope: unknown, inner: InnerReader): Reading {
  const message = memberOf(envelope, 'message');
  const changes = listOf(message, 'changes');
  const time = memberOf(envelope, 'sentTime');
  const reading = changes.length === 0 ? inner.value(message) : readChanges(changes, inner);
  return named(reading, memberOf(envelope, 'messageId'), time, inner.place);
}

function readChanges(changes: readonly unknown[], inner: InnerReader): Reading {
  if (changes.length > MAX_CHANGES) return notUnderstood(`It is a message of more than ${MAX_CHANGES} changes`);
  const readings = changes.map((change) => readChange(change, inner));
  return mergeReadings(readings, 'It is a message of changes without encounters');
}

function readChange(change: unknown, inner: InnerReader): Reading {
  const isDeleted = memberOf(change, 'changeType') === 'delete';
  const resource = memberOf(change, 'resource');
  if (typeof resource === 'string' && !isDeleted)
    return inner.content(Buffer.from(resource, 'utf8'), 'application/json');
  const reference = memberOf(change, 'reference');
  const [id, version] = [memberOf(reference, 'resourceId'), memberOf(reference, 'version')];
  return readNamedResource({ type: textOf(reference, 'resourceType') ?? '', id, version, isDeleted });
}

function named(reading: Reading, id: unknown, time: unknown, { timeZone }: ReadingPlace): Reading {
  const eventId = shownId(id);
  if (reading.kind !== 'encounters' || eventId === undefined) return reading;
  return { ...reading, eventId, name: eventId, ...occurredAt(time, timeZone) };
}
