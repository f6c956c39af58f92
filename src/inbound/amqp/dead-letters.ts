// Messages that nobody can understand, handed on to `chartwright.dead` with the reason: for whoever sends them. What the engine keeps of
// them stands in its database already, except where it could not be stored.
import type { ConsumeMessage } from 'amqplib';
import type { AmqpSession } from '../../platform/amqp-session.ts';
import { keepPublisher } from '../../platform/amqp-session-publisher.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { MAX_BODY_BYTES } from './raw-delivery.ts';

export const DEAD_EXCHANGE = 'chartwright.dead';

export type DeadLetter = { readonly site: string; readonly message: ConsumeMessage; readonly reason: string };

export type DeadLetters = {
  /** True when the broker has it for sure. Never throws. */
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

/** As it came, so that it can be sent again once its sender is mended. */
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

/** By `CC` and `BCC` a sender names further queues: here those would be other sites'. */
function withoutRoutes(headers: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'CC' && name !== 'BCC'));
}
