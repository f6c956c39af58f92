// An index of resources by identifier, tag and reference, so that a search among thousands reads only a few.
import type { Filter } from '@medplum/core';
import { searchParametersOf } from './resource-types.ts';
import { type Json, localReference, referencesIn, valuesAt } from './resource-values.ts';
import { splitValues, tokensOf } from './search-match.ts';

export type SearchIndex = {
  readonly add: (resource: Json) => void;
  readonly remove: (resource: Json) => void;
  readonly clear: () => void;
  /** Returns the ids that may match; undefined if all may match. */
  readonly idsFor: (type: string, filters: readonly Filter[]) => ReadonlySet<string> | undefined;
};

export function makeSearchIndex(): SearchIndex {
  const idsByKey = new Map<string, Set<string>>();
  const idsOf = (key: string): Set<string> => {
    const ids = idsByKey.get(key) ?? new Set();
    idsByKey.set(key, ids);
    return ids;
  };
  return {
    add: (resource) => {
      for (const key of keysOf(resource)) idsOf(key).add(String(resource['id']));
    },
    remove: (resource) => {
      for (const key of keysOf(resource)) {
        const ids = idsOf(key);
        ids.delete(String(resource['id']));
        if (ids.size === 0) idsByKey.delete(key);
      }
    },
    clear: () => idsByKey.clear(),
    idsFor: (type, filters) => {
      let fewest: ReadonlySet<string> | undefined;
      for (const filter of filters) {
        const keys = keysFor(type, filter);
        if (!keys) continue;
        const ids = new Set(keys.flatMap((key) => [...(idsByKey.get(key) ?? [])]));
        if (!fewest || ids.size < fewest.size) fewest = ids;
      }
      return fewest;
    },
  };
}

function keysOf(resource: Json): readonly string[] {
  const type = String(resource['resourceType']);
  const tokens = ['identifier', 'meta.tag'].flatMap((path) => valuesAt(resource, path)).flatMap(tokensOf);
  return [
    `${type} =${String(resource['id'])}`,
    ...tokens.map(({ code }) => `${type} #${code}`),
    ...referencesIn(resource).map((reference) => `${type} @${reference}`),
  ];
}

/** Returns undefined if this condition cannot use the index. */
function keysFor(type: string, { code, operator, value }: Filter): readonly string[] | undefined {
  if (operator !== 'eq') return undefined;
  const wanted = splitValues(value);
  if (code === '_id') return wanted.map((id) => `${type} =${id}`);
  if (code === 'identifier' || code === '_tag') {
    const codes = wanted.map((one) => one.slice(one.indexOf('|') + 1));
    return codes.includes('') ? undefined : codes.map((one) => `${type} #${one}`);
  }
  if (searchParametersOf(type)[code]?.kind !== 'reference') return undefined;
  const references = wanted.map((one) => (one.includes('/') ? localReference(one) : undefined));
  return references.every((one) => one !== undefined) ? references.map((one) => `${type} @${one}`) : undefined;
}
