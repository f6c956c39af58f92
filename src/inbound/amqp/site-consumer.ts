// Consumes the events of one site until the site does not want them any more: it survives lost connections, an unavailable database and changes
// of the settings. It does not affect other sites.
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
  /** Takes the current settings of the site. */
  readonly use: (site: LoadedSite) => void;
  /** Messages under way are completed; the others return to the queue. */
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
/** A broker that has just come back does not announce when it is ready. */
const MAX_BROKER_PAUSE_MS = 5_000;
const MAX_STORE_PAUSE_MS = 60_000;
const SPREAD: Spread = [1, 0.8];
/** A connected broker may not answer, for example if the queue has no leader. */
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
      // Messages came, so the broker works.
      failures = ending === 'lost' ? 0 : failures + 1;
      // A change of the site ends the pause, too.
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
  // The alarm of the feed has the message.
  if (ending instanceof TopologyError) return;
  if (isStoreAway(ending)) logger.warn(`consumer for ${site} paused: database unavailable`, COMPONENT);
  else if (ending instanceof Error)
    logger.warn(`consumer for ${site} failed, retrying`, { ...COMPONENT, thrown: ending });
}

type Life = { readonly site: () => LoadedSite; readonly signal: AbortSignal; readonly onTaken: () => void };

/** One attempt: from the check of the database to the end of the channel. */
async function liveOnce(parts: ConsumerParts, { site, signal, onTaken }: Life): Promise<Ending> {
  const { session, feeds, handleMessage, runtime } = parts;
  const { name } = site();
  // Nothing is consumed while the database is unavailable, because each return to the queue counts as a delivery.
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

/** Returns a problem that does not stop the consumer; throws one that does. */
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

/** Does not change an alarm that another part has set on the same feed. */
async function noteTopology(
  { feeds, logger }: ConsumerParts,
  { site, alarm, alarmMessage }: Feed,
  problem: string | undefined,
): Promise<void> {
  if (problem === undefined) {
    if (alarm !== 'topology') return;
    await feeds.note(site, 'amqp', { alarm: null });
    return logger.info(`queues and bindings of ${site} are complete again`, COMPONENT);
  }
  if (alarm === 'topology' && alarmMessage === problem) return;
  logger.warn(`${site}: ${problem}`, COMPONENT);
  await feeds.note(site, 'amqp', { alarm: { kind: 'topology', message: problem } });
}
