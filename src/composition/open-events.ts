// Opens the sources of events (RabbitMQ, the EHRs' Subscriptions, searches) and the relay of outcome events. All sources use one flow, which
// stores an event before it is acknowledged.
import { makeCatchUp } from '../flows/feeds/catch-up.ts';
import { makeMaintainSubscription } from '../flows/feeds/maintain-subscription.ts';
import { makePollSite } from '../flows/feeds/poll-site.ts';
import { makeTrackSubscription } from '../flows/feeds/track-subscription.ts';
import { makeWatchFeeds } from '../flows/feeds/watch-feeds.ts';
import { makeCheckFeeds } from '../flows/health/check-feeds.ts';
import { makeCheckOutcomes } from '../flows/health/check-outcomes.ts';
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
  /** Simulates a lost broker until the returned function is called. Undefined without AMQP_URL. */
  readonly broker: { readonly hold: () => () => void } | undefined;
  /** Ends all sources except the HTTP interface. */
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

export function openEvents(context: EngineContext, parts: EventParts): EventWays {
  const { logger, metrics } = context;
  const { stores, sites, ehrs, publicUrl, onAccepted } = parts;
  const { inbox, feeds, ledger } = stores;
  const runtime = systemRuntime;
  const { acceptEvent, acceptFound } = makeAcceptEvent({
    inbox,
    feeds,
    understand: makeUnderstandEvent({
      onMistake: (site, thrown) =>
        logger.error(`internal error while reading an event of ${site}`, { ...FROM, thrown }),
    }),
    trackUpdate: (site, news) => tracker.trackUpdate(site, news),
    onAccepted,
    onEvent: metrics.eventTaken,
    runtime,
  });
  const searching = { ehrs, feeds, acceptFound, runtime };
  const catchUp = makeCatchUp(searching);
  const tracker = makeTrackSubscription({
    ...searching,
    catchUp,
    onGap: (site) => logger.info(`missed notifications of ${site} were searched for`, FROM),
    onFailed: (site, thrown) =>
      logger.warn(`missed notifications of ${site} could not be searched for`, { ...FROM, thrown }),
  });
  const scheduler = startFeedScheduler({
    sites,
    ledger,
    feeds,
    runtime,
    catchUp,
    maintainSubscription: makeMaintainSubscription({ ehrs, feeds, runtime, publicUrl }),
    pollSite: makePollSite(searching),
    watchFeeds: makeWatchFeeds({ ehrs, feeds, trackUpdate: tracker.trackUpdate, runtime }),
    onFailed: (site, task, thrown) => logger.warn(`${task} of ${site} failed, retrying`, { ...FROM, thrown }),
    onWarning: (site, warning) => logger.warn(`${site}: ${warning}`, FROM),
  });
  const broker = openBroker(context, { ...parts, acceptEvent });
  return {
    acceptEvent,
    health: [
      ...broker.health,
      makeCheckFeeds({ feeds, sites, hasBroker: context.config.AMQP_URL !== undefined }),
      makeCheckOutcomes({ outbox: stores.outbox, sites }),
    ],
    broker: broker.session,
    stop: async () => {
      await Promise.all([broker.stop(), scheduler.stop(), tracker.stop()]);
    },
  };
}

type Broker = {
  readonly session?: AmqpSession;
  readonly health: readonly HealthCheck[];
  readonly stop: () => Promise<void>;
};

/** Without AMQP_URL, outcome events are stored and marked as not sent. */
function openBroker(context: EngineContext, parts: EventParts & { readonly acceptEvent: AcceptEvent }): Broker {
  const { config } = context;
  if (config.AMQP_URL === undefined) {
    const relay = startRelay(context, parts.stores, makeAbsentEvents());
    return { health: [], stop: relay.stop };
  }
  const { logger, metrics } = context;
  const runtime = systemRuntime;
  const session = makeAmqpSession({
    url: config.AMQP_URL,
    runtime,
    onState: ({ kind, reason }) => {
      if (kind === 'connected') return logger.info('RabbitMQ connected', FROM);
      if (kind === 'blocked') return logger.warn('RabbitMQ accepts no messages: its memory or disk is full', FROM);
      // The first connection has no reason and is not logged.
      if (reason !== undefined) logger.warn(`RabbitMQ disconnected: ${reason}`, FROM);
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
    tracing: context.tracing,
    runtime,
  });
  const events = makeAmqpEvents({ session, runtime, tracing: context.tracing });
  const relay = startRelay(context, parts.stores, events);
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
  return startRepeating({
    runtime: systemRuntime,
    everyMs: RELAY_EVERY_MS,
    work: async (signal) => (await relayOutcomes(signal)) > 0,
    onFailed: (thrown) =>
      logger.warn('outcome events could not be sent; they are stored and retried', { ...FROM, thrown }),
    reportsOnce: true,
  });
}
