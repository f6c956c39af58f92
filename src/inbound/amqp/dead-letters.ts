// Publishes unreadable messages to `chartwright.dead` with the reason, for the owner of the sender. The engine has stored them already,
// except those that could not be stored.
import type { ConsumeMessage } from 'amqplib';
import type { AmqpSession } from '../../platform/amqp-session.ts';
import { keepPublisher } from '../../platform/amqp-session-publisher.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { MAX_BODY_BYTES } from './raw-delivery.ts';

export const DEAD_EXCHANGE = 'chartwright.dead';

export type DeadLetter = { readonly site: string; readonly message: ConsumeMessage; readonly reason: string };

export type DeadLetters = {
  /** True if the broker has confirmed it. Never throws. */
  readonly publish: (letter: DeadLetter, signal: AbortSignal) => Promise<boolean>;
  readonly stop: () => Promise<void>;
};

type DeadLettersParts = {
  readonly session: Pick<AmqpSession, 'openSending' | 'sendingState'>;
  readonly runtime: Pick<Runtime, 'pause' | 'chance'>;
};

export function makeDeadLetters({ session, runtime }: DeadLettersParts): DeadLetters {
  const publisher = keepPublisher({ session, exchange: DEAD_EXCHANGE, runtime });
  return {
    stop: publisher.stop,
    publish: (letter, signal) =>
      publisher.publish(asMessage(letter), signal).then(
        () => true,
        () => false,
      ),
  };
}

/** The message is unchanged, so that it can be sent again once its sender is repaired. */
function asMessage({ site, message: { content, properties, fields }, reason }: DeadLetter) {
  const isTooLarge = content.length > MAX_BODY_BYTES;
  const { contentType, contentEncoding, messageId, type, timestamp, headers } = properties;
  return {
    routingKey: site,
    body: isTooLarge ? new Uint8Array() : content,
    options: {
      persistent: true,
      contentType,
      contentEncoding,
      messageId,
      type,
      timestamp,
      headers: {
        ...withoutRoutes(headers),
        'x-chartwright-reason': reason,
        'x-chartwright-site': site,
        'x-chartwright-routing-key': fields.routingKey,
        ...(isTooLarge && { 'x-chartwright-size': content.length }),
      },
    },
  };
}

/** `CC` and `BCC` name further queues, which would belong to other sites here. */
function withoutRoutes(headers: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'CC' && name !== 'BCC'));
}
