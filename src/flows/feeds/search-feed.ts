// One search pass of a feed: from a little before the end of the last pass until now, or as far as one pass reaches. Found resources are accepted
// like events; only then the progress is stored.
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
  /** False if there are more changes; the next pass continues. */
  readonly isComplete: boolean;
  /** The types that the EHR does not let the engine search. */
  readonly refused: readonly ResourceType[];
};

export type FeedSearch = {
  readonly site: LoadedSite;
  readonly kind: 'poll' | 'catch-up';
  readonly searches: readonly ChangeSearch[];
  /** Whether a found resource is worth an event. */
  readonly isRelevant?: (resource: Resource) => boolean;
};

/** Throws what the EHR or the database throws. A permanent refusal also raises an alarm of the feed. */
export type SearchFeed = (search: FeedSearch, signal: AbortSignal) => Promise<FeedSearchResult>;

type Parts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly feeds: Pick<Feeds, 'of' | 'note'>;
  readonly acceptFound: AcceptFound;
  readonly runtime: Pick<Runtime, 'now'>;
};

/** Resources may appear later than their time says: long transactions, several servers behind one address. */
const OVERLAP_MS = 300_000;
const SECOND_MS = 1000;

export function makeSearchFeed(parts: Parts): SearchFeed {
  const { ehrs, feeds, acceptFound, runtime } = parts;
  const searchChanges = makeSearchChanges();
  /** The end of an incomplete pass: from there the next one continues without the overlap, which could prevent progress. */
  const goesOnFrom = new Map<string, Date>();

  return async (search, signal) => {
    const { site, kind, searches, isRelevant = () => true } = search;
    const name = `${site.name} ${kind}`;
    const feed = await knownFeed(feeds, site.name, kind);
    const now = runtime.now();
    const since = startOf(feed, goesOnFrom.get(name));
    try {
      const ehr = ehrs.of(site);
      const window = await searchChanges({ site: site.name, ehr, searches, since, now }, signal);
      const resources = window.resources.filter(
        (resource) => isSince(resource, feed.firstSeenAt) && isRelevant(resource),
      );
      const counts =
        resources.length === 0
          ? { accepted: 0, repeated: 0 }
          : await acceptFound({ site, source: kind, receivedAt: now, resources });
      await feeds.note(site.name, kind, progressOf({ search, window, feed, since, now }));
      if (window.until) goesOnFrom.set(name, new Date(window.until.getTime() - SECOND_MS));
      else goesOnFrom.delete(name);
      return { found: resources.length, ...counts, isComplete: window.until === undefined, refused: window.refused };
    } catch (thrown) {
      if (!signal.aborted) await raiseAlarm(feeds, search, thrown);
      throw thrown;
    }
  };
}

/** The feed, with the moment when the first feed of the site was seen. */
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

type PassProgress = {
  readonly search: FeedSearch;
  readonly window: ChangeWindow;
  readonly feed: Feed;
  /** The start of the search window. */
  readonly since: Date;
  readonly now: Date;
};

function progressOf({ search, window, feed, since, now }: PassProgress): FeedChange {
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
 * The newest time by the clock of the EHR, which may differ from the engine's. Without results the progress stays the same. Times in the future are
 * limited to now; resources without times use the clock of the engine.
 */
function newestOf(resources: readonly Resource[], now: Date): Date | undefined {
  if (resources.length === 0) return undefined;
  const times = resources.flatMap((resource) => changedAtMs(resource) ?? []);
  return times.length === 0 ? now : new Date(Math.min(now.getTime(), Math.max(...times)));
}

async function raiseAlarm(feeds: Parts['feeds'], { site, kind }: FeedSearch, thrown: unknown): Promise<void> {
  const isPermanent = thrown instanceof AppError && (thrown.code === 'ehrRefused' || thrown.code === 'notConfigured');
  if (!isPermanent) return;
  const message = searchMessage(thrown.message);
  // The original error matters more than a failure to store the alarm.
  await feeds.note(site.name, kind, { alarm: { kind: 'catch-up', message } }).catch(() => undefined);
}
