// What a site writes, as types of FHIR: found by making its documents of a made-up visit, since a mapping may make anything.
import type { ResourceType } from '@medplum/fhirtypes';
import { testEncounter, testFacts, testPatient } from '../../domain/chart/test-visit.ts';
import { MappingError } from '../../domain/mapping/mapping.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { mapDocuments } from '../chart-writing/map-documents.ts';

export type SiteTypes = {
  /** By type, the documents that are of it; in the order in which they are made. */
  readonly documentsByType: ReadonlyMap<ResourceType, readonly string[]>;
  /** Why the documents could not be made, naming files and no values. */
  readonly problem?: string;
};

const IDENTITY = { system: 'urn:chartwright:test', value: 'test' };
const TIME = '2026-01-01T00:00:00Z';

/** Of drafts and of what was approved: a site may write only the latter. */
export function findSiteTypes(site: LoadedSite): SiteTypes {
  const patient = { ...testPatient(IDENTITY), id: 'test' };
  const encounter = { ...testEncounter(IDENTITY, 'Patient/test'), id: 'test' };
  const documentsByType = new Map<ResourceType, string[]>();
  let problem: string | undefined;
  const visit = { patient, encounter, session: 'test', run: { id: 'test', time: TIME } };
  for (const signature of [{}, { isSigned: true, reviewer: 'Practitioner/test' }]) {
    const facts = testFacts({ ...visit, ...signature });
    try {
      for (const { document, resource } of mapDocuments({ site, facts }).documents) {
        const known = documentsByType.get(resource.resourceType) ?? [];
        if (!known.includes(document)) documentsByType.set(resource.resourceType, [...known, document]);
      }
    } catch (thrown) {
      if (!(thrown instanceof MappingError)) throw thrown;
      problem ??= thrown.message;
    }
  }
  return { documentsByType, ...(problem !== undefined && { problem }) };
}
