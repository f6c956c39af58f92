// Searches an EHR page by page, bounded in resources and pages. Only resources that match the search are returned.
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
      /** False if there are, or may be, more. */
      readonly isComplete: boolean;
    }
  /** The server does not support this search, or not for this client. */
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
/** Each page has its own deadline; after this time no further page is requested. */
const MAX_PAGING_MS = 60_000;
/** All pages are held in memory; above this size no further page is requested. */
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
        // A refused first page is a refused search; a refused later page only ends the result.
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
      // A repeated link leads in a circle.
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

/** Included resources are left out, even those of the same type. Resources without an id could not be distinguished. */
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
 * An unreadable entry may be the very resource that was searched for. Errors and withheld resources are reported as an OperationOutcome
 * among the results.
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

/** The total that the server reports; most report none. */
function totalOf({ total }: JsonObject): number {
  return typeof total === 'number' ? total : 0;
}

/** Undefined: this is the last page. Empty: there is another page at an unknown address. */
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

/** Behind a misconfigured gateway a server names another address for itself; that one is not called. */
function isSameOrigin(url: string, baseUrl: string): boolean {
  return URL.parse(url)?.origin === URL.parse(baseUrl)?.origin;
}
