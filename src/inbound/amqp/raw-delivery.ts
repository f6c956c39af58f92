// A message of the broker as the flows know it; and what is refused before anybody looks into it.
import type { ConsumeMessage } from 'amqplib';
import type { RawDelivery } from '../../domain/event/delivery.ts';

/** Far more than any event that only says which encounter. */
export const MAX_BODY_BYTES = 16 * 1_048_576;
/**
 * A message that came this often without an answer may be what ends the process each time; and a broker drops one after 20 deliveries
 * (RabbitMQ 4) without telling anybody.
 */
const MAX_DELIVERIES = 15;
const MAX_HEADERS = 100;
const MAX_HEADER_CHARACTERS = 2_048;
const PLAIN_ENCODINGS = ['', 'none', 'identity', 'utf-8', 'utf8'];

export function readDelivery({ properties, content }: ConsumeMessage, receivedAt: Date): RawDelivery {
  const messageId = asText(properties.messageId);
  return {
    source: 'amqp',
    contentType: mediaType(properties.contentType),
    headers: readHeaders(properties.headers ?? {}),
    body: content,
    ...(messageId !== undefined && messageId !== '' && { messageId }),
    receivedAt,
  };
}

/** In plain words, where it can never be taken in. */
export function refusalOf({ properties, content }: ConsumeMessage): string | undefined {
  if (content.length > MAX_BODY_BYTES) return 'It is too large: at most 16 MB are taken, and it was not kept';
  const encoding = asText(properties.contentEncoding) ?? '';
  if (!PLAIN_ENCODINGS.includes(encoding.toLowerCase()))
    return 'Its content-encoding is not known: send it uncompressed';
  if (deliveriesBefore(properties.headers) >= MAX_DELIVERIES) {
    return `It was delivered ${MAX_DELIVERIES} times, and could never be taken in`;
  }
  return undefined;
}

/** Quorum queues count it. */
function deliveriesBefore(headers: Readonly<Record<string, unknown>> = {}): number {
  const count = headers['x-delivery-count'];
  return typeof count === 'number' ? count : 0;
}

function mediaType(contentType: unknown): string {
  return (asText(contentType) ?? '').split(';', 1).join('').trim().toLowerCase();
}

/** CloudEvents stand in `cloudEvents:id` or `cloudEvents_id` here, and in `ce-id` over HTTP: the same names from here on. */
function readHeaders(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers)
      .slice(0, MAX_HEADERS)
      .flatMap(([name, value]) => {
        const text = asText(value);
        if (text === undefined || text.length > MAX_HEADER_CHARACTERS) return [];
        return [[name.toLowerCase().replace(/^cloudevents[:_]/, 'ce-'), text]];
      }),
  );
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return timestampText(value);
}

/** AMQP has a type of its own for times: whole seconds. */
function timestampText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('!' in value) || value['!'] !== 'timestamp' || !('value' in value)) return undefined;
  const time = new Date(Number(value.value) * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
