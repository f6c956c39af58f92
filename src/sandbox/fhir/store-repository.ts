// Adapts the sandbox's store to @medplum/fhir-router. Each request has its own instance with the author of its writes.
import { randomUUID } from 'node:crypto';
import {
  badRequest,
  gone,
  isOperationOutcome,
  notFound,
  OperationOutcomeError,
  preconditionFailed,
  type SearchRequest,
  type WithId,
} from '@medplum/core';
import {
  type CreateResourceOptions,
  type DeleteResourceOptions,
  FhirRepository,
  type UpdateResourceOptions,
} from '@medplum/fhir-router';
import type { Bundle, OperationOutcome, Reference, Resource } from '@medplum/fhirtypes';
import { refusalOfResource } from './check-resource.ts';
import { RESOURCE_TYPES } from './resource-types.ts';
import { localReference } from './resource-values.ts';
import type { VersionedStore } from './sandbox-store.ts';
import { searchStore } from './search-store.ts';
import type { StoredResource } from './store-records.ts';

type RepositoryParts = { readonly store: VersionedStore; readonly author: string };

/** @medplum/core has no outcome for 405; the server recognises it by this id. */
export const NOT_ALLOWED_ID = 'not-allowed';

export class StoreRepository extends FhirRepository {
  readonly #store: VersionedStore;
  readonly #author: string;

  constructor({ store, author }: RepositoryParts) {
    super();
    this.#store = store;
    this.#author = author;
  }

  override setMode(): void {}

  override generateId(): string {
    return randomUUID();
  }

  override async createResource<T extends Resource>(resource: T, options?: CreateResourceOptions): Promise<WithId<T>> {
    mustBeTakeable(resource);
    const id = options?.assignedId && resource.id ? resource.id : this.generateId();
    return asTyped<T>(this.#store.write({ ...resource, id }, { method: 'POST', author: this.#author }));
  }

  override async readResource<T extends Resource>(type: string, id: string): Promise<WithId<T>> {
    return asTyped<T>(this.#existing(type, id));
  }

  override async readReference<T extends Resource>({ reference }: Reference<T>): Promise<WithId<T>> {
    const [type = '', id = ''] = (localReference(reference) ?? '').split('/');
    return this.readResource(type, id);
  }

  override async readReferences<T extends Resource>(references: readonly Reference<T>[]): Promise<(T | Error)[]> {
    const isOutcome = (error: unknown): error is OperationOutcomeError =>
      error instanceof OperationOutcomeError && isOperationOutcome(error.outcome);
    return Promise.all(
      references.map((reference) =>
        this.readReference<T>(reference).catch((error: unknown) => {
          if (isOutcome(error)) return error;
          throw error;
        }),
      ),
    );
  }

  override async readHistory<T extends Resource>(type: string, id: string): Promise<Bundle<WithId<T>>> {
    const versions = this.#store.versions(type, id);
    if (versions.length === 0) throw new OperationOutcomeError(notFound);
    return {
      resourceType: 'Bundle',
      type: 'history',
      entry: versions.toReversed().map(({ method, versionId, lastUpdated, resource }) => ({
        ...(resource && { resource: asTyped<T>(resource) }),
        request: { method, url: method === 'POST' ? type : `${type}/${id}` },
        response: { status: method === 'POST' ? '201' : '200', etag: `W/"${versionId}"`, lastModified: lastUpdated },
      })),
    };
  }

  override async readVersion<T extends Resource>(type: string, id: string, versionId: string): Promise<WithId<T>> {
    const version = this.#store.versions(type, id).find((one) => one.versionId === versionId);
    if (!version) throw new OperationOutcomeError(notFound);
    if (!version.resource) throw new OperationOutcomeError(gone);
    return asTyped<T>(version.resource);
  }

  override async updateResource<T extends Resource>(
    resource: T,
    { ifMatch }: UpdateResourceOptions = {},
  ): Promise<WithId<T>> {
    mustBeTakeable(resource);
    const { resourceType: type, id = '' } = resource;
    if (this.#store.versions(type, id).length === 0) throw new OperationOutcomeError(updateAsCreateRefused);
    const existing = this.#existing(type, id);
    if (ifMatch !== undefined && existing.meta.versionId !== ifMatch) {
      throw new OperationOutcomeError(preconditionFailed);
    }
    return asTyped<T>(this.#store.write({ ...resource, id }, { method: 'PUT', author: this.#author }));
  }

  override async deleteResource(type: string, id: string, { ifMatch }: DeleteResourceOptions = {}): Promise<void> {
    const existing = this.#existing(type, id);
    if (ifMatch !== undefined && existing.meta.versionId !== ifMatch) {
      throw new OperationOutcomeError(preconditionFailed);
    }
    this.#store.erase(type, id, this.#author);
  }

  override async patchResource<T extends Resource>(): Promise<WithId<T>> {
    throw new OperationOutcomeError(badRequest('Patch is not supported'));
  }

  override async search<T extends Resource>(request: SearchRequest<T>): Promise<Bundle<WithId<T>>> {
    const { matches, included } = searchStore(this.#store, request);
    const entry = [
      ...matches.map((resource) => ({ resource: asTyped<T>(resource), search: { mode: 'match' as const } })),
      ...included.map((resource) => ({ resource: asTyped<T>(resource), search: { mode: 'include' as const } })),
    ];
    return { resourceType: 'Bundle', type: 'searchset', ...(entry.length > 0 && { entry }) };
  }

  override async searchByReference<T extends Resource>(
    request: SearchRequest<T>,
    field: string,
    references: string[],
  ): Promise<Record<string, WithId<T>[]>> {
    const found: Record<string, WithId<T>[]> = {};
    for (const value of references) {
      const filters = [...(request.filters ?? []), { code: field, operator: 'eq' as const, value }];
      found[value] = await this.searchResources({ ...request, filters });
    }
    return found;
  }

  override withTransaction<Result>(callback: (repository: this) => Promise<Result>): Promise<Result> {
    return this.#store.undo.run(() => callback(this));
  }

  #existing(type: string, id: string): StoredResource {
    const versions = this.#store.versions(type, id);
    const resource = versions.at(-1)?.resource;
    if (!resource) throw new OperationOutcomeError(versions.length > 0 ? gone : notFound);
    return resource;
  }
}

const updateAsCreateRefused: OperationOutcome = {
  resourceType: 'OperationOutcome',
  id: NOT_ALLOWED_ID,
  issue: [
    {
      severity: 'error',
      code: 'not-supported',
      details: { text: 'There is no such resource, and ids are chosen by the server' },
    },
  ],
};

function mustBeTakeable(resource: Resource): void {
  const type = String(resource.resourceType);
  if (!RESOURCE_TYPES[type]) throw new OperationOutcomeError(notFound);
  const refusal = refusalOfResource({ ...resource });
  if (refusal) throw new OperationOutcomeError(refusal);
}

/** Resources are JSON; their type is only asserted here. */
function asTyped<T extends Resource>(resource: StoredResource): WithId<T> {
  return resource as unknown as WithId<T>;
}
