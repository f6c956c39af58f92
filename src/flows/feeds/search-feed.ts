// One pass over what an EHR has that did not come by itself: from where the last pass ended, a little earlier, to now or as far as one
// pass goes. Whatever is found is accepted like any event; only then is it noted how far the search has come.
import type { Resource, ResourceType } from '@medplum/fhirtypes';
import { AppError } from '../../domain/errors.ts';
import { crowdedMessage, searchMessage } from '../../domain/event/feed-alarm.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Feed, FeedChange, Feeds } from '../../ports/feeds.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { AcceptFound } from '../intake/accept-found.ts';
import { type ChangeSearch, type ChangeWindow, changedAtMs, isSince, makeSearchChanges } from './search-changes.ts';

export type FeedSearchResult = {
  readonly found: number;
  readonly accepted: number;
  readonly repeated: number;
  /** False: there is more. The next pass goes on from there. */
  readonly isComplete: boolean;
  /** What the EHR does not let us look through. */
  readonly refused: readonly ResourceType[];
};

export type FeedSearch = {
  readonly site: LoadedSite;
  readonly kind: 'poll' | 'catch-up';
  readonly searches: readonly ChangeSearch[];
  /** What of the found is worth an event. */
  readonly isMeant?: (resource: Resource) => boolean;
};

/** Throws what the EHR or the database throws. What the EHR refuses for good is an alarm of the feed before it is thrown. */
export type SearchFeed = (search: FeedSearch, signal: AbortSignal) => Promise<FeedSearchResult>;

type Parts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly feeds: Pick<Feeds, 'of' | 'note'>;
  readonly acceptFound: AcceptFound;
  readonly runtime: Pick<Runtime, 'now'>;
};

/** What is stored later than it says: long transactions, several machines behind one address. */
const OVERLAP_MS = 300_000;
const SECOND_MS = 1000;

export function makeSearchFeed(parts: Parts): SearchFeed {
  const { ehrs, feeds, acceptFound, runtime } = parts;
  const searchChanges = makeSearchChanges();
  /** Where a pass ended in the middle: going back by the overlap, it might never get any further. */
  const goesOnFrom = new Map<string, Date>();

  return async (search, signal) => {
    const { site, kind, searches, isMeant = () => true } = search;
    const name = `${site.name} ${kind}`;
    const feed = await knownFeed(feeds, site.name, kind);
    const now = runtime.now();
    const since = startOf(feed, goesOnFrom.get(name));
    try {
      const ehr = ehrs.of(site);
      const window = await searchChanges({ site: site.name, ehr, searches, since, now }, signal);
      const resources = window.resources.filter((resource) => isSince(resource, feed.firstSeenAt) && isMeant(resource));
      const counts =
        resources.length === 0
          ? { accepted: 0, repeated: 0 }
          : await acceptFound({ site, source: kind, receivedAt: now, resources });
      await feeds.note(site.name, kind, reached({ search, window, feed, since, now }));
      if (window.until) goesOnFrom.set(name, new Date(window.until.getTime() - SECOND_MS));
      else goesOnFrom.delete(name);
      return { found: resources.length, ...counts, isComplete: window.until === undefined, refused: window.refused };
    } catch (thrown) {
      if (!signal.aborted) await raiseAlarm(feeds, search, thrown);
      throw thrown;
    }
  };
}

/** With the moment when anything of the site was first known. */
async function knownFeed(feeds: Parts['feeds'], site: string, kind: FeedSearch['kind']): Promise<Feed> {
  const known = await feeds.of(site);
  const own = known.find((feed) => feed.kind === kind) ?? (await feeds.note(site, kind, {}));
  const firstSeenAt = [own, ...known].map((feed) => feed.firstSeenAt).reduce((a, b) => (a < b ? a : b));
  return { ...own, firstSeenAt };
}

function startOf({ firstSeenAt, searchedUntil }: Feed, goesOnFrom: Date | undefined): Date {
  const start = goesOnFrom ?? new Date((searchedUntil ?? firstSeenAt).getTime() - OVERLAP_MS);
  return start < firstSeenAt ? firstSeenAt : start;
}

type Reached = {
  readonly search: FeedSearch;
  readonly window: ChangeWindow;
  readonly feed: Feed;
  /** Where this search began. */
  readonly since: Date;
  readonly now: Date;
};

function reached({ search, window, feed, since, now }: Reached): FeedChange {
  const { resources, until, isCrowded } = window;
  const searchedUntil = isCrowded && until === undefined ? undefined : (until ?? newestOf(resources, now));
  const what = search.kind === 'poll' ? 'events.poll.query' : '_lastUpdated';
  const message = crowdedMessage(what, { site: search.site.name, since });
  return {
    ...(searchedUntil !== undefined && { searchedUntil }),
    ...(isCrowded && { alarm: { kind: 'catch-up', message } }),
    ...(!isCrowded && feed.alarm === 'catch-up' && { alarm: null }),
  };
}

/**
 * By the EHR's own clock, which may be far from ours: where nothing was found, the search has come no further, and costs no more the next
 * time. A resource from the future does not count; where they say no times at all, ours must do.
 */
function newestOf(resources: readonly Resource[], now: Date): Date | undefined {
  if (resources.length === 0) return undefined;
  const times = resources.flatMap((resource) => changedAtMs(resource) ?? []);
  return times.length === 0 ? now : new Date(Math.min(now.getTime(), Math.max(...times)));
}

async function raiseAlarm(feeds: Parts['feeds'], { site, kind }: FeedSearch, thrown: unknown): Promise<void> {
  const isForGood = thrown instanceof AppError && (thrown.code === 'ehrRefused' || thrown.code === 'notConfigured');
  if (!isForGood) return;
  const message = searchMessage(thrown.message);
  // What is thrown is more than that it could not be noted.
  await feeds.note(site.name, kind, { alarm: { kind: 'catch-up', message } }).catch(() => undefined);
}
