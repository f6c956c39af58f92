// What the sandbox's EHR stores of each resource: its versions, and who wrote them.
import type { Json } from './resource-values.ts';

export type StoredResource = Json & {
  readonly resourceType: string;
  readonly id: string;
  readonly meta: Json & { readonly versionId: string; readonly lastUpdated: string };
};

export type Version = {
  readonly versionId: string;
  readonly lastUpdated: string;
  readonly method: WriteMethod;
  /** Absent: this version is the deletion. */
  readonly resource?: StoredResource;
};

/** One version as it is stored on disk. */
export type StoredWrite = {
  readonly type: string;
  readonly id: string;
  readonly version: Version;
  readonly author: string;
};

export type WriteMethod = 'POST' | 'PUT' | 'DELETE';

/** A new version of a resource. `before` is absent for a new resource, `after` for a deletion. */
export type StoreChange = {
  readonly type: string;
  readonly id: string;
  readonly before?: StoredResource | undefined;
  readonly after?: StoredResource | undefined;
};
