// Brings a frozen revision into the chart: looks for each resource before it is sent, sends the frozen bytes, looks again, and counts.
// What stays open is in the ledger, so that the next try, in any process, continues from there.
import type { Revision } from '../../domain/chart/chart-write.ts';
import { type EhrFact, searchLagOf } from '../../domain/chart/ehr-capabilities.ts';
import { assessStrategies } from '../../domain/chart/write-strategies.ts';
import type { Lease } from '../../ports/ledger.ts';
import type { FoundBefore } from './find-writes.ts';
import { sendChanges } from './send-changes.ts';
import { lookForCreates, sendCreates } from './send-creates.ts';
import { runStates, type StateTable, state } from './state-table.ts';
import {
  type Delivery,
  type DeliveryParts,
  type DeliveryResult,
  type DeliveryState,
  type DeliveryStates,
  noteReference,
  renewStaleLease,
} from './track-delivery.ts';

type ActiveState = Exclude<keyof DeliveryStates, 'ended'>;

/** Beside each state that may follow: when it does. */
export const DELIVERY_STATES = {
  lookingForCreates: state(lookForCreates, {
    lookingForCreates: 'a search may still miss a sent resource',
    sendingCreates: 'some are not in the chart',
    sendingChanges: 'each is in the chart once',
    closingRevision: 'a person must look',
  }),
  sendingCreates: state(sendCreates, {
    lookingForCreates: 'sent, or the EHR was busy',
    closingRevision: 'refused',
  }),
  sendingChanges: state(sendChanges, {
    closingRevision: 'updated and retired one by one, or left to a person',
  }),
  closingRevision: state(closeRevision, { ended: 'done, parked or to be mapped again' }),
} satisfies StateTable<Delivery, DeliveryStates, ActiveState>;

type DeliveryOrder = {
  readonly site: string;
  readonly lease: Lease;
  readonly revision: Revision;
  readonly references: ReadonlyMap<string, string>;
  /** What was learned of this EHR, if it was read just now. */
  readonly facts?: readonly EhrFact[] | undefined;
  /** What was found of its new resources just now, before it was frozen. */
  readonly before?: FoundBefore | undefined;
  /** If it can be brought into the chart, nothing else is done with the lease. */
  readonly isLast?: boolean;
};

/**
 * Throws `ehrUnavailable` and `ehrUncertain` with the time to wait if a later try of the same revision will continue, and `inUse` if
 * another process has taken over.
 */
export async function deliverRevision(
  parts: DeliveryParts,
  order: DeliveryOrder,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const work = await openDelivery(parts, order, signal);
  const first: DeliveryState = { state: 'lookingForCreates', round: 0, looks: 0, before: order.before };
  const end = await runStates<Delivery, DeliveryStates, ActiveState>(DELIVERY_STATES, { work, first }, signal);
  return end.result;
}

async function closeRevision(
  delivery: Delivery,
  { stopped }: DeliveryState<'closingRevision'>,
): Promise<DeliveryState<'ended'>> {
  const { ledger, lease, revision } = delivery;
  const { number, place } = revision;
  await renewStaleLease(delivery);
  if (stopped === undefined) {
    await ledger.close(lease, place, { number, state: 'done', isLast: delivery.isLast });
    const done: Revision = { ...revision, state: 'done', writes: [...delivery.writes.values()] };
    return { state: 'ended', result: { kind: 'done', revision: done } };
  }
  // To be mapped again is not `replaced` yet: the revision that takes its place deals with what was never sent.
  const reason = stopped.kind === 'map-again' ? stopped.kind : stopped.reason;
  await ledger.close(lease, place, { number, state: 'parked', reason });
  return { state: 'ended', result: stopped };
}

/** With what is known of the EHR at this moment. */
export async function openDelivery(
  parts: DeliveryParts,
  { site, lease, revision, references, facts: learned, isLast = false }: DeliveryOrder,
  signal: AbortSignal,
): Promise<Delivery> {
  const capabilities = await parts.ehr.capabilities(signal);
  const facts = [...(learned ?? (await parts.knowledge.recall(site, capabilities.software)))];
  const types = [...new Set(revision.writes.filter(({ action }) => action === 'create').map(({ type }) => type))];
  const strategies = assessStrategies({ capabilities, facts, types });
  const delivery: Delivery = {
    ...parts,
    ...searchLagOf(facts, parts.searchLagMs),
    site,
    lease,
    now: ledgerClock(parts),
    capabilities,
    facts,
    revision,
    writes: new Map(revision.writes.map((write) => [write.id, write])),
    references: new Map(references),
    strategy: strategies.find(({ isUsable }) => isUsable)?.rung ?? 'hold',
    isLast,
    wasBundleRefused: false,
  };
  // A new resource goes by the urn of the one that it replaces: until it is in the chart, that urn means neither of them.
  for (const { action, fullUrl } of revision.writes) if (action === 'create') delivery.references.delete(fullUrl);
  for (const write of revision.writes) noteReference(delivery, write);
  return delivery;
}

/**
 * The ledger is asked at the first call only; from then on this machine's monotonic clock adds the time that has passed. Most revisions
 * never call it, because what they sent is found at once.
 */
function ledgerClock({ ledger, runtime }: DeliveryParts): () => Promise<Date> {
  let answer: { readonly time: Date; readonly atMs: number } | undefined;
  return async () => {
    const nowMs = runtime.monotonicMs();
    answer ??= { time: await ledger.now(), atMs: nowMs };
    return new Date(answer.time.getTime() + runtime.monotonicMs() - answer.atMs);
  };
}
