// Follows the links of merged patient records.
import type { Patient, Resource } from '@medplum/fhirtypes';
import { literalOf } from '../../domain/chart/existing-resource.ts';

/** Undefined: the resource could not be read. */
export type ReadLinked = (
  reference: string,
) => Promise<{ readonly stored: { readonly resource: Resource } | undefined } | undefined>;

/** A patient may be merged into one that is merged again. */
const MAX_MERGES = 5;

/** Whether the patient was merged into the survivor; either of the two may have the link. Undefined: a record could not be read. */
export async function isMergedInto(read: ReadLinked, patient: string, survivor: string): Promise<boolean | undefined> {
  const kept = await read(survivor);
  if (kept === undefined) return undefined;
  if (linksOf(kept.stored?.resource, 'replaces').includes(patient)) return true;
  let current = patient;
  for (let merges = 0; merges < MAX_MERGES; merges += 1) {
    const gone = await read(current);
    if (gone === undefined) return undefined;
    const into = linksOf(gone.stored?.resource, 'replaced-by');
    if (into.includes(survivor)) return true;
    const [next] = into;
    if (next === undefined) return false;
    current = next;
  }
  return false;
}

function linksOf(resource: Resource | undefined, type: 'replaces' | 'replaced-by'): readonly string[] {
  if (resource?.resourceType !== 'Patient') return [];
  const { link = [] }: Patient = resource;
  return link.filter((one) => one.type === type).flatMap((one) => literalOf(one.other) ?? []);
}
