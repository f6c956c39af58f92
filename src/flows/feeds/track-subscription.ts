// Heeds what notifications say of their Subscription beside the encounters: that it lives, and how many events there were. A gap in
// the numbers is closed without whoever brought the news waiting for it.
import type { SubscriptionUpdate } from '../../domain/event/delivery.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { FeedChange, Feeds } from '../../ports/feeds.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { AcceptFound } from '../intake/accept-found.ts';
import type { CatchUp } from './catch-up.ts';
import { type CloseGap, makeCloseGap } from './close-gap.ts';
import { makeGapTracker, type NumberRange } from './track-gaps.ts';

/**
 * Of every delivery that says something of its Subscription, after what it brought was stored. `mustSearch`: something has changed, and
 * nobody knows what; it is searched for before this returns. A throw means that the sender must send it again.
 */
export type TrackUpdate = (
  site: LoadedSite,
  news: { readonly subscription?: SubscriptionUpdate; readonly mustSearch: boolean },
) => Promise<void>;

export type SubscriptionTracker = {
  readonly trackUpdate: TrackUpdate;
  /** Ends what is under way, and waits for it. */
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

/** Each is a thousand resources. What is left then is found by the next catching up. */
const MAX_PASSES = 20;

export function makeTrackSubscription(parts: Parts): SubscriptionTracker {
  const { feeds, catchUp, runtime } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  const searchNow = async (site: LoadedSite): Promise<void> => {
    for (let passes = 0; passes < MAX_PASSES; passes += 1) if ((await catchUp({ site }, signal)).isComplete) return;
  };
  const gaps = makeGapTracker({ ...parts, closeGap: makeCloseGap({ ...parts, searchNow }), signal });

  const heed = async (site: LoadedSite, news: SubscriptionUpdate): Promise<void> => {
    const known = (await feeds.of(site.name)).find(({ kind }) => kind === 'subscription');
    // One that we have left, or somebody else's: its numbers say nothing of ours.
    if (known?.subscription !== undefined && (news.subscription ?? known.subscription) !== known.subscription) return;
    const brought = numbersOf(news);
    if (brought) gaps.came(site.name, brought);
    const missing = missingAfter(known?.lastEventNumber, news, brought);
    if (missing) gaps.isMissing(site.name, missing);
    await feeds.note(site.name, 'subscription', changeOf(news, runtime.now()));
    gaps.close(site, news.subscription ?? known?.subscription);
  };

  return {
    async trackUpdate(site, { subscription, mustSearch }) {
      if (subscription) await heed(site, subscription);
      if (mustSearch) await searchNow(site);
    },
    async stop() {
      stopping.abort(new Error('the engine is stopping'));
      await gaps.stop();
    },
  };
}

/** Of the events that it brings. A heartbeat says how many there were, and brings none of them. */
function numbersOf({ kind, eventNumber, firstEventNumber }: SubscriptionUpdate): NumberRange | undefined {
  if (kind !== 'event-notification' && kind !== 'query-event') return undefined;
  return eventNumber === undefined ? undefined : { first: firstEventNumber ?? eventNumber, last: eventNumber };
}

/** Nothing where nobody knows yet what the last number was: that is for catching up. */
function missingAfter(
  last: number | undefined,
  { eventNumber }: SubscriptionUpdate,
  brought: NumberRange | undefined,
): NumberRange | undefined {
  const end = brought ? brought.first - 1 : (eventNumber ?? 0);
  return last === undefined || end <= last ? undefined : { first: last + 1, last: end };
}

function changeOf({ eventNumber, status, kind }: SubscriptionUpdate, now: Date): FeedChange {
  const isSignOfLife = kind === 'handshake' || kind === 'heartbeat';
  return {
    ...(isSignOfLife && { lastHeartbeatAt: now }),
    ...(eventNumber !== undefined && { lastEventNumber: eventNumber }),
    ...(status !== undefined && { subscriptionStatus: status }),
  };
}
