// Writes of earlier revisions that may or may not be in the chart: this is found out before a new revision is planned. Nothing is sent.
import type { ChartWrite, Revision } from '../../domain/chart/chart-write.ts';
import type { Lease } from '../../ports/ledger.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { openDelivery } from './deliver-revision.ts';
import { lookForWrites } from './look-for-writes.ts';
import { changeDone, changeStatus } from './send-changes.ts';
import {
  type Delivery,
  type DeliveryParts,
  notFoundYet,
  type Parked,
  parked,
  recordResults,
} from './track-delivery.ts';
import { parkedOutcome } from './write-outcome.ts';
import { type ChartWork, ended, type WriteState } from './write-states.ts';

export async function resolveBeforeMapping(
  work: ChartWork,
  { revisions }: WriteState<'resolvingUncertainWrites'>,
  signal: AbortSignal,
): Promise<WriteState<'mappingDocuments' | 'ended'>> {
  const unresolved = await resolveUncertainWrites(work, revisions, signal);
  return unresolved ? ended(parkedOutcome(work.site.name, unresolved)) : { state: 'mappingDocuments', revisions };
}

type ResolveParts = { readonly parts: DeliveryParts; readonly site: LoadedSite; readonly lease: Lease };

/** Throws `ehrUncertain` if only time can tell. */
export async function resolveUncertainWrites(
  { parts, site, lease }: ResolveParts,
  revisions: readonly Revision[],
  signal: AbortSignal,
): Promise<Parked | undefined> {
  for (const revision of revisions) {
    const writes = revision.writes.filter(isUncertain);
    if (writes.length === 0) continue;
    const order = { site: site.name, lease, revision, references: new Map() };
    // Nothing is sent, so the guarantees of a strategy do not count.
    const delivery: Delivery = { ...(await openDelivery(parts, order, signal)), strategy: 'hold' };
    const unresolved = await resolve(delivery, writes, signal);
    if (unresolved) return unresolved;
  }
  return undefined;
}

/** A create that a person was asked to look at may be clear by now. */
function isUncertain({ action, state }: ChartWrite): boolean {
  return state === 'sending' || state === 'stored' || (state === 'ambiguous' && action === 'create');
}

async function resolve(
  delivery: Delivery,
  writes: readonly ChartWrite[],
  signal: AbortSignal,
): Promise<Parked | undefined> {
  const creates = writes.filter(({ action }) => action === 'create');
  const look = await lookForWrites(delivery, { writes: creates }, signal);
  if (look.parked) return look.parked;
  if (look.waitMs > 0) throw notFoundYet(delivery, 'an earlier result is in the chart', look.waitMs);
  const absent = look.absent.map(({ id, state }) => {
    return { id, state: state === 'ambiguous' ? ('dropped' as const) : ('frozen' as const) };
  });
  await recordResults(delivery, absent);
  for (const change of writes.filter(({ action }) => action !== 'create')) {
    const unresolved = await resolveChange(delivery, change, signal);
    if (unresolved) return unresolved;
  }
  return undefined;
}

async function resolveChange(delivery: Delivery, change: ChartWrite, signal: AbortSignal): Promise<Parked | undefined> {
  const { id, target: reference = '', type } = change;
  const now = await delivery.ehr.read(reference, signal);
  const status = changeStatus(delivery, change, now);
  if (status === 'open') await recordResults(delivery, [{ id, state: 'frozen' }]);
  if (status === 'done') await recordResults(delivery, [changeDone(change, now)]);
  if (status !== 'touched') return undefined;
  await recordResults(delivery, [{ id, state: 'ambiguous' }]);
  const message = `a person changed the ${type} while it was being written`;
  return parked('touched', message, 'Look at it in the EHR.', [reference]);
}
