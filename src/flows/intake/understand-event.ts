// Parses a delivery: its encounters, and the key that identifies repeats whichever feed they come from. Pure, with work bounded by the size of the
// delivery. It never throws: a delivery that cannot be parsed gives a reason, without any of its content.
import type { EventContent, RawDelivery } from '../../domain/event/delivery.ts';
import { textOf } from '../../domain/raw-members.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { readReference } from './formats/encounter-reference.ts';
import { readContent } from './formats/read-content.ts';
import { nameCloudEvent } from './formats/read-envelope.ts';
import { readNamedResource } from './formats/read-resource.ts';
import {
  hashKey,
  nameKey,
  nothing,
  notUnderstood,
  type Reading,
  type ReadingPlace,
  shownId,
} from './formats/reading.ts';

/** Never throws. */
export type UnderstandEvent = (site: LoadedSite, delivery: RawDelivery) => EventContent;

const STRUCTURED = /^application\/cloudevents(?:-batch)?(?:\+|$)/;
export const MAX_EVENT_BYTES = 16 * 1024 * 1024;

type Parts = {
  /** Called for an unexpected error of the parser. The error holds nothing of the message; its stack shows the place. */
  readonly onMistake?: (site: string, thrown: unknown) => void;
};

export function makeUnderstandEvent({ onMistake }: Parts = {}): UnderstandEvent {
  return (site, delivery) => {
    try {
      return named(readDelivery(delivery, placeOf(site)), delivery);
    } catch (thrown) {
      onMistake?.(site.name, thrown);
      // The message is stored, and can be sent again once the parser is fixed.
      return notUnderstood('It caused an unexpected error in the parser');
    }
  };
}

export function placeOf({ name, settings }: LoadedSite): ReadingPlace {
  return { site: name, baseUrl: settings.ehr?.baseUrl, timeZone: settings.timeZone };
}

/**
 * The key prefers parts that are the same in every feed, then the sender's message id, which a broker keeps when it repeats a message. A hash of
 * the bytes misses repeats with a new time in them: then the encounter is resolved twice, which has no effect.
 */
function named(reading: Reading, { messageId, body }: RawDelivery): EventContent {
  if (reading.kind !== 'encounters') return reading;
  const { key, name, eventId, ...content } = reading;
  const id = messageId === '' ? name : (messageId ?? name);
  const shown = shownId(eventId ?? messageId);
  return {
    ...content,
    key: key ?? (id === undefined ? hashKey(body) : nameKey(id)),
    ...(shown !== undefined && { eventId: shown }),
  };
}

function readDelivery(delivery: RawDelivery, place: ReadingPlace): Reading {
  const { body, headers, contentType, source } = delivery;
  if (body.length > MAX_EVENT_BYTES) return notUnderstood('It is larger than 16 MB');
  if (saysDeleted(headers)) return readDeletion(headers, place);
  if (body.length === 0) {
    // R4: a Subscription without a payload sends requests without a body.
    return source === 'subscription'
      ? nothing('Something has changed, and the notification does not say what', { mustSearch: true })
      : notUnderstood('It is empty');
  }
  // CloudEvents in binary mode have their attributes in headers. In structured mode the body has them, and headers may repeat them.
  const specversion = STRUCTURED.test(contentType) ? undefined : textOf(headers, 'ce-specversion');
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

/** Medplum sends `{}` and the name of the deleted resource in a header. */
function readDeletion(headers: RawDelivery['headers'], place: ReadingPlace): Reading {
  const literal = textOf(headers, 'x-medplum-deleted-resource');
  if (literal === undefined) return nothing('Something was deleted, and the notification does not say what');
  const reference = readReference(literal, place.baseUrl);
  if (reference.kind !== 'own') return notUnderstood('It names what was deleted by no reference of this EHR');
  const reading = readNamedResource({ ...reference, isDeleted: true });
  // The body is the same for every deletion.
  return reading.kind === 'encounters' ? { ...reading, name: `${reference.type}/${reference.id}/deleted` } : reading;
}
