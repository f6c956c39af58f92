// The storage of an EHR: every version of every resource, its author, and the time from which a search sees it.
import type { Resource } from '@medplum/fhirtypes';
import type { Identity } from '../../src/domain/chart/identity.ts';
import type { StoredResource } from '../../src/ports/ehr.ts';

export type StoredVersion = StoredResource & {
  readonly version: string;
  /** The bytes as they arrived: the text of a request, or JSON of what a person stored. */
  readonly sent: string;
  readonly by: 'engine' | 'person';
};

type VersionedResource = { readonly versions: StoredVersion[]; readonly visibleAtMs: number; isRemoved: boolean };

export type FakeStore = {
  /** The current resources, in the order of their creation. */
  readonly all: () => readonly Resource[];
  readonly get: (reference: string) => StoredVersion | undefined;
  /** The oldest version first, also of removed resources. */
  readonly history: (reference: string) => readonly StoredVersion[];
  readonly references: () => readonly string[];
  /** The current resources with this identifier or tag, without search lag. */
  readonly carrying: (identity: Identity) => readonly StoredVersion[];
  /** The resources that a search finds now. */
  readonly visible: () => readonly StoredVersion[];
  /** References of deleted resources. */
  readonly removed: () => readonly string[];
};

export type WritableStore = FakeStore & {
  /** Returns the next reference of that type. */
  readonly reserve: (type: string) => string;
  /** Uses its own id if a person stores it, else the reserved or the next one. */
  readonly add: (resource: Resource, made: Made & { readonly reference?: string }) => StoredVersion;
  readonly change: (reference: string, resource: Resource, made: Made) => StoredVersion;
  readonly remove: (reference: string) => boolean;
};

type Made = { readonly sent: string; readonly by: 'engine' | 'person' };

export function makeStore({
  now,
  searchLagMs,
}: {
  readonly now: () => Date;
  readonly searchLagMs: number;
}): WritableStore {
  const kept = new Map<string, VersionedResource>();
  let count = 0;
  const reserve = (type: string) => {
    count += 1;
    return `${type}/r${count}`;
  };
  const current = () => [...kept.values()].filter(({ isRemoved }) => !isRemoved);
  const newest = ({ versions }: VersionedResource) => versions.at(-1) ?? [];
  const stamped = (reference: string, version: string, resource: Resource): Resource => ({
    ...resource,
    id: reference.slice(reference.indexOf('/') + 1),
    meta: { ...resource.meta, versionId: version, lastUpdated: now().toISOString() },
  });
  const get = (reference: string) => {
    const one = kept.get(reference);
    return one === undefined || one.isRemoved ? undefined : one.versions.at(-1);
  };
  return {
    get,
    all: () =>
      current()
        .flatMap((one) => newest(one))
        .map(({ resource }) => resource),
    history: (reference) => kept.get(reference)?.versions ?? [],
    references: () => [...kept.keys()],
    carrying: (identity) =>
      current()
        .flatMap((one) => newest(one))
        .filter(({ resource }) => carries(resource, identity)),
    visible: () =>
      current()
        .filter(({ visibleAtMs }) => visibleAtMs <= now().getTime())
        .flatMap((one) => newest(one)),
    removed: () => [...kept].filter(([, { isRemoved }]) => isRemoved).map(([reference]) => reference),
    reserve,
    add(resource, made) {
      const ownId = made.by === 'person' ? resource.id : undefined;
      const reference =
        ownId === undefined ? (made.reference ?? reserve(resource.resourceType)) : `${resource.resourceType}/${ownId}`;
      const version = { ...made, reference, version: '1', resource: stamped(reference, '1', resource) };
      const visibleAtMs = now().getTime() + (made.by === 'engine' ? searchLagMs : 0);
      kept.set(reference, { versions: [version], visibleAtMs, isRemoved: false });
      return version;
    },
    change(reference, resource, made) {
      const one = kept.get(reference);
      if (one === undefined) throw new Error('the test changes what is not there');
      const before = one.versions.at(-1);
      if (before !== undefined && isSame(before.resource, resource)) return before;
      const version = String(one.versions.length + 1);
      const next = { reference, version, resource: stamped(reference, version, resource), ...made };
      one.versions.push(next);
      return next;
    },
    remove(reference) {
      const one = kept.get(reference);
      if (one === undefined || one.isRemoved) return false;
      one.isRemoved = true;
      return true;
    },
  };
}

/** Matches by identifier, or by tag if the type has none. */
export function carries(resource: Resource, { system, value }: Identity): boolean {
  const named = 'identifier' in resource ? [resource.identifier].flat() : [];
  const isNamed = named.some((one) => isIdentifier(one) && one.system === system && one.value === value);
  return isNamed || (resource.meta?.tag ?? []).some((tag) => tag.system === system && tag.code === value);
}

function isIdentifier(value: unknown): value is { readonly system?: string; readonly value?: string } {
  return typeof value === 'object' && value !== null;
}

/** An update that changes nothing makes no version. */
function isSame(stored: Resource, sent: Resource): boolean {
  const plain = (resource: Resource) => {
    const { versionId: _version, lastUpdated: _time, ...meta } = resource.meta ?? {};
    return JSON.stringify(sortKeys({ ...resource, id: undefined, meta }));
  };
  return plain(stored) === plain(sent);
}

/** The order of keys does not count. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const sorted = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, inner]) => [key, sortKeys(inner)]));
}
