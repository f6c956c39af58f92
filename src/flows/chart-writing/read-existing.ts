// What stands in a chart now of what the ledger says was written there.
import type { ExistingResource } from '../../domain/chart/planned-writes.ts';
import type { Ehr } from '../../ports/ehr.ts';

/** By reference; undefined where it is gone. */
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
