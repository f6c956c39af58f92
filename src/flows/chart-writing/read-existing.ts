// Reads the documents that are in a chart according to the ledger, as the EHR has them now.
import type { ExistingResource } from '../../domain/chart/planned-writes.ts';
import type { Ehr } from '../../ports/ehr.ts';

/** By reference; undefined if the resource is gone. */
export async function readExisting(
  ehr: Ehr,
  documents: readonly { readonly reference: string }[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ExistingResource>> {
  const read = await Promise.all(
    documents.map(async ({ reference }) => [reference, await ehr.read(reference, signal)] as const),
  );
  return new Map(read);
}
