// Consumes events from RabbitMQ: one queue for each site with `events.amqp`, following changes of the settings. A lost broker or a site with
// a problem at the broker affects nothing else.
import type { AcceptEvent } from '../../flows/intake/accept-event.ts';
import type { AmqpSession } from '../../platform/amqp-session.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Tracing } from '../../platform/tracing/tracing.ts';
import type { Feeds } from '../../ports/feeds.ts';
import type { Inbox } from '../../ports/inbox.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { makeDeadLetters } from './dead-letters.ts';
import { type AmqpEvent, makeHandleMessage } from './handle-message.ts';
import { type SiteConsumer, startSiteConsumer } from './site-consumer.ts';

export type AmqpDoor = {
  /** Messages that are being stored are completed, no further ones are started, and unacknowledged ones return to their queue. */
  readonly stop: () => Promise<void>;
};

type DoorParts = {
  readonly session: Pick<AmqpSession, 'openReceiving' | 'openSending' | 'sendingState'>;
  /** The sites of the current snapshot that have `events.amqp` and are not off. */
  readonly sites: () => readonly LoadedSite[];
  readonly acceptEvent: AcceptEvent;
  readonly inbox: Pick<Inbox, 'quarantine'>;
  readonly feeds: Pick<Feeds, 'note'>;
  readonly onEvent: (event: AmqpEvent) => void;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly tracing: Pick<Tracing, 'inSpan'>;
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

  // The loop ends by the signal only.
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
