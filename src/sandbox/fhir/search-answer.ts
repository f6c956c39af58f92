// The Bundle of one page of search results: full addresses and links, and a total only if it was requested.
import { parseSearchRequest } from '@medplum/core';
import type { Bundle, BundleEntry, ResourceType } from '@medplum/fhirtypes';
import type { VersionedStore } from './sandbox-store.ts';
import { pageSize, searchStore } from './search-store.ts';

type SearchAnswerParts = {
  readonly type: string;
  readonly query: string;
  readonly baseUrl: string;
  readonly store: VersionedStore;
};

export function searchAnswer(found: Bundle, { type, query, baseUrl, store }: SearchAnswerParts): Bundle {
  const request = parseSearchRequest(`${type as ResourceType}?${query}`);
  const { total } = searchStore(store, request);
  const end = (request.offset ?? 0) + pageSize(request);
  const link = [{ relation: 'self', url: withQuery(`${baseUrl}/${type}`, query) }];
  if (end < total && pageSize(request) > 0) {
    const next = new URLSearchParams(query);
    next.set('_count', String(pageSize(request)));
    next.set('_offset', String(end));
    next.set('_cursor', request.cursor ?? String(store.newest()));
    link.push({ relation: 'next', url: withQuery(`${baseUrl}/${type}`, next.toString()) });
  }
  const withUrl = (entry: BundleEntry): BundleEntry => ({
    fullUrl: `${baseUrl}/${entry.resource?.resourceType}/${entry.resource?.id}`,
    ...entry,
  });
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    ...(request.total === 'accurate' && { total }),
    link,
    ...(found.entry && { entry: found.entry.map(withUrl) }),
  };
}

function withQuery(url: string, query: string): string {
  return query === '' ? url : `${url}?${query}`;
}
