// Publishes messages: the broker has confirmed a message when the promise resolves. Nothing is buffered: a failure is thrown at once,
// or after the deadline, and the caller still has the message.
import type { ConfirmChannel, Message, Options } from 'amqplib';
import { spreadMs } from '../domain/backoff.ts';
import type { AmqpSession } from './amqp-session.ts';
import { declareExchange, type OnChannel, TopologyError } from './amqp-session-declare.ts';
import { type LinkRuntime, type OpenChannel, orAborted } from './amqp-session-link.ts';

/** The message was not sent, or its fate is unknown. The error's message is for people. */
export class NotPublishedError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'NotPublishedError';
  }
}

export type Publisher = {
  /**
   * `unheard`: the broker has it, and there is no queue for it; only for messages that are `mandatory`. Throws a
   * NotPublishedError without a connection, while the broker takes no messages, and if no answer came in time.
   */
  readonly publish: (message: OutgoingMessage, signal: AbortSignal) => Promise<'heard' | 'unheard'>;
  /** The changes at the broker that a person must make before anything can be sent. */
  readonly problem: () => string | undefined;
  readonly stop: () => Promise<void>;
};

export type OutgoingMessage = {
  readonly routingKey: string;
  readonly body: Uint8Array;
  /** A mandatory message needs a unique `messageId`. */
  readonly options: Options.Publish;
};

type PublisherParts = {
  readonly session: Pick<AmqpSession, 'openSending' | 'sendingState'>;
  /** A durable topic exchange, created if it is missing. */
  readonly exchange: string;
  readonly runtime: Pick<LinkRuntime, 'pause' | 'chance'>;
  readonly deadlineMs?: number;
};

type Life = OpenChannel<ConfirmChannel> & { readonly returned: Set<unknown> };

const DEADLINE_MS = 10_000;
const PAUSE_MS = 500;
const TOPOLOGY_PAUSE_MS = 60_000;

export function keepPublisher(parts: PublisherParts): Publisher {
  const { session, exchange, runtime, deadlineMs = DEADLINE_MS } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let life: Life | undefined;
  let problem: string | undefined;

  async function liveOnce(): Promise<void> {
    await declareExchange(onSendingChannel(session, signal), exchange);
    problem = undefined;
    const open = await session.openSending(signal);
    const returned = new Set<unknown>();
    open.channel.on('return', (message: Message) => returned.add(message.properties.messageId));
    life = { ...open, returned };
    await orAborted(open.ended, [signal]);
    life = undefined;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const failure = await liveOnce().catch((thrown: unknown) => thrown);
      const isTopology = failure instanceof TopologyError;
      problem = isTopology ? failure.message : undefined;
      const pauseMs = isTopology ? TOPOLOGY_PAUSE_MS : PAUSE_MS;
      await runtime.pause(spreadMs(pauseMs, [1, 0.8], runtime.chance()), signal);
    }
  }

  // It ends by the signal alone.
  const running = run().catch(() => undefined);
  return {
    problem: () => problem,
    async publish(message, stop) {
      stop.throwIfAborted();
      if (session.sendingState().kind === 'blocked') {
        throw new NotPublishedError('RabbitMQ takes no messages: its memory or disk is full');
      }
      if (life === undefined) throw new NotPublishedError(problem ?? 'RabbitMQ cannot be reached');
      return await confirmed({ life, exchange, message, deadlineMs }, stop);
    },
    async stop() {
      stopping.abort(new Error('the engine is stopping'));
      await running;
      await life?.close();
    },
  };
}

function onSendingChannel(session: Pick<AmqpSession, 'openSending'>, signal: AbortSignal): OnChannel {
  return async (work) => {
    const open = await session.openSending(signal);
    return await work(open.channel).finally(open.close);
  };
}

type Sending = {
  readonly life: Life;
  readonly exchange: string;
  readonly message: OutgoingMessage;
  readonly deadlineMs: number;
};

async function confirmed(
  { life, exchange, message, deadlineMs }: Sending,
  signal: AbortSignal,
): Promise<'heard' | 'unheard'> {
  const { routingKey, body, options } = message;
  const { promise, resolve, reject } = Promise.withResolvers<'heard' | 'unheard'>();
  const late = () => reject(new NotPublishedError('RabbitMQ did not confirm in time that it has the message'));
  const timer = setTimeout(late, deadlineMs);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    life.channel.publish(exchange, routingKey, asBuffer(body), options, (refused: unknown) => {
      // What comes back comes before its confirmation; a late one must not stay behind either.
      const wasReturned = life.returned.delete(options.messageId);
      if (refused) reject(new NotPublishedError('RabbitMQ did not take the message', refused));
      else resolve(wasReturned ? 'unheard' : 'heard');
    });
    return await promise;
  } catch (thrown) {
    if (signal.aborted || thrown instanceof NotPublishedError) throw thrown;
    // A channel that was closed a moment ago says so by throwing.
    throw new NotPublishedError('RabbitMQ cannot be reached', thrown);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function asBuffer(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
