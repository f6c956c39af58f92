// A search of an EHR, page by page: bounded in resources and in pages, and of what comes back only what was asked for.
import type { Resource, ResourceType } from '@medplum/fhirtypes';
import { unreadable } from './ehr-errors.ts';
import { type FhirAnswer, jsonOf } from './fhir-answer.ts';
import type { FhirClient } from './fhir-client.ts';
import { isResource, type JsonObject, objectAt, objectsAt, textAt } from './json.ts';
import { fromResource } from './references.ts';

export type SearchResult =
  | {
      readonly kind: 'found';
      readonly resources: readonly (Resource & JsonObject)[];
      /** False where there would have been more, or may have been. */
      readonly isComplete: boolean;
    }
  /** The server does not search like this, or not for us. */
  | { readonly kind: 'refused'; readonly answer: FhirAnswer };

export type EhrSearch = (
  order: {
    readonly type: ResourceType;
    readonly parameters: Readonly<Record<string, string | readonly string[]>>;
    readonly maxResources: number;
  },
  signal: AbortSignal,
) => Promise<SearchResult>;

type Parts = {
  readonly site: string;
  readonly reads: FhirClient<FhirAnswer>;
  readonly monotonicMs: () => number;
};

const MAX_PAGES = 50;
const PAGE_SIZE = 100;
/** Each page has a deadline of its own; after this, no further one is begun. */
const MAX_PAGING_MS = 60_000;
/** All pages together are held at once; after this, no further one is begun. */
const MAX_BYTES = 64 * 1024 * 1024;

export function makeEhrSearch({ site, reads, monotonicMs }: Parts): EhrSearch {
  return async ({ type, parameters, maxResources }, signal) => {
    const found = new Map<string, Resource & JsonObject>();
    const seenLinks = new Set<string>();
    const endMs = monotonicMs() + MAX_PAGING_MS;
    const counted = { _count: String(Math.min(PAGE_SIZE, Math.max(1, maxResources))), ...parameters };
    let [shown, sizeBytes, hasGaps] = [0, 0, false];
    let answer = await reads.search({ type, parameters: counted }, signal);
    for (let page = 1; ; page += 1) {
      if (answer.status >= 300) {
        // The first page says if it can be searched like this; a later one only where it ends.
        return page === 1 ? { kind: 'refused', answer } : answered(found, maxResources, false);
      }
      const bundle = bundleOf(answer, { site, type });
      for (const resource of matchesIn(bundle, { site, type })) found.set(String(resource.id), resource);
      shown += objectsAt(bundle, 'entry').length;
      sizeBytes += answer.sizeBytes ?? 0;
      hasGaps ||= leavesGaps(bundle);
      const link = nextLink(bundle);
      if (link === undefined) return answered(found, maxResources, !hasGaps && shown >= totalOf(bundle));
      const next = link === '' ? undefined : pageUrl(link, type, reads.baseUrl);
      const isEnough =
        found.size >= maxResources || page >= MAX_PAGES || sizeBytes >= MAX_BYTES || monotonicMs() > endMs;
      // A link that was there before leads round in a circle.
      if (isEnough || !next || seenLinks.has(next) || !isSameOrigin(next, reads.baseUrl))
        return answered(found, maxResources, false);
      seenLinks.add(next);
      answer = await reads.page(next, type, signal);
    }
  };
}

function answered(
  found: ReadonlyMap<string, Resource & JsonObject>,
  maxResources: number,
  isComplete: boolean,
): SearchResult {
  const resources = [...found.values()].slice(0, maxResources);
  return { kind: 'found', resources, isComplete: isComplete && found.size <= maxResources };
}

type About = { readonly site: string; readonly type: ResourceType };

function bundleOf(answer: FhirAnswer, { site, type }: About): JsonObject {
  const bundle = jsonOf(answer);
  if (bundle && textAt(bundle, 'resourceType') === 'Bundle') return bundle;
  const why = answer.body.kind === 'unreadable' ? answer.body.why : 'it is no Bundle';
  throw unreadable({ site, what: type }, why);
}

/** What is included besides is left out, also where it is of the same type. One without an id could never be told from another. */
function matchesIn(bundle: JsonObject, { site, type }: About): readonly (Resource & JsonObject)[] {
  return objectsAt(bundle, 'entry').flatMap((entry) => {
    const { resource } = entry;
    const mode = textAt(objectAt(entry, 'search'), 'mode') ?? 'match';
    if (mode !== 'match' || !isResource(resource) || resource.resourceType !== type) return [];
    if (fromResource(resource, type) === undefined) throw unreadable({ site, what: type }, 'a resource has no id');
    return [resource];
  });
}

/**
 * What cannot be read on a page may be the one thing that was looked for: a denial, or what was written before. Errors, and what the
 * server says that it keeps back, come as an OperationOutcome among the results.
 */
function leavesGaps(bundle: JsonObject): boolean {
  const { entry = [], type = 'searchset' } = bundle;
  if (type !== 'searchset' || !Array.isArray(entry)) return true;
  const entries = objectsAt(bundle, 'entry');
  return entries.length < entry.length || entries.some(({ resource }) => !isResource(resource) || keepsBack(resource));
}

function keepsBack(resource: JsonObject): boolean {
  if (resource['resourceType'] !== 'OperationOutcome') return false;
  return objectsAt(resource, 'issue').some(
    ({ severity, code }) =>
      severity === 'error' || severity === 'fatal' || code === 'incomplete' || code === 'suppressed',
  );
}

/** What the server says it has found; most do not say. */
function totalOf({ total }: JsonObject): number {
  return typeof total === 'number' ? total : 0;
}

/** Undefined: it is the last page. Empty: there is another one, and nobody can tell where. */
function nextLink(bundle: JsonObject): string | undefined {
  const { link = [] } = bundle;
  if (!Array.isArray(link)) return '';
  const next = objectsAt(bundle, 'link').find(({ relation }) => relation === 'next');
  return next && (textAt(next, 'url') ?? '');
}

/** A link that the server gave may be relative to the search that it came from. */
function pageUrl(link: string, type: string, baseUrl: string): string | undefined {
  return URL.parse(link, `${baseUrl.replace(/\/+$/, '')}/${type}`)?.href;
}

/** Behind a wrongly set up gateway a server names itself by another address; that is not called. */
function isSameOrigin(url: string, baseUrl: string): boolean {
  return URL.parse(url)?.origin === URL.parse(baseUrl)?.origin;
}
