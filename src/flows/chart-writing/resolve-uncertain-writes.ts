// What an earlier revision may or may not have left in a chart, found out before a new one is planned. Nothing is sent here.
import type { ChartWrite, Revision } from '../../domain/chart/chart-write.ts';
import { AppError } from '../../domain/errors.ts';
import type { Lease } from '../../ports/ledger.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { openDelivery } from './deliver-revision.ts';
import { lookForWrites } from './look-for-writes.ts';
import { changeStatus, ownVersion } from './send-changes.ts';
import { type Delivery, type DeliveryParts, type Parked, parked, recordResults } from './track-delivery.ts';

type DoubtParts = { readonly settleParts: DeliveryParts; readonly site: LoadedSite; readonly lease: Lease };

/** What a person was asked to look at may be clear by now. */
function isDoubtful({ action, state }: ChartWrite): boolean {
  return state === 'sending' || state === 'stored' || (state === 'ambiguous' && action === 'create');
}

/** Throws `ehrUncertain` where only time can tell. */
export async function resolveUncertainWrites(
  { settleParts, site, lease }: DoubtParts,
  revisions: readonly Revision[],
  signal: AbortSignal,
): Promise<Parked | undefined> {
  for (const revision of revisions) {
    const doubtful = revision.writes.filter(isDoubtful);
    if (doubtful.length === 0) continue;
    const order = { site: site.name, lease, revision, references: new Map() };
    // Nothing is sent here, so nothing that guards a sending counts.
    const job: Delivery = { ...(await openDelivery(settleParts, order, signal)), rung: 'hold' };
    const creates = doubtful.filter(({ action }) => action === 'create');
    const look = await lookForWrites(job, creates, signal);
    if (look.parked) return look.parked;
    if (look.waitMs > 0) throw uncertain(site.name, look.waitMs);
    await recordResults(
      job,
      look.absent.map(({ id, state }) => ({
        id,
        state: state === 'ambiguous' ? ('dropped' as const) : ('frozen' as const),
      })),
    );
    for (const change of doubtful.filter(({ action }) => action !== 'create')) {
      const ended = await settleDoubtfulChange(job, change, signal);
      if (ended) return ended;
    }
  }
  return undefined;
}

async function settleDoubtfulChange(
  job: Delivery,
  change: ChartWrite,
  signal: AbortSignal,
): Promise<Parked | undefined> {
  const { id, target: reference = '', type } = change;
  const now = await job.ehr.read(reference, signal);
  const standing = changeStatus(job, change, now);
  if (standing === 'open') await recordResults(job, [{ id, state: 'frozen' }]);
  if (standing === 'done') {
    await recordResults(job, [{ id, state: 'written', reference, ...ownVersion(change, now) }]);
  }
  if (standing !== 'touched') return undefined;
  await recordResults(job, [{ id, state: 'ambiguous' }]);
  return parked('touched', `a person changed the ${type} while it was being written`, 'Look at it in the EHR.', [
    reference,
  ]);
}

function uncertain(site: string, waitMs: number): AppError {
  const message = `${site}: it is not known yet whether an earlier result is in the chart; it is looked for again`;
  return new AppError('ehrUncertain', message, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
}
