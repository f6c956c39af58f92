// The FHIR types that a site writes. They are found by making its documents of an invented visit, because a mapping may make any type.
import type { ResourceType } from '@medplum/fhirtypes';
import { testDrafts } from '../../domain/chart/test-visit.ts';
import { MappingError } from '../../domain/mapping/mapping.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { mapDocuments } from '../chart-writing/map-documents.ts';

export type SiteTypes = {
  /** The documents by type, in the order in which they are made. */
  readonly documentsByType: ReadonlyMap<ResourceType, readonly string[]>;
  /** Why the documents could not be made, naming files and no values. */
  readonly problem?: string;
};

/** Maps a draft and an approved visit, because a site may write some documents only after approval. */
export function findSiteTypes(site: LoadedSite): SiteTypes {
  const documentsByType = new Map<ResourceType, string[]>();
  let problem: string | undefined;
  for (const facts of testDrafts()) {
    try {
      for (const { document, resource } of mapDocuments({ site, facts }).documents) {
        const names = documentsByType.get(resource.resourceType) ?? [];
        if (!names.includes(document)) documentsByType.set(resource.resourceType, [...names, document]);
      }
    } catch (thrown) {
      if (!(thrown instanceof MappingError)) throw thrown;
      problem ??= thrown.message;
    }
  }
  return { documentsByType, ...(problem !== undefined && { problem }) };
}
