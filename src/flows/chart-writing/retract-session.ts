// Takes back one session: the encounter was cancelled, or a person wants it out of the chart.
import type { Revision, WriteOutcome, WritePlace } from '../../domain/chart/chart-write.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { bindEhr } from './bind-ehr.ts';
import { holdLease } from './hold-lease.ts';
import { retractPlace } from './retract-place.ts';
import type { WriteChartParts } from './write-chart.ts';
import { retractedOutcome } from './write-outcome.ts';

type RetractOrder = {
  readonly site: LoadedSite;
  readonly place: WritePlace;
  readonly reason: string;
  readonly run: Revision['run'];
};

/** Throws what a later call may mend, as `WriteChart`. */
export type RetractSession = (order: RetractOrder, signal: AbortSignal) => Promise<WriteOutcome>;

export function makeRetractSession(parts: Omit<WriteChartParts, 'check' | 'askPermission'>): RetractSession {
  return async ({ site, place, reason, run }, signal) => {
    const last = (await parts.ledger.read(place)).at(-1);
    if (last === undefined) return retractedOutcome(undefined, []);
    const other = await bindEhr(parts.ledger, site);
    if (other !== undefined) return other;
    const settleParts = { ...parts, ehr: parts.ehrs.of(site) };
    const name = `${site.name}/${last.patient}`;
    return holdLease(
      { ...parts, name },
      (lease) => retractPlace(settleParts, { site, lease, place, reason, run }, signal),
      signal,
    );
  };
}
