// Brings a frozen revision into the chart: looks for each resource before it is sent, sends the same bytes, looks again, and counts.
// What it cannot settle now it leaves in the ledger as it is, so that the next try, in whatever process, goes on from there.
import type { Revision } from '../../domain/chart/chart-write.ts';
import type { EhrFact } from '../../domain/chart/ehr-capabilities.ts';
import { assessStrategies } from '../../domain/chart/write-strategies.ts';
import type { Lease } from '../../ports/ledger.ts';
import { sendChanges } from './send-changes.ts';
import { settleCreates } from './send-creates.ts';
import { type Delivery, type DeliveryParts, noteReference, type Parked, renewStaleLease } from './track-delivery.ts';

export type DeliveryResult =
  | { readonly kind: 'done'; readonly revision: Revision }
  /** Types that this EHR does not take after all, or that it takes no drafts: learned already; it is to be mapped again. */
  | { readonly kind: 'map-again' }
  | Parked;

type Order = {
  readonly site: string;
  readonly lease: Lease;
  readonly revision: Revision;
  readonly references: ReadonlyMap<string, string>;
  /** Of this EHR, where it was asked for just now. */
  readonly facts?: readonly EhrFact[] | undefined;
};

/**
 * Throws `ehrUnavailable` and `ehrUncertain` with the time to wait, where a later try of the same revision will go on; `inUse` where
 * somebody else has taken over.
 */
export async function deliverRevision(
  parts: DeliveryParts,
  order: Order,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const job = await openDelivery(parts, order, signal);
  const { ledger, lease, revision } = job;
  const outcome = (await settleCreates(job, signal)) ?? (await sendChanges(job, signal));
  const { number, place } = revision;
  await renewStaleLease(job);
  if (outcome?.kind === 'map-again') {
    // Not `replaced` yet: the revision that takes its place sees to what of this one was never sent.
    await ledger.close(lease, place, { number, state: 'parked', reason: outcome.kind });
    return outcome;
  }
  if (outcome !== undefined) {
    await ledger.close(lease, place, { number, state: 'parked', reason: outcome.reason });
    return outcome;
  }
  await ledger.close(lease, place, { number, state: 'done' });
  return { kind: 'done', revision: { ...revision, state: 'done', writes: [...job.writes.values()] } };
}

/** With what is known of the EHR at this moment. */
export async function openDelivery(
  parts: DeliveryParts,
  { site, lease, revision, references, facts: known }: Order,
  signal: AbortSignal,
): Promise<Delivery> {
  const capabilities = await parts.ehr.capabilities(signal);
  const facts = [...(known ?? (await parts.knowledge.recall(site, capabilities.software)))];
  const types = [...new Set(revision.writes.filter(({ action }) => action === 'create').map(({ type }) => type))];
  const rung = assessStrategies({ capabilities, facts, types }).find(({ isUsable }) => isUsable)?.rung ?? 'hold';
  const writes = new Map(revision.writes.map((write) => [write.id, write]));
  const job: Delivery = {
    ...parts,
    site,
    lease,
    now: ledgerClock(parts),
    capabilities,
    facts,
    revision,
    writes,
    references: new Map(references),
    rung,
    wasBundleRefused: false,
  };
  // What is made anew goes by the urn of what it takes the place of: until it is there, that urn means neither of them.
  for (const { action, fullUrl } of revision.writes) if (action === 'create') job.references.delete(fullUrl);
  for (const write of writes.values()) noteReference(job, write);
  return job;
}

/**
 * Asked when it is needed first, and then carried on by what this machine's clock shows to have passed, whatever time it says it is. Most
 * revisions never need it: what they sent is there.
 */
function ledgerClock({ ledger, runtime }: DeliveryParts): () => Promise<Date> {
  let asked: { readonly time: Date; readonly atMs: number } | undefined;
  return async () => {
    const nowMs = runtime.monotonicMs();
    asked ??= { time: await ledger.now(), atMs: nowMs };
    return new Date(asked.time.getTime() + runtime.monotonicMs() - asked.atMs);
  };
}
