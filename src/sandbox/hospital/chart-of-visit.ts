// Collects the chart of one encounter and the persons that it refers to, for people who want to see what was written.
import type { Bundle, BundleEntry, Encounter, Resource } from '@medplum/fhirtypes';
import { referencesIn } from '../fhir/resource-values.ts';

export function chartOfVisit(encounter: Encounter, resources: readonly Resource[]): Bundle {
  const byReference = new Map(resources.map((resource) => [`${resource.resourceType}/${resource.id}`, resource]));
  const named = (resource: Resource): readonly string[] => referencesIn({ ...resource });
  const own = resources.filter((resource) => named(resource).includes(`Encounter/${encounter.id}`));
  const written = new Set(own.map((resource) => `${resource.resourceType}/${resource.id}`));
  // A Provenance refers to the documents and not to the encounter.
  const about = resources.filter(
    (resource) => resource.resourceType === 'Provenance' && named(resource).some((reference) => written.has(reference)),
  );
  const mine: readonly Resource[] = [encounter, ...own, ...about];
  const others = new Set(mine.flatMap(named));
  const chart = [...mine, ...[...others].flatMap((reference) => byReference.get(reference) ?? [])];
  const unique = new Map(chart.map((resource) => [`${resource.resourceType}/${resource.id}`, resource]));
  const entry = [...unique.values()].map((resource): BundleEntry => ({ resource }));
  return { resourceType: 'Bundle', type: 'collection', entry };
}
