// Declares the exchanges and queues that the engine needs: creates missing ones, uses existing ones, and reports existing ones with
// other settings. Each is declared on a channel of its own, because the broker closes the channel with a refusal.
import { isNativeError } from 'node:util/types';
import type { Channel, Options } from 'amqplib';

/** A retry does not help before a person has changed something at the broker. The message says what. */
export class TopologyError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'TopologyError';
  }
}

/** Runs the work on a new channel, which is closed in any case. */
export type OnChannel = <Result>(work: (channel: Channel) => Promise<Result>) => Promise<Result>;

const NOT_ALLOWED = 403;
const NOT_FOUND = 404;
const LOCKED = 405;
const DIFFERENT = 406;
/** Other settings of an existing exchange, such as an alternate exchange, do not keep messages from coming out of it. */
const DECISIVE = ['type', 'durable', 'auto_delete', 'internal'];

/**
 * Declares a durable topic exchange. An existing one that works like it is used as it is, also without the right to create it.
 * `namedIn` is the setting in which a person chose the name; absent if the engine chose it.
 */
export async function declareExchange(onChannel: OnChannel, name: string, namedIn?: string): Promise<void> {
  try {
    await onChannel((channel) => channel.assertExchange(name, 'topic', { durable: true }));
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === NOT_ALLOWED) return await checkExchange(onChannel, { name, namedIn }, thrown);
    if (code !== DIFFERENT) throw thrown;
    const { setting, current } = difference(thrown);
    if (setting !== undefined && !DECISIVE.includes(setting)) return;
    throw new TopologyError(
      `The exchange ${name} is at the broker with another ${setting ?? 'setting'}${current} than a durable topic exchange has: ` +
        `delete it there${namedIn === undefined ? '; the engine makes it anew' : orAnother(namedIn)}.`,
      thrown,
    );
  }
}

function orAnother(namedIn: string): string {
  return `, or name another one in ${namedIn}`;
}

type Named = { readonly name: string; readonly namedIn: string | undefined };

async function checkExchange(onChannel: OnChannel, { name, namedIn }: Named, refusal: unknown): Promise<void> {
  try {
    await onChannel((channel) => channel.checkExchange(name));
  } catch (thrown) {
    if (codeOf(thrown) !== NOT_FOUND && codeOf(thrown) !== NOT_ALLOWED) throw thrown;
    throw new TopologyError(
      `The exchange ${name} is not at the broker, and the user in AMQP_URL may not make it: make it there, or give the user the right to${namedIn === undefined ? '' : orAnother(namedIn)}.`,
      refusal,
    );
  }
}

export async function declareQueue(onChannel: OnChannel, name: string, options: Options.AssertQueue): Promise<void> {
  try {
    await onChannel((channel) => channel.assertQueue(name, options));
  } catch (thrown) {
    throw queueError(thrown, name);
  }
}

function queueError(thrown: unknown, name: string): unknown {
  const code = codeOf(thrown);
  if (code === NOT_ALLOWED) {
    const words = `The user in AMQP_URL may not make or use the queue ${name}: give it the rights to configure, write and read it.`;
    return new TopologyError(words, thrown);
  }
  if (code === LOCKED) {
    return new TopologyError(`The queue ${name} belongs to another connection alone: delete it at the broker.`, thrown);
  }
  if (code !== DIFFERENT) return thrown;
  const { setting, current } = difference(thrown);
  return new TopologyError(
    `The queue ${name} is at the broker with another ${setting ?? 'setting'}${current} than the engine makes it with: let it run empty ` +
      'and delete it there; the engine makes it anew. Limits of your own belong in a policy.',
    thrown,
  );
}

export async function bindQueue(onChannel: OnChannel, queue: string, source: string, key: string): Promise<void> {
  try {
    await onChannel((channel) => channel.bindQueue(queue, source, key));
  } catch (thrown) {
    if (codeOf(thrown) !== NOT_ALLOWED) throw thrown;
    throw new TopologyError(
      `The user in AMQP_URL may not bind the queue ${queue} to the exchange ${source}: give it the right to read the exchange and write the queue.`,
      thrown,
    );
  }
}

/** A binding to an exchange that is gone is gone too. */
export async function unbindQueue(onChannel: OnChannel, queue: string, source: string, key: string): Promise<void> {
  try {
    await onChannel((channel) => channel.unbindQueue(queue, source, key));
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code !== NOT_FOUND && code !== NOT_ALLOWED) throw thrown;
  }
}

function codeOf(thrown: unknown): unknown {
  return isNativeError(thrown) && 'code' in thrown ? thrown.code : undefined;
}

/** `inequivalent arg 'type' for exchange 'x' in vhost '/': received 'topic' but current is 'fanout'` */
function difference(thrown: unknown): { readonly setting?: string; readonly current: string } {
  const message = isNativeError(thrown) ? thrown.message : '';
  const setting = /inequivalent arg '([\w-]{1,60})'/.exec(message)?.[1];
  const value = /but current is (?:the value )?'([\w.-]{1,60})'/.exec(message)?.[1];
  return { ...(setting !== undefined && { setting }), current: value === undefined ? '' : ` (${value})` };
}
