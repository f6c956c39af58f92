// Searches the sandbox's store: conditions, order, page and included resources.
import type { Filter, SearchRequest } from '@medplum/core';
import { searchParametersOf } from './resource-types.ts';
import { isObject, localReference, valuesAt } from './resource-values.ts';
import type { VersionedStore } from './sandbox-store.ts';
import { fitsCondition } from './search-match.ts';
import type { StoredResource } from './store-records.ts';

export type FoundResources = {
  /** The requested page. */
  readonly matches: readonly StoredResource[];
  readonly included: readonly StoredResource[];
  readonly total: number;
};

const DEFAULT_PAGE = 20;
const MAX_PAGE = 1000;

export function searchStore(store: VersionedStore, request: SearchRequest): FoundResources {
  const type = request.resourceType;
  const parameters = searchParametersOf(type);
  const filters = (request.filters ?? []).map((filter) => withoutFalsePrefix(type, filter));
  const fits = (resource: StoredResource) =>
    filters.every((filter) => {
      const parameter = parameters[filter.code];
      return parameter !== undefined && fitsCondition(resource, parameter, filter);
    });
  // Later pages leave out resources that were created after the first page.
  const last = request.cursor === undefined ? Number.POSITIVE_INFINITY : Number(request.cursor);
  const isOld = (resource: StoredResource) => store.number(resource) <= last;
  const all = sorted(store.candidates(type, filters).filter(isOld).filter(fits), request);
  const offset = request.offset ?? 0;
  const matches = all.slice(offset, offset + pageSize(request));
  return { matches, included: includedBy(store, matches, request), total: all.length };
}

export function pageSize({ count }: SearchRequest): number {
  return Math.min(count ?? DEFAULT_PAGE, MAX_PAGE);
}

/** Without the type of the parameter, @medplum/core reads `eb4…` as a time before 4…. */
function withoutFalsePrefix(type: string, filter: Filter): Filter {
  const isTime = searchParametersOf(type)[filter.code]?.kind === 'date';
  if (isTime || !PREFIXES.has(filter.operator)) return filter;
  return { ...filter, operator: 'eq', value: `${filter.operator}${filter.value}` };
}

const PREFIXES: ReadonlySet<string> = new Set(['lt', 'le', 'gt', 'ge', 'sa', 'eb', 'ap', 'sw']);

function sorted(resources: readonly StoredResource[], { resourceType, sortRules = [] }: SearchRequest) {
  const parameters = searchParametersOf(resourceType);
  const keyOf = (resource: StoredResource, code: string) =>
    JSON.stringify((parameters[code]?.paths ?? []).flatMap((path) => valuesAt(resource, path)));
  return resources.toSorted((one, other) => {
    for (const { code, descending } of sortRules) {
      const order = keyOf(one, code).localeCompare(keyOf(other, code));
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
}

function includedBy(store: VersionedStore, matches: readonly StoredResource[], request: SearchRequest) {
  const seen = new Set(matches.map(({ resourceType, id }) => `${resourceType}/${id}`));
  const references = (request.include ?? []).flatMap(({ resourceType, searchParam }) => {
    const paths = searchParametersOf(resourceType)[searchParam]?.paths ?? [];
    const from = matches.filter((match) => match.resourceType === resourceType);
    return from.flatMap((match) => paths.flatMap((path) => valuesAt(match, path)));
  });
  return references.flatMap((value) => {
    const reference = isObject(value) ? localReference(value['reference']) : undefined;
    if (reference === undefined || seen.has(reference)) return [];
    seen.add(reference);
    const [type = '', id = ''] = reference.split('/');
    return store.current(type, id) ?? [];
  });
}
