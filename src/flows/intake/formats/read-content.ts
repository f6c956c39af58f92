// Reads the bytes of a message as an event: HL7 v2, or JSON in UTF-8, alone or in one envelope. Work and memory are bounded by the size.
import { AppError } from '../../../domain/errors.ts';
import { parseStrictJson } from '../../../domain/strict-json.ts';
import { isHl7 } from './hl7-message.ts';
import { readAdt } from './read-adt.ts';
import { findEnvelope, type InnerReader } from './read-envelope.ts';
import { readJson } from './read-json.ts';
import { mergeReadings, notUnderstood, type Reading, type ReadingPlace, type UnreadableEvent } from './reading.ts';

export type Content = {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** The content is inside of an envelope, so it must not be another one. */
  readonly isWrapped: boolean;
};

type Where = { readonly place: ReadingPlace; readonly isWrapped: boolean };

const MAX_ITEMS = 10_000;
const HL7_TYPES =
  /^(?:(?:application|x-application)\/(?:hl7-v2|x-hl7-v2|edi-hl7)(?:\+er7)?|text\/(?:hl7|hl7-v2|x-hl7))$/;
const XML_TYPES = /(?:^|[/+])xml$/;

export function readContent({ bytes, contentType, isWrapped }: Content, place: ReadingPlace): Reading {
  if (XML_TYPES.test(contentType)) return notUnderstood('It is XML: the sender must be set to send JSON');
  if (HL7_TYPES.test(contentType) || isHl7(bytes)) return readAdt(bytes, place);
  const text = textOf(bytes);
  if (typeof text !== 'string') return text;
  try {
    return readValue(parseStrictJson(text), { place, isWrapped });
  } catch (thrown) {
    // The messages of the strict parser hold no content.
    if (thrown instanceof AppError) return notUnderstood(thrown.message);
    throw thrown;
  }
}

/** A byte order mark is dropped. */
function textOf(bytes: Uint8Array): string | UnreadableEvent {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return notUnderstood('It is UTF-16: the sender must be set to send UTF-8');
  }
  if (first === 0x1f && second === 0x8b) return notUnderstood('It is compressed without a Content-Encoding');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return notUnderstood('It is not UTF-8');
  }
  if (text.trim() === '') return notUnderstood('It is empty');
  return text.trimStart().startsWith('<')
    ? notUnderstood('It looks like XML: the sender must be set to send JSON')
    : text;
}

function readValue(value: unknown, where: Where): Reading {
  if (Array.isArray(value)) return readList(value, where);
  const readEnvelope = findEnvelope(value);
  if (readEnvelope === undefined) return readJson(value, where.place);
  return where.isWrapped ? notUnderstood('It is an envelope within an envelope') : readEnvelope(within(where.place));
}

function within(place: ReadingPlace): InnerReader {
  return {
    place,
    value: (value) => readValue(value, { place, isWrapped: true }),
    content: (bytes, contentType) => readContent({ bytes, contentType, isWrapped: true }, place),
  };
}

/** Event Grid and some interface engines send lists of events. */
function readList(items: readonly unknown[], where: Where): Reading {
  if (where.isWrapped) return notUnderstood('It is a list within an envelope');
  if (items.length === 0) return notUnderstood('It is an empty list');
  if (items.length > MAX_ITEMS) return notUnderstood(`It is a list of more than ${MAX_ITEMS} events`);
  if (items.some((item) => Array.isArray(item))) return notUnderstood('It is a list of lists');
  const readings = items.map((item) => readValue(item, where));
  return mergeReadings(readings, 'It is a list of events without encounters');
}
