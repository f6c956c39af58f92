// Polls an EHR with the site's own query, for EHRs that send no events. Cancelled encounters are added to the query.
import type { ResourceType } from '@medplum/fhirtypes';
import { AppError } from '../../domain/errors.ts';
import { searchMessage } from '../../domain/event/feed-alarm.ts';
import { widenedCriteria } from '../../domain/event/subscription.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { CatchUpParts } from './catch-up.ts';
import { makeCoalesce } from './coalesce.ts';
import type { ChangeSearch } from './search-changes.ts';
import { type FeedSearchResult, makeSearchFeed } from './search-feed.ts';

/** For a site with `events.poll`. It works like `CatchUp`, with the feed `poll`. */
export type PollSite = (order: { readonly site: LoadedSite }, signal: AbortSignal) => Promise<FeedSearchResult>;

const FORM = /^(Encounter)\?(.+)$/;
const SINCE = '{since}';

export function makePollSite(parts: CatchUpParts): PollSite {
  const searchFeed = makeSearchFeed(parts);
  const oneAtATime = makeCoalesce<FeedSearchResult>();
  const pass = async (site: LoadedSite, signal: AbortSignal): Promise<FeedSearchResult> => {
    const search = pollSearch(site.settings.events.poll?.query ?? '');
    if (search) return searchFeed({ site, kind: 'poll', searches: [search] }, signal);
    const why = 'events.poll.query must begin with Encounter?, as in Encounter?_lastUpdated=gt{since}';
    await parts.feeds.note(site.name, 'poll', { alarm: { kind: 'catch-up', message: searchMessage(why) } });
    throw new AppError('notConfigured', `${site.name}: ${why}`);
  };
  return ({ site }, signal) => oneAtATime(site.name, () => pass(site, signal));
}

/** Undefined if the query is not a search for encounters. */
function pollSearch(query: string): ChangeSearch | undefined {
  const [, type, text] = FORM.exec(widenedCriteria(query.trim())) ?? [];
  if (type === undefined || text === undefined) return undefined;
  const parts = [...new URLSearchParams(text)];
  return {
    type: type as ResourceType,
    isByChange: parts.some(([name, value]) => name === '_lastUpdated' && value.includes(SINCE)),
    parameters: (since) => {
      const filled = parts.map(([name, value]) => [name, value.replaceAll(SINCE, since.toISOString())] as const);
      const byName = Map.groupBy(filled, ([name]) => name);
      return Object.fromEntries([...byName].map(([name, values]) => [name, values.map(([, value]) => value)]));
    },
  };
}
