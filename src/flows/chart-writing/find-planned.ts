// Looks for the new resources of a planned revision right before it is frozen: they should not be in the chart.
import { summarizeSession } from '../../domain/chart/existing-documents.ts';
import type { EhrReads } from '../../ports/ehr.ts';
import { type FoundBefore, findWrites } from './find-writes.ts';
import type { ChartWork, WriteState } from './write-states.ts';

/** Undefined: it is looked for later, because too little is known of the EHR at this moment, or nothing is new. */
export async function findPlanned(
  { parts, patient, place }: ChartWork,
  { writes, learned, revisions, devices = [] }: WriteState<'freezingRevision'>,
  reads: EhrReads,
  signal: AbortSignal,
): Promise<FoundBefore | undefined> {
  const creates = writes.filter(({ action }) => action === 'create');
  if (learned === undefined || creates.length === 0) return undefined;
  const known = [revisions, devices].flatMap((each) => [...summarizeSession(each).documents.values()]);
  const isReplaced = (urn: string) => creates.some(({ fullUrl }) => fullUrl === urn);
  const references = new Map(
    known.flatMap(({ fullUrl, reference }) => (isReplaced(fullUrl) ? [] : [[fullUrl, reference] as const])),
  );
  const atMs = parts.runtime.monotonicMs();
  const order = { patient, encounter: place.encounter, writes: creates, facts: learned, references };
  const found = await findWrites(reads, { ...order, wasNeverSent: () => true }, signal);
  return { found, atMs };
}
