// Keeps the engine's own Subscription in a site's EHR alive: makes it where there is none, brings it up to date after a change of the
// settings, makes it active again when the EHR has switched it off, and takes it away when the site wants none. Nobody else's is touched.
import { switchedOffMessage, waitingMessage } from '../../domain/event/feed-alarm.ts';
import {
  addressWarnings,
  chooseSubscription,
  type DesiredSubscription,
  settingsText,
  subscriptionEndpoint,
} from '../../domain/event/subscription.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Feed, FeedAlarm, Feeds } from '../../ports/feeds.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { findSubscription } from './find-subscription.ts';
import { makeSubscriptionMemory, type SubscriptionMemory } from './subscription-memory.ts';
import {
  makeSubscription,
  type OwnSubscription,
  pushSubscription,
  removeSubscription,
  rewriteSubscription,
  type SubscriptionContext,
  type SubscriptionOutcome,
} from './write-subscription.ts';

export type SubscriptionReport = {
  /** `none`: the site wants none. `waiting`: the EHR has it, and does not tell yet. */
  readonly state: 'none' | 'active' | 'waiting' | 'refused';
  /** It did not tell for a while: something may have been missed. */
  readonly mustSearch: boolean;
  /** For the operator, in words. */
  readonly warnings: readonly string[];
};

/**
 * To be called again and again, by one engine at a time; `confirm` throws where that is another one now, and is called before each
 * write. Throws what the EHR or the database throws. What the EHR refuses for good is an alarm, and no throw.
 */
export type MaintainSubscription = (order: KeepOrder, signal: AbortSignal) => Promise<SubscriptionReport>;

type KeepOrder = { readonly site: LoadedSite; readonly confirm?: () => Promise<void> };

type Parts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly feeds: Pick<Feeds, 'of' | 'note'>;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs' | 'digest'>;
  readonly publicUrl: string;
};

const PUSH_AFTER_MS = 180_000;
const ALARM_AFTER_MS = 600_000;
const FLAPS = 3;

export function makeMaintainSubscription(parts: Parts): MaintainSubscription {
  const { feeds, publicUrl } = parts;
  const memory = makeSubscriptionMemory();
  return async (order, signal) => {
    const { name, settings } = order.site;
    // Of a site that is off nothing is asked.
    if (settings.mode === 'off') return { state: 'none', mustSearch: false, warnings: [] };
    const feed = (await feeds.of(name)).find(({ kind }) => kind === 'subscription');
    const wish = chooseSubscription(name, settings.events, publicUrl);
    if (wish.kind === 'none') return drop(parts, { ...order, feed }, signal);
    if (wish.kind === 'lacking') {
      await feeds.note(name, 'subscription', { alarm: { kind: 'subscription', message: wish.why } });
      return { state: 'refused', mustSearch: false, warnings: [] };
    }
    const kept = await keep(lookAt(parts, { ...order, feed, wanted: wish.wanted, memory }, signal));
    return { ...kept, warnings: addressWarnings(wish.wanted, { site: name, ehrUrl: settings.ehr?.baseUrl ?? '' }) };
  };
}

type Looking = KeepOrder & {
  readonly feed: Feed | undefined;
  readonly wanted: DesiredSubscription;
  readonly memory: SubscriptionMemory;
};

function lookAt(
  { ehrs, feeds, runtime }: Parts,
  { site, confirm = doNothing, feed, wanted, memory }: Looking,
  signal: AbortSignal,
): SubscriptionContext {
  return {
    site: site.name,
    ehr: ehrs.of(site),
    feed,
    wanted,
    digest: Buffer.from(runtime.digest(settingsText(wanted, runtime.digest))).toString('hex'),
    now: runtime.now(),
    nowMs: runtime.monotonicMs(),
    memory,
    note: (change) => feeds.note(site.name, 'subscription', change),
    confirm,
    signal,
  };
}

const doNothing = async (): Promise<void> => undefined;

async function keep(look: SubscriptionContext): Promise<SubscriptionOutcome> {
  const { ehr, feed, wanted, memory, site, confirm, signal } = look;
  if (memory.isRefused(site, look.digest, look.nowMs)) return { state: 'refused', mustSearch: false };
  const { own, doubles } = await findSubscription({ ehr, wanted, noted: feed?.subscription }, signal);
  for (const double of doubles) {
    await confirm();
    await ehr.remove(double, signal);
  }
  if (own) return settle(look, own);
  if (feed?.subscription !== undefined) await look.note({ subscription: null });
  return makeSubscription(look);
}

async function settle(look: SubscriptionContext, own: OwnSubscription): Promise<SubscriptionOutcome> {
  const { feed, site, memory, nowMs, note } = look;
  const { status } = own.resource;
  if (feed?.subscription !== own.reference || feed.subscriptionStatus !== status) {
    await note({ subscription: own.reference, subscriptionStatus: status });
  }
  if (status === 'off' || status === 'error') {
    const count = memory.switchedOff(site, nowMs);
    if (count >= FLAPS) await note({ alarm: { kind: 'subscription', message: switchedOffMessage(count) } });
    return rewriteSubscription(look, own);
  }
  if (feed?.subscriptionDigest !== look.digest) return rewriteSubscription(look, own);
  if (status === 'requested') return wait(look, own);
  memory.isActive(site);
  const isCalm = memory.offCount(site, nowMs) < FLAPS;
  if (feed?.alarm === 'subscription' && isCalm) await note({ alarm: null });
  return { state: 'active', mustSearch: false };
}

async function wait(look: SubscriptionContext, own: OwnSubscription): Promise<SubscriptionOutcome> {
  const { memory, site, nowMs, note } = look;
  const waitedMs = memory.waitingMs(site, nowMs);
  if (waitedMs >= ALARM_AFTER_MS) await note({ alarm: { kind: 'subscription', message: waitingMessage() } });
  if (waitedMs >= PUSH_AFTER_MS && memory.mayPush(site)) await pushSubscription(look, own);
  return { state: 'waiting', mustSearch: false };
}

const OWN_ALARMS: ReadonlySet<FeedAlarm> = new Set(['subscription', 'no-heartbeat']);

async function drop(
  { ehrs, feeds, publicUrl }: Parts,
  { site, feed, confirm = doNothing }: KeepOrder & { readonly feed: Feed | undefined },
  signal: AbortSignal,
): Promise<SubscriptionReport> {
  const warnings: string[] = [];
  if (feed?.subscription !== undefined) {
    const place = { reference: feed.subscription, endpoint: subscriptionEndpoint(publicUrl, site.name) };
    const isGone = await removeSubscription({ ehr: ehrs.of(site), confirm, signal }, place);
    if (!isGone) warnings.push(`the EHR of ${site.name} does not let us delete our Subscription: delete it there`);
    await feeds.note(site.name, 'subscription', { subscription: null });
  }
  if (feed?.alarm !== undefined && OWN_ALARMS.has(feed.alarm)) {
    await feeds.note(site.name, 'subscription', { alarm: null });
  }
  return { state: 'none', mustSearch: false, warnings };
}
