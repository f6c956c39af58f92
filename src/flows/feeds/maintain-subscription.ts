// Maintains the engine's own Subscription in a site's EHR: creates it, updates it after a change of the settings, activates it again when the EHR has
// switched it off, and removes it when the site needs none. Other Subscriptions are not touched.
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
  /** `none`: the site needs none. `waiting`: the EHR has it, but has not activated it. */
  readonly state: 'none' | 'active' | 'waiting' | 'refused';
  /** No notifications came for a while: a search for missed changes is needed. */
  readonly mustSearch: boolean;
  /** Texts for the operator. */
  readonly warnings: readonly string[];
};

/**
 * Call it regularly, from one engine at a time; `confirm` is called before each write and throws if another engine maintains the site now. Throws
 * what the EHR or the database throws. A permanent refusal of the EHR becomes an alarm, not a throw.
 */
export type MaintainSubscription = (order: MaintainOrder, signal: AbortSignal) => Promise<SubscriptionReport>;

type MaintainOrder = { readonly site: LoadedSite; readonly confirm?: () => Promise<void> };

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
    // The EHR of a site that is off is not called.
    if (settings.mode === 'off') return { state: 'none', mustSearch: false, warnings: [] };
    const feed = (await feeds.of(name)).find(({ kind }) => kind === 'subscription');
    const choice = chooseSubscription(name, settings.events, publicUrl);
    if (choice.kind === 'none') return remove(parts, { ...order, feed }, signal);
    if (choice.kind === 'lacking') {
      await feeds.note(name, 'subscription', { alarm: { kind: 'subscription', message: choice.why } });
      return { state: 'refused', mustSearch: false, warnings: [] };
    }
    const { wanted } = choice;
    const outcome = await maintain(contextOf(parts, { ...order, feed, wanted, memory }, signal));
    return { ...outcome, warnings: addressWarnings(wanted, { site: name, ehrUrl: settings.ehr?.baseUrl ?? '' }) };
  };
}

type ContextOrder = MaintainOrder & {
  readonly feed: Feed | undefined;
  readonly wanted: DesiredSubscription;
  readonly memory: SubscriptionMemory;
};

function contextOf(
  { ehrs, feeds, runtime }: Parts,
  { site, confirm = doNothing, feed, wanted, memory }: ContextOrder,
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

async function maintain(context: SubscriptionContext): Promise<SubscriptionOutcome> {
  const { ehr, feed, wanted, memory, site, confirm, signal } = context;
  if (memory.isRefused(site, context.digest, context.nowMs)) return { state: 'refused', mustSearch: false };
  const { own, doubles } = await findSubscription({ ehr, wanted, noted: feed?.subscription }, signal);
  for (const double of doubles) {
    await confirm();
    await ehr.remove(double, signal);
  }
  if (own) return update(context, own);
  if (feed?.subscription !== undefined) await context.note({ subscription: null });
  return makeSubscription(context);
}

async function update(context: SubscriptionContext, own: OwnSubscription): Promise<SubscriptionOutcome> {
  const { feed, site, memory, nowMs, note } = context;
  const { status } = own.resource;
  if (feed?.subscription !== own.reference || feed.subscriptionStatus !== status) {
    await note({ subscription: own.reference, subscriptionStatus: status });
  }
  if (status === 'off' || status === 'error') {
    const count = memory.switchedOff(site, nowMs);
    if (count >= FLAPS) await note({ alarm: { kind: 'subscription', message: switchedOffMessage(count) } });
    return rewriteSubscription(context, own);
  }
  if (feed?.subscriptionDigest !== context.digest) return rewriteSubscription(context, own);
  if (status === 'requested') return wait(context, own);
  memory.isActive(site);
  const isStable = memory.offCount(site, nowMs) < FLAPS;
  if (feed?.alarm === 'subscription' && isStable) await note({ alarm: null });
  return { state: 'active', mustSearch: false };
}

async function wait(context: SubscriptionContext, own: OwnSubscription): Promise<SubscriptionOutcome> {
  const { memory, site, nowMs, note } = context;
  const waitedMs = memory.waitingMs(site, nowMs);
  if (waitedMs >= ALARM_AFTER_MS) await note({ alarm: { kind: 'subscription', message: waitingMessage() } });
  if (waitedMs >= PUSH_AFTER_MS && memory.mayPush(site)) await pushSubscription(context, own);
  return { state: 'waiting', mustSearch: false };
}

const OWN_ALARMS: ReadonlySet<FeedAlarm> = new Set(['subscription', 'no-heartbeat']);

async function remove(
  { ehrs, feeds, publicUrl }: Parts,
  { site, feed, confirm = doNothing }: MaintainOrder & { readonly feed: Feed | undefined },
  signal: AbortSignal,
): Promise<SubscriptionReport> {
  const warnings: string[] = [];
  if (feed?.subscription !== undefined) {
    const place = { reference: feed.subscription, endpoint: subscriptionEndpoint(publicUrl, site.name) };
    const isGone = await removeSubscription({ ehr: ehrs.of(site), confirm, signal }, place);
    if (!isGone) warnings.push(`the EHR of ${site.name} refuses to delete the engine's Subscription: delete it there`);
    await feeds.note(site.name, 'subscription', { subscription: null });
  }
  if (feed?.alarm !== undefined && OWN_ALARMS.has(feed.alarm)) {
    await feeds.note(site.name, 'subscription', { alarm: null });
  }
  return { state: 'none', mustSearch: false, warnings };
}
