// Events from RabbitMQ: for each site that wants them, from the queue of its own, as its settings are at this moment. A broker that is
// away, and a site that has trouble with it, keep nothing else from working.
import type { AcceptEvent } from '../../flows/intake/accept-event.ts';
import type { AmqpSession } from '../../platform/amqp-session.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Feeds } from '../../ports/feeds.ts';
import type { Inbox } from '../../ports/inbox.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { makeDeadLetters } from './dead-letters.ts';
import { type AmqpEvent, makeHandleMessage } from './handle-message.ts';
import { type SiteConsumer, startSiteConsumer } from './site-consumer.ts';

export type AmqpDoor = {
  /** What is being stored may end; nothing new begins. What was not acknowledged is back in its queue. */
  readonly stop: () => Promise<void>;
};

type DoorParts = {
  readonly session: Pick<AmqpSession, 'openReceiving' | 'openSending' | 'sendingState'>;
  /** Of the current snapshot: those with `events.amqp` that are not off. */
  readonly sites: () => readonly LoadedSite[];
  readonly acceptEvent: AcceptEvent;
  readonly inbox: Pick<Inbox, 'setAside'>;
  readonly feeds: Pick<Feeds, 'note'>;
  readonly onEvent: (event: AmqpEvent) => void;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly runtime: Pick<Runtime, 'now' | 'pause' | 'chance'>;
};

const LOOK_EVERY_MS = 1_000;

export function startAmqpDoor(parts: DoorParts): AmqpDoor {
  const { session, runtime, logger } = parts;
  const stopping = new AbortController();
  const deadLetters = makeDeadLetters({ session, runtime });
  const handleMessage = makeHandleMessage({ ...parts, deadLetters });
  const consumers = new Map<string, SiteConsumer>();
  const ending = new Set<Promise<void>>();

  const end = (name: string, consumer: SiteConsumer): void => {
    consumers.delete(name);
    const stopped = consumer.stop().finally(() => ending.delete(stopped));
    ending.add(stopped);
  };

  const look = (): void => {
    const sites = parts.sites();
    const names = new Set(sites.map(({ name }) => name));
    for (const [name, consumer] of consumers) if (!names.has(name)) end(name, consumer);
    for (const site of sites) {
      const consumer = consumers.get(site.name);
      if (consumer !== undefined) consumer.use(site);
      else
        consumers.set(
          site.name,
          startSiteConsumer(site, { session, feeds: parts.feeds, handleMessage, logger, runtime }),
        );
    }
  };

  async function run(): Promise<void> {
    for (;;) {
      look();
      await runtime.pause(LOOK_EVERY_MS, stopping.signal);
    }
  }

  // It ends by the signal alone.
  const running = run().catch(() => undefined);
  return {
    async stop() {
      stopping.abort(new Error('the engine is stopping'));
      await running;
      for (const [name, consumer] of consumers) end(name, consumer);
      await Promise.all(ending);
      await deadLetters.stop();
    },
  };
}
