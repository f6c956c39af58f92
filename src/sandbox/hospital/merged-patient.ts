// Merges a patient's record into another one, which takes over all references.
import type { Patient, Resource } from '@medplum/fhirtypes';
import { isObject, type Json } from '../fhir/resource-values.ts';

export type Merge = {
  /** `Patient/…` */
  readonly survivor: string;
  /** Both records, and all resources that referred to the merged one. */
  readonly changed: readonly Resource[];
};

export function mergedInto(patient: Patient, resources: readonly Resource[]): Merge {
  const gone = `Patient/${patient.id}`;
  const id = `${patient.id}-merged`;
  const survivor = `Patient/${id}`;
  const { link: _, identifier = [], ...person } = patient;
  const renamed = identifier.map((one) => ({ ...one, value: `${one.value}-M` }));
  const others = resources.filter(({ resourceType }) => resourceType !== 'Patient' && resourceType !== 'Provenance');
  const moved = others.filter((resource) => JSON.stringify(resource).includes(`"${gone}"`));
  return {
    survivor,
    changed: [
      { ...person, id, identifier: renamed, link: [{ other: { reference: gone }, type: 'replaces' }] },
      { ...patient, active: false, link: [{ other: { reference: survivor }, type: 'replaced-by' }] },
      ...moved.map((resource) => renameIn(resource, gone, survivor) as Resource),
    ],
  };
}

function renameIn(value: unknown, from: string, to: string): unknown {
  if (Array.isArray(value)) return value.map((one) => renameIn(one, from, to));
  if (!isObject(value)) return value;
  const entries = Object.entries(value as Json).map(([key, inner]) => [
    key,
    key === 'reference' && inner === from ? to : renameIn(inner, from, to),
  ]);
  return Object.fromEntries(entries);
}
