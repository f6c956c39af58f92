// Retracts one session: the encounter was cancelled, or a person wants it out of the chart.
import type { WriteOutcome } from '../../domain/chart/chart-write.ts';
import { bindEhr } from './bind-ehr.ts';
import { holdLease } from './hold-lease.ts';
import { type RetractOrder, retractPlace } from './retract-place.ts';
import { retractedOutcome } from './write-outcome.ts';
import type { WriteChartParts } from './write-states.ts';

/** Throws like `WriteChart` if a later call may succeed. */
export type RetractSession = (order: Omit<RetractOrder, 'lease'>, signal: AbortSignal) => Promise<WriteOutcome>;

export function makeRetractSession(parts: Omit<WriteChartParts, 'check' | 'askPermission'>): RetractSession {
  return async (order, signal) => {
    const { site, place } = order;
    const last = (await parts.ledger.read(place)).at(-1);
    if (last === undefined) return retractedOutcome(undefined, []);
    const other = await bindEhr(parts.ledger, site);
    if (other !== undefined) return other;
    const ehr = parts.ehrs.of(site);
    const name = `${site.name}/${last.patient}`;
    return holdLease(
      { ...parts, name },
      (lease) => retractPlace({ ...parts, ehr }, { ...order, lease }, signal),
      signal,
    );
  };
}
