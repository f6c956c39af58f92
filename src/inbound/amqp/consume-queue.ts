// One consumer on one channel: handles at most `prefetch` messages at once, acknowledges each when it is stored, and returns the others to
// the queue once at the end.
import type { Channel, ConsumeMessage } from 'amqplib';
import { atMost, type OpenChannel } from '../../platform/amqp-session-link.ts';
import type { Verdict } from './handle-message.ts';

/** `lost`: the channel or the queue is gone. `away`: the database is unavailable. `recheck`: the check interval is over. `stopped`: by the signal. */
export type Ending = 'lost' | 'away' | 'recheck' | 'stopped';

type Consuming = {
  readonly queue: string;
  /** The signal is aborted when the message cannot be acknowledged any more. Never throws. */
  readonly handle: (message: ConsumeMessage, signal: AbortSignal) => Promise<Verdict>;
  readonly onTaken: () => void;
  readonly signal: AbortSignal;
  /** The consumer ends when this promise resolves. */
  readonly recheck?: () => Promise<void>;
};

const PREFETCH = 20;
/** The time to finish storing; a message that takes longer is delivered again and recognised as a repeat. */
const FINISH_MS = 2_000;
const CANCEL_MS = 500;

export async function consumeQueue(
  open: OpenChannel<Channel>,
  { queue, handle, onTaken, signal, recheck }: Consuming,
): Promise<Ending> {
  const { channel, ended } = open;
  const life = new AbortController();
  const inHand = new Set<Promise<void>>();
  const { promise: over, resolve: end } = Promise.withResolvers<Ending>();

  const work = async (message: ConsumeMessage): Promise<void> => {
    const verdict = await handle(message, life.signal);
    if (verdict === 'away') end('away');
    if (verdict !== 'taken') return;
    onTaken();
    acknowledge(channel, message);
  };
  const stop = () => end('stopped');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  void ended.then(() => end('lost'));
  // It rejects only by the signal.
  recheck?.().then(() => end('recheck'), stop);
  try {
    await channel.prefetch(PREFETCH);
    const { consumerTag } = await channel.consume(queue, (message) => {
      // The queue was deleted, or its broker was lost.
      if (message === null) return end('lost');
      const working = work(message).finally(() => inHand.delete(working));
      inHand.add(working);
    });
    const ending = await over;
    if (ending !== 'lost')
      await atMost(
        CANCEL_MS,
        channel.cancel(consumerTag).catch(() => undefined),
      );
    await atMost(FINISH_MS, Promise.all(inHand));
    return ending;
  } finally {
    signal.removeEventListener('abort', stop);
    life.abort(new Error('the channel is closed'));
    await open.close();
  }
}

/** If the channel is gone, the message is delivered again and recognised as a repeat. */
function acknowledge(channel: Channel, message: ConsumeMessage): void {
  try {
    channel.ack(message);
  } catch {
    // Nothing to do: the library throws on a closed channel.
  }
}
