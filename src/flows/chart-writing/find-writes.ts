// Looks for resources by the identities that the engine gave them: for those of one revision at once, one search for each type.
import type { ResourceType } from '@medplum/fhirtypes';
import type { PlannedWrite } from '../../domain/chart/chart-write.ts';
import { type EhrFact, factNamed } from '../../domain/chart/ehr-capabilities.ts';
import { literalOf } from '../../domain/chart/existing-resource.ts';
import type { ReferenceMap } from '../../domain/chart/frozen-body.ts';
import { settleAll } from '../../domain/settle-all.ts';
import type { EhrReads, StoredResource } from '../../ports/ehr.ts';

/** By type, then by the identity's value; undefined: this EHR cannot search for that type. */
export type FoundWrites = ReadonlyMap<ResourceType, ReadonlyMap<string, readonly StoredResource[]> | undefined>;

/** What was found of writes that had never been sent, at that time of the monotonic clock. */
export type FoundBefore = { readonly found: FoundWrites; readonly atMs: number };

export type WritesToFind = {
  /** `Patient/1`, and the encounter's id; empty for a Device. */
  readonly patient: string;
  readonly encounter: string;
  readonly writes: readonly PlannedWrite[];
  readonly wasNeverSent: (write: PlannedWrite) => boolean;
  readonly facts: readonly EhrFact[];
  /** By urn: the documents that are known to be in the chart. */
  readonly references: ReferenceMap;
};

export async function findWrites(reads: EhrReads, order: WritesToFind, signal: AbortSignal): Promise<FoundWrites> {
  const byType = [...Map.groupBy(order.writes, ({ type }) => type)];
  const found = byType.map(async ([type, writes]) => {
    return [type, await findOfType(reads, type, { ...order, writes }, signal)] as const;
  });
  return new Map(await settleAll(found));
}

async function findOfType(reads: EhrReads, type: ResourceType, order: WritesToFind, signal: AbortSignal) {
  const { patient, encounter, writes, wasNeverSent, facts, references } = order;
  if (factNamed(facts, `names:${type}`) === 'lost') return undefined;
  const answer = await reads.find(
    {
      type,
      identities: writes.map(({ identity }) => identity),
      ...(patient !== '' && { patient }),
      ...(encounter !== '' && { encounter: `Encounter/${encounter}` }),
      ...(type === 'Provenance' && { target: writes.flatMap((write) => knownTargets(references, write))[0] }),
      wasNeverSent: writes.every(wasNeverSent),
    },
    signal,
  );
  return answer.canFind ? answer.found : undefined;
}

/** The targets of a Provenance that are known to be in the chart. */
export function knownTargets(references: ReferenceMap, { body }: Pick<PlannedWrite, 'body'>): readonly string[] {
  const { target } = JSON.parse(body);
  return (Array.isArray(target) ? target : []).flatMap((each) => {
    const literal = literalOf({ reference: references.get(each?.reference) ?? each?.reference });
    return literal === undefined ? [] : [literal];
  });
}
