// Reports the health of the runs for /readyz: unavailable services, paused sites and parked runs.

import type { Pauses } from '../../ports/feeds.ts';
import type { HealthCheck } from '../../ports/health.ts';
import type { RunCounts, Runs } from '../../ports/runs.ts';
import type { Services } from '../run-steps/services.ts';

type HealthParts = {
  readonly runs: Pick<Runs, 'counts'>;
  readonly pauses: Pick<Pauses, 'current'>;
  readonly services: Pick<Services, 'unavailable'>;
};

/** Never throws and never reports `down`: waiting and parked runs do not stop the engine. */
export function makeCheckRuns({ runs, pauses, services }: HealthParts): HealthCheck {
  return async () => {
    const found = await Promise.all([runs.counts(), pauses.current()]).catch(() => undefined);
    if (found === undefined) {
      return { name: 'runs', status: 'degraded', detail: 'The runs cannot be looked up now.' };
    }
    const [counts, paused] = found;
    const sites = [...new Set(paused.map(({ site }) => site))];
    const parked = counts.byStatus.get('parked') ?? 0;
    const stopped = services.unavailable();
    const problems = [
      ...(stopped.length > 0 ? [`not available: ${stopped.join(', ')}`] : []),
      ...(sites.length > 0 ? [`paused: ${sites.join(', ')}`] : []),
      ...(parked > 0 ? [`${parked} parked: npm run cli -- runs list --status parked`] : []),
    ];
    // A held run waits for its clinician: it is as the site wants it, and no fault.
    const held = counts.byStatus.get('held') ?? 0;
    const decisions = held > 0 ? [`${held} held for a person to decide: npm run cli -- runs list --status held`] : [];
    if (problems.length === 0) {
      return { name: 'runs', status: 'ok', detail: `${[describe(counts), ...decisions].join('; ')}.` };
    }
    return { name: 'runs', status: 'degraded', detail: `${[...problems, ...decisions].join('; ')}.` };
  };
}

function describe({ byStatus }: RunCounts): string {
  const [queued, running, waiting] = [byStatus.get('queued'), byStatus.get('running'), byStatus.get('waiting')];
  return `${running ?? 0} running, ${queued ?? 0} queued, ${waiting ?? 0} waiting`;
}
