// Another client of the broker: an EHR that sends events, a consumer, or an operator who inspects queues.
import { type Channel, type ConfirmChannel, connect, type GetMessage, type Options } from 'amqplib';
import { untilFound } from './until.ts';

export type RabbitClient = {
  /** Resolves when the broker has confirmed the message. */
  readonly send: (exchange: string, key: string, body: string | Uint8Array, options?: Options.Publish) => Promise<void>;
  /** Publishes and returns true if the message reached a queue. */
  readonly isRouted: (exchange: string, key: string) => Promise<boolean>;
  /** Takes the next message from the queue. */
  readonly take: (queue: string) => Promise<GetMessage>;
  /** Undefined if the queue does not exist. */
  readonly look: (queue: string) => Promise<{ readonly messages: number; readonly consumers: number } | undefined>;
  /** Uses a separate channel and closes it. */
  readonly work: <Result>(work: (channel: Channel) => Promise<Result>) => Promise<Result>;
  readonly close: () => Promise<void>;
};

export async function connectRabbit(url: string): Promise<RabbitClient> {
  const connection = await connect(url);
  connection.on('error', () => undefined);
  const sender: ConfirmChannel = await connection.createConfirmChannel();
  sender.on('error', () => undefined);

  async function work<Result>(doWork: (channel: Channel) => Promise<Result>): Promise<Result> {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    try {
      return await doWork(channel);
    } finally {
      await channel.close().catch(() => undefined);
    }
  }

  return {
    work,
    send: (exchange, key, body, options = {}) =>
      new Promise((resolve, reject) => {
        const content = Buffer.from(body);
        sender.publish(exchange, key, content, { persistent: true, ...options }, (refused) =>
          refused ? reject(refused) : resolve(),
        );
      }),
    isRouted: (exchange, key) =>
      (async () => {
        let isReturned = false;
        const probing = await connection.createConfirmChannel();
        probing.on('error', () => undefined);
        probing.on('return', () => {
          isReturned = true;
        });
        probing.publish(exchange, key, Buffer.from('a probe'), { mandatory: true });
        await probing.waitForConfirms();
        await probing.close();
        return !isReturned;
      })(),
    take: (queue) =>
      untilFound(() =>
        work(async (channel) => {
          const message = await channel.get(queue);
          if (message === false) return undefined;
          channel.ack(message);
          return message;
        }),
      ),
    look: (queue) =>
      work(async (channel) => {
        const { messageCount, consumerCount } = await channel.checkQueue(queue);
        return { messages: messageCount, consumers: consumerCount };
      }).catch(() => undefined),
    close: () => connection.close().catch(() => undefined),
  };
}
