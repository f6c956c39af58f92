// Declares a site's queue at the broker, its bindings to the exchanges of the EHR's events, and its queue for dead letters.
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

/** Throws a TopologyError. New bindings are made before old ones are removed, so that no event is lost in between. */
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

/** Returns the problem in words; events can be consumed without this queue. */
export async function declareDeadLetters(onChannel: OnChannel, site: string): Promise<string | undefined> {
  try {
    await declareExchange(onChannel, DEAD_EXCHANGE);
    await declareQueue(onChannel, deadQueue(site), QUORUM);
    await bindQueue(onChannel, deadQueue(site), DEAD_EXCHANGE, site);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof TopologyError)) throw thrown;
    return `${thrown.message} Until then, unreadable messages are stored by the engine only.`;
  }
}

/** The form in which bindings are stored between two starts of the engine. */
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
