// Converts a message of the broker to a delivery for the flows, and refuses messages that must not be read.
import type { ConsumeMessage } from 'amqplib';
import type { RawDelivery } from '../../domain/event/delivery.ts';

/** Far more than an event with the reference of an encounter needs. */
export const MAX_BODY_BYTES = 16 * 1_048_576;
/**
 * A message with so many unacknowledged deliveries may be the one that ends the process each time; and RabbitMQ 4 drops a message silently
 * after 20 deliveries.
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

/** The reason, in plain words, why a message can never be accepted. */
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

/** Only quorum queues count deliveries. */
function deliveriesBefore(headers: Readonly<Record<string, unknown>> = {}): number {
  const count = headers['x-delivery-count'];
  return typeof count === 'number' ? count : 0;
}

function mediaType(contentType: unknown): string {
  return (asText(contentType) ?? '').split(';', 1).join('').trim().toLowerCase();
}

/**
 * CloudEvents attributes are `cloudEvents:id` or `cloudEvents_id` in AMQP, `ce_id` in Kafka, whose bridges keep it, and `ce-id` in HTTP; the flows
 * know the names of HTTP.
 */
export function readHeaders(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers)
      .slice(0, MAX_HEADERS)
      .flatMap(([name, value]) => {
        const text = asText(value);
        if (text === undefined || text.length > MAX_HEADER_CHARACTERS) return [];
        return [[name.toLowerCase().replace(/^(?:cloudevents[:_]|ce_)/, 'ce-'), text]];
      }),
  );
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return timestampText(value);
}

/** AMQP has its own type for times, in whole seconds. */
function timestampText(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('!' in value) || value['!'] !== 'timestamp' || !('value' in value)) return undefined;
  const time = new Date(Number(value.value) * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
