// Reads the documents that are in a chart according to the ledger, as the EHR has them now.
import type { ExistingResource } from '../../domain/chart/planned-writes.ts';
import type { Ehr, EhrReads } from '../../ports/ehr.ts';

/** By reference; undefined if the resource is gone. */
export async function readExisting(
  ehr: Ehr,
  documents: readonly { readonly reference: string }[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ExistingResource>> {
  const works = documents.map(({ reference }) => async (reads: EhrReads) => {
    return [reference, await reads.read(reference, signal)] as const;
  });
  return new Map(await ehr.together<readonly (readonly [string, ExistingResource])[]>(works, signal));
}
