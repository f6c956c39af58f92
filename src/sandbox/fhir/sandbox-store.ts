// The store of the sandbox's EHR: all versions of all resources and a list of accepted writes, in memory and optionally on disk. Stored resources
// are never changed in place.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Filter } from '@medplum/core';
import type { ExtractResource, Resource, ResourceType } from '@medplum/fhirtypes';
import type { BinaryFiles } from './binary-files.ts';
import { type BinaryBytes, makeBinaryShelf } from './binary-shelf.ts';
import type { ChartsLog } from './charts-log.ts';
import { type Json, localReference, valuesAt } from './resource-values.ts';
import { makeSearchIndex } from './search-index.ts';
import { tokensOf } from './search-match.ts';
import type { StoreChange, StoredResource, StoredWrite, Version, WriteMethod } from './store-records.ts';
import { makeStoredBinaries } from './stored-binaries.ts';
import { makeUndoLog, type UndoLog } from './undo.ts';

export type AcceptedWrite = {
  readonly method: WriteMethod;
  readonly type: string;
  readonly id: string;
  readonly version: string;
  /** The values of its identifiers and tags. */
  readonly identities: readonly string[];
  /** `store` for direct writes by a test or by the sandbox; else the request's `x-sandbox-author`, or `client`. */
  readonly author: string;
};

/** The store for the sandbox and for tests. They get copies, which they may change. */
export type SandboxStore = {
  /** Creates the resource, or a new version of the one with its id. */
  readonly put: <T extends Resource>(resource: T) => T & { readonly id: string };
  readonly remove: (reference: string) => void;
  /** Returns the current version; undefined if it does not exist or was deleted. */
  readonly get: (reference: string) => Resource | undefined;
  /** Returns all current resources of the type, also those entered in error. */
  readonly all: <T extends ResourceType>(type: T) => readonly ExtractResource<T>[];
  /** Returns the number of current resources by type. */
  readonly counts: () => Readonly<Record<string, number>>;
  readonly writes: () => readonly AcceptedWrite[];
  /** Stores a Binary whose bytes are produced at each read, so that a recording of any size is possible. */
  readonly putBinary: (
    id: string,
    contentType: string,
    open: () => AsyncIterable<Uint8Array>,
    sizeBytes: number,
  ) => void;
};

/** The store for the server, without copies. */
export type VersionedStore = {
  readonly versions: (type: string, id: string) => readonly Version[];
  readonly current: (type: string, id: string) => StoredResource | undefined;
  /** Returns resources that may match, in the order of creation; the caller checks them. */
  readonly candidates: (type: string, filters: readonly Filter[]) => readonly StoredResource[];
  /** Returns its number in the order of creation. */
  readonly number: (resource: StoredResource) => number;
  /** Returns the number of the last created resource. */
  readonly newest: () => number;
  /** Makes no new version without a change; new bytes of a Binary count as a change. */
  readonly write: (
    resource: Json & { readonly id: string },
    by: { readonly method: WriteMethod; readonly author: string; readonly hasNewBytes?: boolean },
  ) => StoredResource;
  readonly erase: (type: string, id: string, author: string) => void;
  readonly bytes: (id: string) => BinaryBytes | undefined;
  readonly putBytes: (id: string, bytes: BinaryBytes) => void;
  /** Stores the bytes on disk, if there is one, so that they can be put. */
  readonly storeBytes: (bytes: Uint8Array) => Promise<BinaryBytes>;
  /** Resolves when all bytes are written to disk. */
  readonly flushed: () => Promise<void>;
  /** Deletes everything without calling the listeners. */
  readonly clear: () => void;
  readonly undo: UndoLog;
  /** The listener is called for committed changes only, not for resources that were read from disk. */
  readonly onChange: (listener: (change: StoreChange) => void) => void;
  readonly outside: SandboxStore;
};

export type StoreDisk = { readonly log: ChartsLog; readonly files: BinaryFiles };

export type StoreParts = { readonly now: () => Date; readonly disk?: StoreDisk | undefined };

export function openVersionedStore({ now, disk: keeper }: StoreParts): VersionedStore {
  const types = new Map<string, Map<string, Version[]>>();
  const index = makeSearchIndex();
  const writes: AcceptedWrite[] = [];
  const undo = makeUndoLog((records) => keeper?.log.append(records));
  const listeners: ((change: StoreChange) => void)[] = [];
  const shelf = makeBinaryShelf(undo);
  const binaries = makeStoredBinaries(keeper?.files);
  /** The creation number of each resource. */
  const numbers = new Map<string, number>();

  const versionsOf = (type: string, id: string) => types.get(type)?.get(id) ?? [];
  const current = (type: string, id: string) => versionsOf(type, id).at(-1)?.resource;

  /** Stores a version in memory. Returns the version before and a function that undoes the change. */
  const place = (stored: StoredWrite) => {
    const { type, id, version } = stored;
    const name = `${type}/${id}`;
    const ofType = types.get(type) ?? new Map<string, Version[]>();
    types.set(type, ofType);
    const versions = ofType.get(id) ?? [];
    const before = versions.at(-1)?.resource;
    ofType.set(id, [...versions, version]);
    numbers.set(name, numbers.get(name) ?? numbers.size + 1);
    if (before) index.remove(before);
    if (version.resource) index.add(version.resource);
    const write = acceptedWrite(stored, before);
    writes.push(write);
    const undoChange = () => {
      if (version.resource) index.remove(version.resource);
      if (before) index.add(before);
      if (versions.length > 0) ofType.set(id, versions);
      else {
        ofType.delete(id);
        numbers.delete(name);
      }
      writes.splice(writes.indexOf(write), 1);
    };
    return { before, undoChange };
  };

  const addVersion = (stored: StoredWrite): void => {
    undo.note({ write: stored });
    const { before, undoChange } = place(stored);
    undo.remember(undoChange);
    const { type, id, version } = stored;
    undo.afterwards(() => {
      for (const tell of listeners) tell({ type, id, before, after: version.resource });
    });
  };

  const nextVersion = (type: string, id: string) => ({
    versionId: String(versionsOf(type, id).length + 1),
    lastUpdated: now().toISOString(),
  });

  const write: VersionedStore['write'] = (given, { method, author, hasNewBytes = false }) => {
    const type = String(given['resourceType']);
    const before = current(type, given.id);
    if (before && !hasNewBytes && isDeepStrictEqual(withoutVersion(before), withoutVersion(given))) return before;
    const stamp = nextVersion(type, given.id);
    const meta = { ...(withoutVersion(given)['meta'] as Json), ...stamp };
    const resource = { ...given, resourceType: type, meta };
    addVersion({ type, id: given.id, version: { ...stamp, method, resource }, author });
    return resource;
  };

  const erase: VersionedStore['erase'] = (type, id, author) => {
    const version = { ...nextVersion(type, id), method: 'DELETE' } as const;
    if (current(type, id)) addVersion({ type, id, version, author });
  };

  const number: VersionedStore['number'] = ({ resourceType, id }) => numbers.get(`${resourceType}/${id}`) ?? 0;

  const candidates: VersionedStore['candidates'] = (type, filters) => {
    const ids = index.idsFor(type, filters);
    const found = [...(ids ?? types.get(type)?.keys() ?? [])].flatMap((id) => current(type, id) ?? []);
    return ids ? found.toSorted((one, other) => number(one) - number(other)) : found;
  };

  const load = ({ log, files }: StoreDisk): void => {
    const lost = new Set<string>();
    for (const record of log.records) {
      if ('write' in record) place(record.write);
      if (!('bytes' in record)) continue;
      const { id } = record.bytes;
      const bytes = files.of(record.bytes);
      shelf.load(id, bytes);
      if (bytes) lost.delete(id);
      else lost.add(id);
    }
    for (const id of lost) erase('Binary', id, 'server');
    files.sweep(shelf.files());
  };
  if (keeper) load(keeper);

  const putLater = (id: string, bytes: BinaryBytes) => shelf.put(id, binaries.storeLater(bytes));
  const outside = makeOutside({ types, write, erase, current, writes, putBytes: putLater });
  return {
    versions: versionsOf,
    current,
    candidates,
    number,
    newest: () => numbers.size,
    write,
    erase,
    bytes: shelf.get,
    putBytes: shelf.put,
    storeBytes: binaries.store,
    flushed: binaries.flushed,
    clear: () => {
      for (const one of [types, numbers, index, shelf]) one.clear();
      writes.length = 0;
      keeper?.log.clear();
      keeper?.files.sweep(new Set());
    },
    undo,
    onChange: (listener) => void listeners.push(listener),
    outside,
  };
}

type OutsideParts = Pick<VersionedStore, 'write' | 'erase' | 'current' | 'putBytes'> & {
  readonly types: ReadonlyMap<string, ReadonlyMap<string, readonly Version[]>>;
  readonly writes: readonly AcceptedWrite[];
};

function makeOutside({ types, write, erase, current, writes, putBytes }: OutsideParts): SandboxStore {
  const author = 'store';
  const currentOf = (type: string) =>
    [...(types.get(type)?.values() ?? [])].flatMap((versions) => versions.at(-1)?.resource ?? []);
  return {
    put: <T extends Resource>(resource: T) => {
      const copy = structuredClone(resource);
      const id = copy.id ?? randomUUID();
      const method = current(copy.resourceType, id) ? 'PUT' : 'POST';
      return structuredClone(write({ ...copy, id }, { method, author })) as unknown as T & { readonly id: string };
    },
    remove: (reference) => {
      const [type = '', id = ''] = (localReference(reference) ?? '').split('/');
      erase(type, id, author);
    },
    get: (reference) => {
      const [type = '', id = ''] = (localReference(reference) ?? '').split('/');
      return structuredClone(current(type, id)) as Resource | undefined;
    },
    all: <T extends ResourceType>(type: T) => structuredClone(currentOf(type)) as unknown as ExtractResource<T>[],
    counts: () => {
      const counted = [...types.keys()].map((type) => [type, currentOf(type).length] as const);
      return Object.fromEntries(counted.filter(([, count]) => count > 0));
    },
    writes: () => [...writes],
    putBinary: (id, contentType, open, sizeBytes) => {
      // The bytes are stored first, so that the resource is never without them.
      putBytes(id, { open, sizeBytes });
      write({ resourceType: 'Binary', id, contentType }, { method: 'POST', author });
    },
  };
}

/** Leaves out version and time, which do not count as content. */
function withoutVersion(resource: Json): Json {
  const { versionId: _, lastUpdated: __, ...meta } = (resource['meta'] ?? {}) as Json;
  return { ...resource, meta };
}

function acceptedWrite({ type, id, version, author }: StoredWrite, before: Json | undefined): AcceptedWrite {
  const { method, versionId, resource } = version;
  return { method, type, id, version: versionId, identities: identitiesOf(resource ?? before), author };
}

function identitiesOf(resource: Json | undefined): readonly string[] {
  return ['identifier', 'meta.tag']
    .flatMap((path) => valuesAt(resource, path))
    .flatMap(tokensOf)
    .map(({ code }) => code);
}
