// Reads a JSON object without an envelope as an event: a FHIR resource, a change event of a FHIR store, or the plain event of an interface engine.
import { memberOf, textOf } from '../../../domain/raw-members.ts';
import { readBundle, readNotified } from './read-bundle.ts';
import { readNotification } from './read-notification.ts';
import { occurredAt, readNamedReference, readNamedResource, readResource } from './read-resource.ts';
import { notUnderstood, type Reading, type ReadingPlace, shownId } from './reading.ts';

const OTHER_STORE = 'It is about another FHIR service than the one of this site (resourceFhirAccount)';

export function readJson(value: unknown, place: ReadingPlace): Reading {
  if (typeof value !== 'object' || value === null) return notUnderstood('It is JSON, but not an object');
  if (Object.keys(value).length === 0) return notUnderstood('It is an empty object');
  if (memberOf(value, 'resourceFhirId') !== undefined) return readStoreChange(value, place);
  if (memberOf(value, 'resourceType') !== undefined) return readFhir(value, place);
  // Aidbox: `{topic, value: Bundle}`.
  const inner = memberOf(value, 'value');
  if (memberOf(inner, 'resourceType') === 'Bundle') return readBundle(inner, place);
  if (memberOf(value, 'encounter') !== undefined) return readPlainEvent(value, place);
  return notUnderstood('It has none of the supported formats');
}

function readFhir(resource: unknown, place: ReadingPlace): Reading {
  if (memberOf(resource, 'resourceType') === 'Bundle') return readBundle(resource, place);
  const notification = readNotification(resource, place);
  return notification === undefined ? readResource(resource, place) : readNotified(notification, [], place);
}

/** An event of Azure's FHIR service, which names the changed resource. */
function readStoreChange(change: unknown, { baseUrl }: ReadingPlace): Reading {
  const account = textOf(change, 'resourceFhirAccount');
  const ownHost = URL.parse(baseUrl ?? '')?.host;
  if (account !== undefined && account.toLowerCase() !== ownHost) return notUnderstood(OTHER_STORE);
  return readNamedResource({
    type: textOf(change, 'resourceType') ?? '',
    id: memberOf(change, 'resourceFhirId'),
    version: memberOf(change, 'resourceVersionId'),
  });
}

/** `{eventId, encounter: "Encounter/123", status, occurredAt}`: the encounter is resolved, whatever the status says. */
function readPlainEvent(event: unknown, place: ReadingPlace): Reading {
  const encounter = memberOf(event, 'encounter');
  const literal = typeof encounter === 'string' ? encounter : textOf(encounter, 'reference');
  if (literal === undefined) return notUnderstood('Its "encounter" is not a reference such as Encounter/123');
  const reading = readNamedReference(literal, place);
  if (reading.kind === 'not-understood') return reading;
  if (reading.kind === 'nothing') return notUnderstood('Its "encounter" references another type of resource');
  const id = memberOf(event, 'eventId');
  const eventId = shownId(id);
  if (id !== undefined && eventId === undefined)
    return notUnderstood('Its "eventId" is not a text of up to 255 characters');
  return {
    ...reading,
    ...(eventId !== undefined && { eventId, name: eventId }),
    ...occurredAt(memberOf(event, 'occurredAt'), place.timeZone),
  };
}
