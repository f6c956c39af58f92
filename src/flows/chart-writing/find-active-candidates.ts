// Finds the mappings of a site that show a candidate as an active condition, by making its documents of an invented visit.
import { isActiveCandidate } from '../../domain/chart/chart-rules.ts';
import { testDrafts } from '../../domain/chart/test-visit.ts';
import { describeProblem, MappingError, type Problem } from '../../domain/mapping/mapping.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { type MappedSet, mapDocuments } from './map-documents.ts';

const MESSAGE =
  'a candidate that is not confirmed has an active clinicalStatus, so that a search for active conditions finds it: remove clinicalStatus, unless the EHR requires it';

/** Each with the line of the mapping. They are warnings, and keep no site from being used. */
export function findActiveCandidates(site: LoadedSite): readonly Problem[] {
  const found = new Map<string, Problem>();
  for (const facts of testDrafts()) {
    for (const { document, resource, lineage = [] } of made(() => mapDocuments({ site, facts, wantsLineage: true }))) {
      if (!isActiveCandidate(resource)) continue;
      const file = site.mappings.get(document)?.file ?? document;
      const line = lineage.find(({ element }) => element.startsWith('clinicalStatus'))?.place;
      const problem = { place: line ?? { file, line: 1, column: 1 }, message: MESSAGE };
      found.set(describeProblem(problem), problem);
    }
  }
  return [...found.values()];
}

/** Mappings that fail are reported by golden tests, probes and runs. */
function made(map: () => MappedSet): MappedSet['documents'] {
  try {
    return map().documents;
  } catch (thrown) {
    if (thrown instanceof MappingError) return [];
    throw thrown;
  }
}
