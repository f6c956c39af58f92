// Takes in what comes for one site, for as long as the site wants it: through lost connections, a database that is away, and settings that
// change. Nothing that happens here touches another site.
import { backoffMs, type Spread, spreadMs } from '../../domain/backoff.ts';
import { AppError } from '../../domain/errors.ts';
import type { AmqpSession } from '../../platform/amqp-session.ts';
import { type OnChannel, TopologyError } from '../../platform/amqp-session-declare.ts';
import { orAborted } from '../../platform/amqp-session-link.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Feed, Feeds } from '../../ports/feeds.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { consumeQueue, type Ending } from './consume-queue.ts';
import type { HandleMessage } from './handle-message.ts';
import { declareDeadLetters, declareSite, encountersQueue, readBindings, writeBindings } from './site-topology.ts';

export type SiteConsumer = {
  /** The site as it is now. */
  readonly use: (site: LoadedSite) => void;
  /** What is under way may end; the rest goes back to the queue. */
  readonly stop: () => Promise<void>;
};

export type ConsumerParts = {
  readonly session: Pick<AmqpSession, 'openReceiving'>;
  readonly feeds: Pick<Feeds, 'note'>;
  readonly handleMessage: HandleMessage;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly runtime: Pick<Runtime, 'pause' | 'chance'>;
};

const COMPONENT = { component: 'amqp' };
const TOPOLOGY_PAUSE_MS = 60_000;
const FIRST_PAUSE_MS = 500;
/** Of a broker that has just come back nobody says when it is ready. */
const MAX_BROKER_PAUSE_MS = 5_000;
const MAX_STORE_PAUSE_MS = 60_000;
const SPREAD: Spread = [1, 0.8];
/** A broker that is there and does not answer: its queue may have no leader. */
const ANSWER_TIMEOUT_MS = 30_000;

export function startSiteConsumer(first: LoadedSite, parts: ConsumerParts): SiteConsumer {
  const { runtime, logger } = parts;
  const stopping = new AbortController();
  let site = first;
  let change = new AbortController();

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      change = new AbortController();
      const signal = AbortSignal.any([stopping.signal, change.signal]);
      const life = { site: () => site, signal, onTaken: () => (failures = 0) };
      const ending = await liveOnce(parts, life).catch((thrown: unknown) => thrown);
      if (signal.aborted || ending === 'recheck') continue;
      report(logger, site.name, ending);
      const pauseMs = pauseAfter(ending, failures, runtime.chance());
      // Where messages came, the broker is well.
      failures = ending === 'lost' ? 0 : failures + 1;
      // A changed site ends the wait, too.
      await runtime.pause(pauseMs, signal).catch(() => undefined);
    }
  }

  const running = run();
  return {
    use(next) {
      const isChanged = bindingsText(next) !== bindingsText(site);
      site = next;
      if (isChanged) change.abort(new Error('the bindings of the site have changed'));
    },
    async stop() {
      stopping.abort(new Error('the site takes in nothing any more'));
      await running;
    },
  };
}

function bindingsText({ settings }: LoadedSite): string {
  return settings.events.amqp === undefined ? '' : writeBindings(settings.events.amqp);
}

function pauseAfter(ending: unknown, failures: number, chance: number): number {
  if (ending instanceof TopologyError) return spreadMs(TOPOLOGY_PAUSE_MS, SPREAD, chance);
  const longestMs = isStoreAway(ending) ? MAX_STORE_PAUSE_MS : MAX_BROKER_PAUSE_MS;
  return backoffMs(failures, { firstMs: FIRST_PAUSE_MS, longestMs, spread: SPREAD }, chance);
}

function isStoreAway(ending: unknown): boolean {
  return ending === 'away' || (ending instanceof AppError && ending.retryability === 'transient');
}

function report(logger: Pick<Logger, 'info' | 'warn'>, site: string, ending: unknown): void {
  // The alarm of the feed says what to do.
  if (ending instanceof TopologyError) return;
  if (isStoreAway(ending)) logger.warn(`messages of ${site} wait at the broker: they cannot be stored now`, COMPONENT);
  else if (ending instanceof Error)
    logger.warn(`messages of ${site} cannot be taken in now`, { ...COMPONENT, thrown: ending });
}

type Life = { readonly site: () => LoadedSite; readonly signal: AbortSignal; readonly onTaken: () => void };

/** From the first look at the database to the end of the channel. */
async function liveOnce(parts: ConsumerParts, { site, signal, onTaken }: Life): Promise<Ending> {
  const { session, feeds, handleMessage, runtime } = parts;
  const { name } = site();
  // Where nothing can be stored, nothing is taken from the queue: each time that a message goes back counts against it.
  const feed = await feeds.note(name, 'amqp', {});
  const problem = await declare(parts, site(), { feed, signal });
  await noteTopology(parts, feed, problem);
  const open = await session.openReceiving(signal);
  return await consumeQueue(open, {
    queue: encountersQueue(name),
    handle: (message, life) => handleMessage({ site: site(), message, signal: life }),
    onTaken,
    signal,
    ...(problem !== undefined && { recheck: () => runtime.pause(TOPOLOGY_PAUSE_MS, signal) }),
  });
}

/** Gives what is amiss and keeps nobody from taking in; throws what does. */
async function declare(
  parts: ConsumerParts,
  { name, settings }: LoadedSite,
  { feed, signal }: { readonly feed: Feed; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const wanted = settings.events.amqp;
  if (wanted === undefined) throw new Error('the site has no AMQP settings');
  const onChannel = onReceivingChannel(parts.session, signal);
  try {
    const former = readBindings(feed.subscription);
    await declareSite(onChannel, name, { wanted, former });
    const bound = writeBindings(wanted);
    if (feed.subscription !== bound) await parts.feeds.note(name, 'amqp', { subscription: bound });
    return await declareDeadLetters(onChannel, name);
  } catch (thrown) {
    if (thrown instanceof TopologyError) await noteTopology(parts, feed, thrown.message);
    throw thrown;
  }
}

function onReceivingChannel(session: Pick<AmqpSession, 'openReceiving'>, signal: AbortSignal): OnChannel {
  return async (work) => {
    const open = await session.openReceiving(signal);
    const limits = [signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)];
    return await orAborted(work(open.channel), limits).finally(open.close);
  };
}

/** What others note of the same feed is left as it is. */
async function noteTopology(
  { feeds, logger }: ConsumerParts,
  { site, alarm, alarmMessage }: Feed,
  problem: string | undefined,
): Promise<void> {
  if (problem === undefined) {
    if (alarm !== 'topology') return;
    await feeds.note(site, 'amqp', { alarm: null });
    return logger.info(`the broker has what ${site} needs again`, COMPONENT);
  }
  if (alarm === 'topology' && alarmMessage === problem) return;
  logger.warn(`${site}: ${problem}`, COMPONENT);
  await feeds.note(site, 'amqp', { alarm: { kind: 'topology', message: problem } });
}
