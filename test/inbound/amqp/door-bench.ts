// The door on a real broker, with stores in memory.
import { randomBytes } from 'node:crypto';
import { type AmqpDoor, startAmqpDoor } from '../../../src/inbound/amqp/amqp-door.ts';
import type { AmqpEvent } from '../../../src/inbound/amqp/handle-message.ts';
import { type AmqpSession, makeAmqpSession } from '../../../src/platform/amqp-session.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import { makeTracing } from '../../../src/platform/tracing/tracing.ts';
import type { Feeds } from '../../../src/ports/feeds.ts';
import type { QuarantineOrder } from '../../../src/ports/inbox.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { type FakeAccept, makeFakeAccept } from '../../fakes/amqp-accept.ts';
import { makeFakeFeeds } from '../../fakes/feeds.ts';
import { aSite } from '../../support/chart-facts.ts';

export type DoorBench = {
  readonly door: AmqpDoor;
  readonly session: AmqpSession;
  readonly accept: FakeAccept;
  readonly feeds: Feeds;
  readonly aside: readonly QuarantineOrder[];
  readonly events: readonly AmqpEvent[];
  readonly log: readonly string[];
  readonly setSites: (sites: readonly LoadedSite[]) => void;
  /** Returns the message of the alarm of a site's feed. */
  readonly alarmOf: (site: string) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
};

type BenchParts = {
  readonly url: string;
  readonly sites: readonly LoadedSite[];
  readonly accept?: FakeAccept;
  readonly feeds?: Feeds;
  readonly heartbeatSeconds?: number;
};

export function openDoor({ url, sites, heartbeatSeconds, ...given }: BenchParts): DoorBench {
  const { accept = makeFakeAccept(), feeds = makeFakeFeeds() } = given;
  const aside: QuarantineOrder[] = [];
  const events: AmqpEvent[] = [];
  const log: string[] = [];
  const note = (message: string) => void log.push(message);
  let current = sites;
  const runtime = systemRuntime;
  const session = makeAmqpSession({ url, runtime, ...(heartbeatSeconds !== undefined && { heartbeatSeconds }) });
  const door = startAmqpDoor({
    session,
    sites: () => current,
    acceptEvent: accept.acceptEvent,
    inbox: { quarantine: async (delivery) => aside.push(delivery) > 0 },
    feeds,
    onEvent: (event) => events.push(event),
    logger: { info: note, warn: note },
    tracing: makeTracing(),
    runtime,
  });
  return {
    door,
    session,
    accept,
    feeds,
    aside,
    events,
    log,
    setSites: (next) => {
      current = next;
    },
    alarmOf: async (site) => (await feeds.of(site)).find(({ kind }) => kind === 'amqp')?.alarmMessage,
    async close() {
      await door.stop();
      await session.close();
    },
  };
}

/** Returns a unique name, because all tests share one broker. */
export function freshName(): string {
  return `site-${randomBytes(6).toString('hex')}`;
}

/** By default the site's exchange has the same name as the site. */
export function siteAtBroker(
  name = freshName(),
  { exchange = `${name}.events`, bindings = ['encounter.#'] }: { exchange?: string; bindings?: readonly string[] } = {},
): LoadedSite {
  const site = aSite();
  return { ...site, name, settings: { ...site.settings, events: { amqp: { exchange, bindings } } } };
}
