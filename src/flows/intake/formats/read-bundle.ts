// Reads a Bundle as an event: notifications of a Subscription, histories, transactions and search sets. Only its encounters are used, whether
// they are complete or only referenced.
import { listOf, memberOf, textOf } from '../../../domain/raw-members.ts';
import { readReference } from './encounter-reference.ts';
import { type Notification, readNotification } from './read-notification.ts';
import { FOREIGN_REFERENCE, readNamedReference, readResource } from './read-resource.ts';
import { mergeReadings, nothing, notUnderstood, type Reading, type ReadingPlace } from './reading.ts';

const TYPES: ReadonlySet<unknown> = new Set([
  ...['history', 'collection', 'transaction', 'batch', 'searchset', 'message', 'subscription-notification'],
]);
const MAX_ENTRIES = 10_000;
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;
const NO_ENCOUNTER = 'It is a Bundle without encounters';
const QUIET = {
  handshake: 'It is the handshake of a subscription',
  heartbeat: 'It is the heartbeat of a subscription',
  'query-status': 'It is the status of a subscription',
} as const;

export function readBundle(bundle: unknown, place: ReadingPlace): Reading {
  if (!TYPES.has(memberOf(bundle, 'type'))) {
    return notUnderstood('It is a Bundle of a type that carries no events: history, collection, transaction … do');
  }
  const entries = listOf(bundle, 'entry');
  if (entries.length > MAX_ENTRIES) return notUnderstood(`It is a Bundle of more than ${MAX_ENTRIES} entries`);
  const notification = readNotification(memberOf(entries[0], 'resource'), place);
  if (notification !== undefined) return readNotified(notification, entries.slice(1), place);
  if (memberOf(bundle, 'type') === 'subscription-notification') {
    return notUnderstood('It is a notification that does not begin with the status of its subscription');
  }
  const reading = mergeReadings(readEntries(entries, place), NO_ENCOUNTER);
  // The identifier is the only stable name of a Bundle: `Bundle.id` may be the same in all of them.
  const identifier = memberOf(bundle, 'identifier');
  const value = textOf(identifier, 'value');
  if (reading.kind !== 'encounters' || value === undefined) return reading;
  return { ...reading, name: `${textOf(identifier, 'system') ?? ''}|${value}` };
}

/** Reads a subscription status, alone or with the entries of its Bundle. */
export function readNotified(notification: Notification, entries: readonly unknown[], place: ReadingPlace): Reading {
  const { update: subscription, focuses, name, occurredAt } = notification;
  const { kind } = subscription;
  if (kind !== 'event-notification' && kind !== 'query-event') return nothing(QUIET[kind], { subscription });
  if (focuses.length + entries.length > MAX_ENTRIES) {
    return notUnderstood(`It is a notification of more than ${MAX_ENTRIES} entries`);
  }
  if (focuses.length === 0 && entries.length === 0) {
    return nothing('Something has changed, and the notification does not say what', { subscription, mustSearch: true });
  }
  const readings = [...readEntries(entries, place), ...readFocuses(focuses, entries, place)];
  const reading = mergeReadings(readings, NO_ENCOUNTER);
  if (reading.kind === 'not-understood') return reading;
  if (reading.kind === 'nothing') return { ...reading, subscription };
  return { ...reading, subscription, ...(name !== undefined && { name }), ...(occurredAt && { occurredAt }) };
}

/** References to resources that are complete in the Bundle are ignored. */
function readFocuses(focuses: readonly string[], entries: readonly unknown[], place: ReadingPlace): readonly Reading[] {
  const resources = entries.map((entry) => memberOf(entry, 'resource'));
  const whole = new Set(resources.map((each) => `${textOf(each, 'resourceType')}/${textOf(each, 'id')}`));
  return focuses
    .map((literal) => ({ literal, reference: readReference(literal, place.baseUrl) }))
    .filter(({ reference: one }) => one.kind !== 'own' || !whole.has(`${one.type}/${one.id}`))
    .map(({ literal }) => readNamedReference(literal, place));
}

function readEntries(entries: readonly unknown[], place: ReadingPlace): readonly Reading[] {
  return entries.map((entry) => readEntry(entry, place));
}

function readEntry(entry: unknown, place: ReadingPlace): Reading {
  const resource = memberOf(entry, 'resource');
  const type = textOf(resource, 'resourceType');
  // A Bundle inside a Bundle is content of a resource, not an event.
  if (type === 'Bundle') return nothing(NO_ENCOUNTER);
  const isNamed = type === 'Encounter' && memberOf(resource, 'id') === undefined;
  return resource === undefined || isNamed ? readNamedEntry(entry, place) : readResource(resource, place);
}

/** `request.url` is preferred: behind a proxy, `fullUrl` often has the internal address of the EHR. */
function readNamedEntry(entry: unknown, place: ReadingPlace): Reading {
  const request = memberOf(entry, 'request');
  const isDeleted = memberOf(request, 'method') === 'DELETE';
  const literals = [textOf(request, 'url'), textOf(entry, 'fullUrl')].filter((each) => each !== undefined);
  const own = literals.find((literal) => readReference(literal, place.baseUrl).kind === 'own');
  if (own !== undefined) return readNamedReference(own, place, isDeleted);
  const foreign = literals.find((literal) => ABSOLUTE.test(literal) && !literal.startsWith('urn:'));
  return foreign === undefined ? nothing('It references no resource of the EHR') : notUnderstood(FOREIGN_REFERENCE);
}
