// What an earlier revision may or may not have left in a chart, found out before a new one is planned. Nothing is sent here.
import type { ChartWrite, Revision } from '../../domain/chart/chart-write.ts';
import { AppError } from '../../domain/errors.ts';
import type { Lease } from '../../ports/ledger.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { lookForWrites } from './look-for-writes.ts';
import { changeStanding, ownVersion } from './settle-changes.ts';
import { type Job, type Parked, parked, type SettleParts, settle } from './settle-job.ts';
import { openJob } from './settle-revision.ts';

type DoubtParts = { readonly settleParts: SettleParts; readonly site: LoadedSite; readonly lease: Lease };

/** What a person was asked to look at may be clear by now. */
function isDoubtful({ action, state }: ChartWrite): boolean {
  return state === 'sending' || state === 'stored' || (state === 'ambiguous' && action === 'create');
}

/** Throws `ehrUncertain` where only time can tell. */
export async function settleDoubts(
  { settleParts, site, lease }: DoubtParts,
  revisions: readonly Revision[],
  signal: AbortSignal,
): Promise<Parked | undefined> {
  for (const revision of revisions) {
    const doubtful = revision.writes.filter(isDoubtful);
    if (doubtful.length === 0) continue;
    const order = { site: site.name, lease, revision, references: new Map() };
    // Nothing is sent here, so nothing that guards a sending counts.
    const job: Job = { ...(await openJob(settleParts, order, signal)), rung: 'hold' };
    const creates = doubtful.filter(({ action }) => action === 'create');
    const look = await lookForWrites(job, creates, signal);
    if (look.parked) return look.parked;
    if (look.waitMs > 0) throw uncertain(site.name, look.waitMs);
    await settle(
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

async function settleDoubtfulChange(job: Job, change: ChartWrite, signal: AbortSignal): Promise<Parked | undefined> {
  const { id, target: reference = '', type } = change;
  const now = await job.ehr.read(reference, signal);
  const standing = changeStanding(job, change, now);
  if (standing === 'open') await settle(job, [{ id, state: 'frozen' }]);
  if (standing === 'done') {
    await settle(job, [{ id, state: 'written', reference, ...ownVersion(change, now) }]);
  }
  if (standing !== 'touched') return undefined;
  await settle(job, [{ id, state: 'ambiguous' }]);
  return parked('touched', `a person changed the ${type} while it was being written`, 'Look at it in the EHR.', [
    reference,
  ]);
}

function uncertain(site: string, waitMs: number): AppError {
  const message = `${site}: it is not known yet whether an earlier result is in the chart; it is looked for again`;
  return new AppError('ehrUncertain', message, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
}
