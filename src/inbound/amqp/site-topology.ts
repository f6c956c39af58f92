// What a site needs at the broker: its queue, bound to where the EHR's events come from, and a queue for its dead letters.
import {
  bindQueue,
  declareExchange,
  declareQueue,
  type OnChannel,
  TopologyError,
  unbindQueue,
} from '../../platform/amqp-session-declare.ts';
import { DEAD_EXCHANGE } from './dead-letters.ts';

export type Bindings = { readonly exchange: string; readonly bindings: readonly string[] };

export function encountersQueue(site: string): string {
  return `chartwright.${site}.encounters`;
}

function deadQueue(site: string): string {
  return `chartwright.${site}.dead`;
}

const QUORUM = { durable: true, arguments: { 'x-queue-type': 'quorum' } } as const;

/** Throws a TopologyError. New bindings come before old ones go, so that no event falls between them. */
export async function declareSite(
  onChannel: OnChannel,
  site: string,
  { wanted, former }: { readonly wanted: Bindings; readonly former: Bindings | undefined },
): Promise<void> {
  const queue = encountersQueue(site);
  await declareExchange(onChannel, wanted.exchange, `events.amqp.exchange of mappings/${site}/site.yaml`);
  await declareQueue(onChannel, queue, QUORUM);
  for (const key of wanted.bindings) await bindQueue(onChannel, queue, wanted.exchange, key);
  if (former === undefined) return;
  const gone = former.bindings.filter((key) => former.exchange !== wanted.exchange || !wanted.bindings.includes(key));
  for (const key of gone) await unbindQueue(onChannel, queue, former.exchange, key);
}

/** What is wrong with it, in words: without it events can be taken in all the same. */
export async function declareDeadLetters(onChannel: OnChannel, site: string): Promise<string | undefined> {
  try {
    await declareExchange(onChannel, DEAD_EXCHANGE);
    await declareQueue(onChannel, deadQueue(site), QUORUM);
    await bindQueue(onChannel, deadQueue(site), DEAD_EXCHANGE, site);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof TopologyError)) throw thrown;
    return `${thrown.message} Until then, what is not understood is kept by the engine alone.`;
  }
}

/** As they are kept from one life of the engine to the next. */
export function writeBindings({ exchange, bindings }: Bindings): string {
  return JSON.stringify({ exchange, bindings });
}

export function readBindings(text: string | undefined): Bindings | undefined {
  try {
    const read: unknown = JSON.parse(text ?? 'null');
    return isBindings(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isBindings(read: unknown): read is Bindings {
  if (typeof read !== 'object' || read === null || !('exchange' in read) || !('bindings' in read)) return false;
  const { exchange, bindings } = read;
  return typeof exchange === 'string' && Array.isArray(bindings) && bindings.every((key) => typeof key === 'string');
}
