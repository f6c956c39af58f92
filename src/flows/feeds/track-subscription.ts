// Tracks Subscription health (heartbeats, event numbers) and backfills gaps. Gaps are closed in the background; the sender of the notification does
// not wait.

import type { SubscriptionUpdate } from '../../domain/event/delivery.ts';
import { present } from '../../domain/present.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { FeedChange, Feeds } from '../../ports/feeds.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { AcceptFound } from '../intake/accept-found.ts';
import type { CatchUp } from './catch-up.ts';
import { type CloseGap, makeCloseGap } from './close-gap.ts';
import { makeGapTracker, type NumberRange } from './track-gaps.ts';

/**
 * Called for each delivery with a subscription status, after its events were stored. `mustSearch`: the notification does not say what has changed, so
 * the search is done before this returns. A throw means that the sender must send the notification again.
 */
export type TrackUpdate = (
  site: LoadedSite,
  update: { readonly subscription?: SubscriptionUpdate; readonly mustSearch: boolean },
) => Promise<void>;

export type SubscriptionTracker = {
  readonly trackUpdate: TrackUpdate;
  /** Ends the background work and waits for it. */
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly feeds: Pick<Feeds, 'of' | 'note'>;
  readonly acceptFound: AcceptFound;
  readonly catchUp: CatchUp;
  readonly runtime: Pick<Runtime, 'now' | 'pause'>;
  readonly onGap: (site: string, closed: Awaited<ReturnType<CloseGap>>) => void;
  readonly onFailed: (site: string, thrown: unknown) => void;
};

/** Each pass is up to a thousand resources. The next catch-up finds the rest. */
const MAX_PASSES = 20;

export function makeTrackSubscription(parts: Parts): SubscriptionTracker {
  const { feeds, catchUp, runtime } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const searchNow = async (site: LoadedSite): Promise<void> => {
    for (let passes = 0; passes < MAX_PASSES; passes += 1) if ((await catchUp({ site }, signal)).isComplete) return;
  };
  const gaps = makeGapTracker({ ...parts, closeGap: makeCloseGap({ ...parts, searchNow }), signal });

  const track = async (site: LoadedSite, update: SubscriptionUpdate): Promise<void> => {
    const feed = (await feeds.of(site.name)).find(({ kind }) => kind === 'subscription');
    // The event numbers of another Subscription say nothing about this one.
    if (feed?.subscription !== undefined && (update.subscription ?? feed.subscription) !== feed.subscription) return;
    const delivered = numbersOf(update);
    if (delivered) gaps.came(site.name, delivered);
    const missing = missingAfter(feed?.lastEventNumber, update, delivered);
    if (missing) gaps.isMissing(site.name, missing);
    await feeds.note(site.name, 'subscription', changeOf(update, runtime.now()));
    gaps.close(site, update.subscription ?? feed?.subscription);
  };

  return {
    async trackUpdate(site, { subscription, mustSearch }) {
      if (subscription) await track(site, subscription);
      if (mustSearch) await searchNow(site);
    },
    async stop() {
      stopping.abort(new Error('the engine is stopping'));
      await gaps.stop();
    },
  };
}

/** The numbers of the delivered events. A heartbeat reports a number but delivers no event. */
function numbersOf({ kind, eventNumber, firstEventNumber }: SubscriptionUpdate): NumberRange | undefined {
  if (kind !== 'event-notification' && kind !== 'query-event') return undefined;
  return eventNumber === undefined ? undefined : { first: firstEventNumber ?? eventNumber, last: eventNumber };
}

/** Undefined if the last number is unknown: then the catch-up finds missed changes. */
function missingAfter(
  last: number | undefined,
  { eventNumber }: SubscriptionUpdate,
  delivered: NumberRange | undefined,
): NumberRange | undefined {
  const end = delivered ? delivered.first - 1 : (eventNumber ?? 0);
  return last === undefined || end <= last ? undefined : { first: last + 1, last: end };
}

function changeOf({ eventNumber, status, kind }: SubscriptionUpdate, now: Date): FeedChange {
  const isSignOfLife = kind === 'handshake' || kind === 'heartbeat';
  const lastHeartbeatAt = isSignOfLife ? now : undefined;
  return present({ lastHeartbeatAt, lastEventNumber: eventNumber, subscriptionStatus: status });
}
