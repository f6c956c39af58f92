// The ways in which events come in and outcomes go out: RabbitMQ, the EHRs' Subscriptions, searches of our own. All of them end in the
// same flow, which stores what came before anybody is told that it was taken.

import { makeCatchUp } from '../flows/feeds/catch-up.ts';
import { makeKeepSubscription } from '../flows/feeds/maintain-subscription.ts';
import { makePollSite } from '../flows/feeds/poll-site.ts';
import { makeHeedSubscription } from '../flows/feeds/track-subscription.ts';
import { makeWatchFeeds } from '../flows/feeds/watch-feeds.ts';
import { makeCheckFeeds } from '../flows/health/check-feeds.ts';
import { type AcceptEvent, makeAcceptEvent } from '../flows/intake/accept-event.ts';
import { makeUnderstandEvent } from '../flows/intake/understand-event.ts';
import { makeRelayOutcomes } from '../flows/relay-outcomes.ts';
import { startAmqpDoor } from '../inbound/amqp/amqp-door.ts';
import { makeAmqpHealth } from '../inbound/amqp/broker-health.ts';
import { startFeedScheduler } from '../inbound/clock/feed-scheduler.ts';
import { startRepeating } from '../inbound/clock/repeat.ts';
import { makeAbsentEvents } from '../outbound/amqp/absent-events.ts';
import { makeAmqpEvents } from '../outbound/amqp/amqp-events.ts';
import { type AmqpSession, makeAmqpSession } from '../platform/amqp-session.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { Ehrs } from '../ports/ehr.ts';
import type { Events } from '../ports/events.ts';
import type { HealthCheck } from '../ports/health.ts';
import type { LoadedSite, Sites } from '../ports/sites.ts';
import type { EngineContext } from './engine-context.ts';
import type { Stores } from './make-stores.ts';

export type EventWays = {
  readonly acceptEvent: AcceptEvent;
  readonly health: readonly HealthCheck[];
  /** For drills: it is as if the broker were gone, until what it gives is called. Absent where there is none. */
  readonly broker: { readonly hold: () => () => void } | undefined;
  /** Nothing comes in any more by a way that the engine holds open itself. */
  readonly stop: () => Promise<void>;
};

type EventParts = {
  readonly stores: Stores;
  readonly sites: Sites;
  readonly ehrs: Ehrs;
  readonly publicUrl: string;
  /** Wakes the worker of this process. */
  readonly onAccepted: () => void;
};

const FROM = { component: 'events' } as const;
const RELAY_EVERY_MS = 1_000;

export function openEvents(house: EngineContext, parts: EventParts): EventWays {
  const { logger, metrics } = house;
  const { stores, sites, ehrs, publicUrl, onAccepted } = parts;
  const { inbox, feeds, ledger } = stores;
  const runtime = systemRuntime;
  const { acceptEvent, acceptFound } = makeAcceptEvent({
    inbox,
    feeds,
    understand: makeUnderstandEvent({
      onMistake: (site, thrown) =>
        logger.error(`an event of ${site} could not be read by a mistake of ours`, { ...FROM, thrown }),
    }),
    heedNews: (site, news) => heed.heedNews(site, news),
    onAccepted,
    onEvent: metrics.eventTaken,
    runtime,
  });
  const searching = { ehrs, feeds, acceptFound, runtime };
  const catchUp = makeCatchUp(searching);
  const heed = makeHeedSubscription({
    ...searching,
    catchUp,
    onGap: (site) => logger.info(`notifications of ${site} were missed, and looked for`, FROM),
    onFailed: (site, thrown) => logger.warn(`what ${site} may have told could not be looked for`, { ...FROM, thrown }),
  });
  const rounds = startFeedScheduler({
    sites,
    ledger,
    feeds,
    runtime,
    catchUp,
    keepSubscription: makeKeepSubscription({ ehrs, feeds, runtime, publicUrl }),
    pollSite: makePollSite(searching),
    watchFeeds: makeWatchFeeds({ ehrs, feeds, heedNews: heed.heedNews, runtime }),
    onFailed: (site, task, thrown) => logger.warn(`${task} of ${site} failed; it is tried again`, { ...FROM, thrown }),
    onWarning: (site, warning) => logger.warn(`${site}: ${warning}`, FROM),
  });
  const broker = openBroker(house, { ...parts, acceptEvent });
  return {
    acceptEvent,
    health: [...broker.health, makeCheckFeeds({ feeds, sites })],
    broker: broker.session,
    stop: async () => {
      await Promise.all([broker.stop(), rounds.stop(), heed.stop()]);
    },
  };
}

type Broker = {
  readonly session?: AmqpSession;
  readonly health: readonly HealthCheck[];
  readonly stop: () => Promise<void>;
};

/** Without AMQP_URL outcomes are kept, and marked as told to nobody. */
function openBroker(house: EngineContext, parts: EventParts & { readonly acceptEvent: AcceptEvent }): Broker {
  const { config } = house;
  if (config.AMQP_URL === undefined) {
    const relay = startRelay(house, parts.stores, makeAbsentEvents());
    return { health: [], stop: relay.stop };
  }
  const { logger, metrics } = house;
  const runtime = systemRuntime;
  const session = makeAmqpSession({
    url: config.AMQP_URL,
    runtime,
    onState: ({ kind, reason }) => {
      if (kind === 'connected') return logger.info('RabbitMQ is connected', FROM);
      // Without a reason it is only being connected for the first time.
      if (kind === 'blocked') return logger.warn('RabbitMQ takes no messages: its memory or disk is full', FROM);
      if (reason !== undefined) logger.warn(`RabbitMQ is not connected: ${reason}`, FROM);
    },
  });
  const door = startAmqpDoor({
    session,
    sites: () => sitesWithQueues(parts.sites),
    acceptEvent: parts.acceptEvent,
    inbox: parts.stores.inbox,
    feeds: parts.stores.feeds,
    onEvent: metrics.eventTaken,
    logger,
    runtime,
  });
  const events = makeAmqpEvents({ session, runtime });
  const relay = startRelay(house, parts.stores, events);
  return {
    session,
    health: [makeAmqpHealth({ session, problem: events.problem })],
    stop: async () => {
      await Promise.all([door.stop(), relay.stop()]);
      await events.stop();
      await session.close();
    },
  };
}

function sitesWithQueues(sites: Sites): readonly LoadedSite[] {
  const all = [...sites.current().sites.values()];
  return all.filter(({ settings }) => settings.events.amqp !== undefined && settings.mode !== 'off');
}

function startRelay({ logger, metrics }: EngineContext, { outbox }: Stores, events: Events) {
  const relayOutcomes = makeRelayOutcomes({ outbox, events, onEnded: metrics.outcomeSent });
  let isTold = false;
  return startRepeating({
    runtime: systemRuntime,
    everyMs: RELAY_EVERY_MS,
    work: async (signal) => {
      const count = await relayOutcomes(signal);
      isTold = false;
      return count > 0;
    },
    // Once, until it works again: /readyz says all the while how the broker is.
    onFailed: (thrown) => {
      if (!isTold) logger.warn('outcome events could not be sent; they are kept, and sent later', { ...FROM, thrown });
      isTold = true;
    },
  });
}
