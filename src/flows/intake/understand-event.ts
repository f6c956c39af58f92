// What a delivery says, and what recognises a repeat of it, whichever way it comes. Pure, bounded by the size of the delivery, and it
// never throws: what cannot be understood is an answer, too, in words that hold nothing of its content.
import type { RawDelivery, Understood } from '../../domain/event/delivery.ts';
import { textOf } from '../../domain/raw-members.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { readReference } from './understanding/encounter-reference.ts';
import { readContent } from './understanding/read-content.ts';
import { nameCloudEvent } from './understanding/read-envelope.ts';
import { readNamedResource } from './understanding/read-resource.ts';
import {
  hashKey,
  nameKey,
  nothing,
  notUnderstood,
  type Reading,
  type ReadingPlace,
  shownId,
} from './understanding/reading.ts';

/** Never throws. */
export type UnderstandEvent = (site: LoadedSite, delivery: RawDelivery) => Understood;

export const MAX_EVENT_BYTES = 16 * 1024 * 1024;

type Parts = {
  /** Told of a mistake of this engine: what was thrown holds nothing of the message, but its stack says where. */
  readonly onMistake?: (site: string, thrown: unknown) => void;
};

export function makeUnderstandEvent({ onMistake }: Parts = {}): UnderstandEvent {
  return (site, delivery) => {
    try {
      return named(readDelivery(delivery, placeOf(site)), delivery);
    } catch (thrown) {
      onMistake?.(site.name, thrown);
      // The message is kept, and can be sent again once it is mended.
      return notUnderstood('It led to an unexpected error while it was read');
    }
  };
}

export function placeOf({ name, settings }: LoadedSite): ReadingPlace {
  return { site: name, baseUrl: settings.ehr?.baseUrl, timeZone: settings.timeZone };
}

/**
 * What is the same by every way comes first. A sender's name for a message is next: a broker that repeats keeps it. The bytes say
 * nothing of an event that is sent once more with a new time in it: then it is looked at twice, which harms nobody.
 */
function named(reading: Reading, { messageId, body }: RawDelivery): Understood {
  if (reading.kind !== 'encounters') return reading;
  const { key, name, eventId, ...said } = reading;
  const id = messageId === '' ? name : (messageId ?? name);
  const shown = shownId(eventId ?? messageId);
  return {
    ...said,
    key: key ?? (id === undefined ? hashKey(body) : nameKey(id)),
    ...(shown !== undefined && { eventId: shown }),
  };
}

function readDelivery(delivery: RawDelivery, place: ReadingPlace): Reading {
  const { body, headers, contentType, source } = delivery;
  if (body.length > MAX_EVENT_BYTES) return notUnderstood('It is larger than 16 MB');
  if (saysDeleted(headers)) return readDeletion(headers, place);
  if (body.length === 0) {
    // R4: a Subscription without a payload is told of by a request without a body.
    return source === 'subscription'
      ? nothing('Something has changed, and the notification does not say what', { mustSearch: true })
      : notUnderstood('It is empty');
  }
  // CloudEvents in binary mode: the envelope stands in headers.
  const specversion = textOf(headers, 'ce-specversion');
  const read = () => readContent({ bytes: body, contentType, isWrapped: specversion !== undefined }, place);
  if (specversion === undefined) return read();
  const [id, origin, time] = ['ce-id', 'ce-source', 'ce-time'].map((name) => textOf(headers, name));
  return nameCloudEvent({ specversion, id, source: origin, time }, place, read);
}

function saysDeleted(headers: RawDelivery['headers']): boolean {
  return (
    textOf(headers, 'x-medplum-interaction') === 'delete' || textOf(headers, 'x-medplum-deleted-resource') !== undefined
  );
}

/** Medplum sends `{}`, and the name in a header. */
function readDeletion(headers: RawDelivery['headers'], place: ReadingPlace): Reading {
  const literal = textOf(headers, 'x-medplum-deleted-resource');
  if (literal === undefined) return nothing('Something was deleted, and the notification does not say what');
  const reference = readReference(literal, place.baseUrl);
  if (reference.kind !== 'own') return notUnderstood('It names what was deleted by no reference of this EHR');
  const reading = readNamedResource({ ...reference, isDeleted: true });
  // The body is the same for all that is ever deleted.
  return reading.kind === 'encounters' ? { ...reading, name: `${reference.type}/${reference.id}/deleted` } : reading;
}
