// Catches up with an EHR: searches for encounters and recordings that changed since the last time, whatever told of them and whatever did
// not. The safety net under every other way: an EHR drops what it could not deliver.
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
 * One pass, bounded; `isComplete` false: call it again. Whoever calls while one is under way at that site gets the next one. Throws what
 * the EHR or the database throws; what it refuses for good is an alarm of the feed `catch-up`.
 */
export type CatchUp = (order: { readonly site: LoadedSite }, signal: AbortSignal) => Promise<FeedSearchResult>;

type RecordingType = 'DocumentReference' | 'Media';

/** A refusal may be taken back: rights are given late. */
const REFUSED_FOR_MS = 3_600_000;

export function makeCatchUp(parts: CatchUpParts): CatchUp {
  const { ehrs, runtime } = parts;
  const searchFeed = makeSearchFeed(parts);
  const oneAtATime = makeCoalesce<FeedSearchResult>();
  const refusedUntilMs = new Map<string, number>();

  /** Where recordings cannot be looked through, the encounters are enough: most say that they changed. */
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
      { site, kind: 'catch-up', searches: [byChange('Encounter'), ...recordings], isMeant },
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

/** Documents of all kinds are found; those that nobody can listen to, our own among them, are no events. */
function isMeant(resource: Resource): boolean {
  if (resource.resourceType === 'DocumentReference') return holdsSound(resource);
  return resource.resourceType !== 'Media' || holdsSound(resource);
}

function holdsSound(resource: DocumentReference | Media): boolean {
  const isMedia = resource.resourceType === 'Media';
  const attachments = isMedia ? [resource.content] : listOf(resource.content).map(({ attachment }) => attachment);
  return attachments.some((one) => typeof one === 'object' && one !== null && isAudio(one, isMedia));
}
