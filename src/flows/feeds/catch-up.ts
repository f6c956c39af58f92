// Catches up with an EHR: searches for encounters and recordings that have changed since the last pass, whether events came for them or not. This
// is the safety net for all other feeds, since an EHR drops events that it cannot deliver.
import type { DocumentReference, Media, Resource } from '@medplum/fhirtypes';
import { isAudio } from '../../domain/recording/recording-attachment.ts';
import { listOf } from '../../domain/recording/recording-owner.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Feeds } from '../../ports/feeds.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { AcceptFound } from '../intake/accept-found.ts';
import { makeCoalesce } from './coalesce.ts';
import type { ChangeSearch } from './search-changes.ts';
import { type FeedSearchResult, makeSearchFeed } from './search-feed.ts';

export type CatchUpParts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly feeds: Pick<Feeds, 'of' | 'note'>;
  readonly acceptFound: AcceptFound;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs'>;
};

/**
 * One bounded pass; if `isComplete` is false, call it again. A call during a pass of the same site gets the next pass. Throws what the EHR or the
 * database throws; a permanent refusal becomes an alarm of the feed `catch-up`.
 */
export type CatchUp = (order: { readonly site: LoadedSite }, signal: AbortSignal) => Promise<FeedSearchResult>;

type RecordingType = 'DocumentReference' | 'Media';

/** A refused type is tried again after this time: permissions may be granted later. */
const REFUSED_FOR_MS = 3_600_000;

export function makeCatchUp(parts: CatchUpParts): CatchUp {
  const { ehrs, runtime } = parts;
  const searchFeed = makeSearchFeed(parts);
  const oneAtATime = makeCoalesce<FeedSearchResult>();
  const refusedUntilMs = new Map<string, number>();

  /** If recordings cannot be searched, encounters must do: most of them change as well. */
  const searchable = async (site: LoadedSite, signal: AbortSignal): Promise<readonly RecordingType[]> => {
    const wanted = [...new Set(site.settings.recording.from)].filter(
      (type) => runtime.monotonicMs() >= (refusedUntilMs.get(`${site.name} ${type}`) ?? 0),
    );
    const { isKnown, types } = await ehrs.of(site).capabilities(signal);
    return wanted.filter((type) => !isKnown || types.get(type)?.canSearch === true);
  };

  const pass = async (site: LoadedSite, signal: AbortSignal): Promise<FeedSearchResult> => {
    const recordings = (await searchable(site, signal)).map((type) => ({ ...byChange(type), isOptional: true }));
    const searched = await searchFeed(
      { site, kind: 'catch-up', searches: [byChange('Encounter'), ...recordings], isRelevant },
      signal,
    );
    for (const type of searched.refused)
      refusedUntilMs.set(`${site.name} ${type}`, runtime.monotonicMs() + REFUSED_FOR_MS);
    return searched;
  };
  return ({ site }, signal) => oneAtATime(site.name, () => pass(site, signal));
}

function byChange(type: ChangeSearch['type']): ChangeSearch {
  return { type, isByChange: true, parameters: (since) => ({ _lastUpdated: `gt${since.toISOString()}` }) };
}

/** A search finds documents of all kinds; only those with audio are events. */
function isRelevant(resource: Resource): boolean {
  if (resource.resourceType === 'DocumentReference') return hasAudio(resource);
  return resource.resourceType !== 'Media' || hasAudio(resource);
}

function hasAudio(resource: DocumentReference | Media): boolean {
  const isMedia = resource.resourceType === 'Media';
  const attachments = isMedia ? [resource.content] : listOf(resource.content).map(({ attachment }) => attachment);
  return attachments.some((one) => typeof one === 'object' && one !== null && isAudio(one, isMedia));
}
