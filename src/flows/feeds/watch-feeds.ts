// Raises an alarm if a site gets no events for too long in its expected hours, or no heartbeats from a topic Subscription. The next event or sign of
// life ends the alarm.
import { expectedSince } from '../../domain/event/expected-hours.ts';
import { heartbeatMessage, silentMessage } from '../../domain/event/feed-alarm.ts';
import { HEARTBEAT_SECONDS } from '../../domain/event/subscription.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Feed, FeedChange, FeedKind, Feeds } from '../../ports/feeds.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { readStatus } from './close-gap.ts';
import type { TrackUpdate } from './track-subscription.ts';

/** Call it about every minute. Throws what the database throws. */
export type WatchFeeds = (order: { readonly site: LoadedSite }, signal: AbortSignal) => Promise<void>;

type Parts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly feeds: Pick<Feeds, 'of' | 'note'>;
  readonly trackUpdate: TrackUpdate;
  readonly runtime: Pick<Runtime, 'now'>;
};

/** Two heartbeats may be late or lost. */
const MISSED_PERIODS = 2.5;
const MISSED_MS = MISSED_PERIODS * HEARTBEAT_SECONDS * 1000;
const EVENT_KINDS = ['amqp', 'subscription', 'push', 'poll'] as const satisfies readonly FeedKind[];

export function makeWatchFeeds({ ehrs, feeds, trackUpdate, runtime }: Parts): WatchFeeds {
  const note = (site: LoadedSite, kind: FeedKind, change: FeedChange) => feeds.note(site.name, kind, change);

  const watchSilence = async (site: LoadedSite, known: readonly Feed[]): Promise<void> => {
    const silence = silenceOf(site, known, runtime.now());
    const alarmed = known.filter(({ alarm }) => alarm === 'silent');
    if (silence === undefined) {
      for (const { kind } of alarmed) await note(site, kind, { alarm: null });
      return;
    }
    const kind = alarmed[0]?.kind ?? placeOf(site, known);
    if (kind === undefined) return;
    await note(site, kind, { alarm: { kind: 'silent', message: silentMessage(silence) } });
  };

  /** The status may be fine without heartbeats: not every EHR with topic Subscriptions sends them. */
  const askStatus = async (site: LoadedSite, feed: Feed & { readonly subscription: string }, signal: AbortSignal) => {
    const order = { reference: feed.subscription, operation: '$status', parameters: {} } as const;
    const answer = await ehrs
      .of(site)
      .ask(order, signal)
      .catch(() => undefined);
    signal.throwIfAborted();
    const update = readStatus(answer, site)?.update;
    if (update === undefined || (update.status !== undefined && update.status !== 'active')) return 'no status';
    const isAhead = update.eventNumber !== undefined && update.eventNumber > (feed.lastEventNumber ?? 0);
    await trackUpdate(site, { subscription: update, mustSearch: false });
    return isAhead ? 'ahead' : 'ok';
  };

  const watchHeartbeat = async (site: LoadedSite, known: readonly Feed[], signal: AbortSignal): Promise<void> => {
    const feed = known.find(({ kind }) => kind === 'subscription');
    if (site.settings.events.subscription?.kind !== 'topic' || feed?.subscription === undefined) return;
    const { subscription, lastHeartbeatAt, lastEventAt, firstSeenAt, alarm } = feed;
    const lastSign = latestOf([lastHeartbeatAt, lastEventAt, firstSeenAt]);
    const isLate = runtime.now().getTime() - lastSign.getTime() > MISSED_MS;
    const state = isLate ? await askStatus(site, { ...feed, subscription }, signal) : 'ok';
    if (state === 'ok') {
      if (alarm === 'no-heartbeat') await note(site, 'subscription', { alarm: null });
      return;
    }
    // An alarm about a refused or switched off Subscription is more precise.
    if (alarm === 'subscription') return;
    const message = heartbeatMessage(state === 'ahead');
    await note(site, 'subscription', { alarm: { kind: 'no-heartbeat', message } });
  };

  return async ({ site }, signal) => {
    if (site.settings.mode === 'off') return;
    const known = await feeds.of(site.name);
    await watchHeartbeat(site, known, signal);
    await watchSilence(site, await feeds.of(site.name));
  };
}

type Silence = { readonly silentMs: number; readonly during?: string | undefined };

/** Undefined if events come as expected, or none are expected now. */
function silenceOf({ settings }: LoadedSite, known: readonly Feed[], now: Date): Silence | undefined {
  const { expect } = settings.events;
  if (expect === undefined || known.length === 0) return undefined;
  const opened = expectedSince(expect.during, settings.timeZone, now);
  if (opened === undefined) return undefined;
  const ways = waysOf(settings.events, known);
  const since = latestOf([opened, earliestSeen(known), ...ways.map(({ lastEventAt }) => lastEventAt)]);
  const silentMs = now.getTime() - since.getTime();
  return silentMs > expect.atLeastOneMs ? { silentMs, during: expect.during } : undefined;
}

/** Only feeds through which events arrive by themselves count, if the site has any. */
function waysOf(events: LoadedSite['settings']['events'], known: readonly Feed[]): readonly Feed[] {
  const wanted = wantedKinds(events);
  return wanted.length === 0 ? known : known.filter(({ kind }) => wanted.some((one) => one === kind));
}

function wantedKinds(events: LoadedSite['settings']['events']): readonly FeedKind[] {
  return EVENT_KINDS.filter((kind) => {
    const settings = events[kind];
    return settings !== undefined && !('kind' in settings && settings.kind === 'none');
  });
}

/** A feed has one alarm: an existing alarm is not replaced. */
function placeOf({ settings }: LoadedSite, known: readonly Feed[]): FeedKind | undefined {
  const wanted = wantedKinds(settings.events);
  const kinds: readonly FeedKind[] = wanted.length === 0 ? ['catch-up'] : wanted;
  return kinds.find((kind) => known.find((feed) => feed.kind === kind)?.alarm === undefined);
}

function earliestSeen(known: readonly Feed[]): Date {
  return known.map(({ firstSeenAt }) => firstSeenAt).reduce((one, other) => (one < other ? one : other));
}

function latestOf(times: readonly (Date | undefined)[]): Date {
  return new Date(Math.max(0, ...times.map((time) => time?.getTime() ?? 0)));
}
