// One life of a consumer: never more messages at once than the prefetch, each acknowledged when it was taken, and the rest given back to
// the queue at the end, once.
import type { Channel, ConsumeMessage } from 'amqplib';
import { atMost, type OpenChannel } from '../../platform/amqp-session-link.ts';
import type { Verdict } from './handle-message.ts';

/** `lost`: the channel or the queue is gone. `away`: nothing can be stored. `recheck`: time to look again. `stopped`: by the signal. */
export type Ending = 'lost' | 'away' | 'recheck' | 'stopped';

type Consuming = {
  readonly queue: string;
  /** Its signal is aborted when the message cannot be acknowledged any more. Never throws. */
  readonly handle: (message: ConsumeMessage, signal: AbortSignal) => Promise<Verdict>;
  readonly onTaken: () => void;
  readonly signal: AbortSignal;
  /** Where it is there: ends it when it resolves. */
  readonly recheck?: () => Promise<void>;
};

const PREFETCH = 20;
/** For what is being stored at this moment: what comes later comes again, and is recognised. */
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
  // Its rejection is the signal's.
  recheck?.().then(() => end('recheck'), stop);
  try {
    await channel.prefetch(PREFETCH);
    const { consumerTag } = await channel.consume(queue, (message) => {
      // The queue was deleted, or its broker went away.
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

/** Where the channel is gone, the message comes again and is recognised as a repeat. */
function acknowledge(channel: Channel, message: ConsumeMessage): void {
  try {
    channel.ack(message);
  } catch {
    // That is all: the library throws on a closed channel.
  }
}
