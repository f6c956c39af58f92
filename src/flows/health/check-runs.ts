// How the runs are, for /readyz and the metrics: who waits for whom, what needs a person, and how far behind the engine is.

import type { Stores } from '../../composition/make-stores.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Pauses } from '../../ports/feeds.ts';
import type { HealthCheck } from '../../ports/health.ts';
import type { RunCounts, Runs } from '../../ports/runs.ts';
import type { Services } from '../run-steps/services.ts';

type HealthParts = {
  readonly runs: Pick<Runs, 'counts'>;
  readonly pauses: Pick<Pauses, 'current'>;
  readonly services: Pick<Services, 'stopped'>;
};

/** Always answers. What waits or needs a person keeps the engine from nothing. */
export function makeCheckRuns({ runs, pauses, services }: HealthParts): HealthCheck {
  return async () => {
    const known = await Promise.all([runs.counts(), pauses.current()]).catch(() => undefined);
    if (known === undefined) {
      return { name: 'runs', status: 'degraded', detail: 'The runs cannot be looked up now.' };
    }
    const [counts, paused] = known;
    const sites = [...new Set(paused.map(({ site }) => site))];
    const parked = counts.byStatus.get('parked') ?? 0;
    const stopped = services.stopped();
    const said = [
      ...(stopped.length > 0 ? [`not available: ${stopped.join(', ')}`] : []),
      ...(sites.length > 0 ? [`paused: ${sites.join(', ')}`] : []),
      ...(parked > 0 ? [`${parked} parked: npm run cli -- runs list --status parked`] : []),
    ];
    if (said.length === 0) return { name: 'runs', status: 'ok', detail: describe(counts) };
    return { name: 'runs', status: 'degraded', detail: `${said.join('; ')}.` };
  };
}

function describe({ byStatus }: RunCounts): string {
  const [queued, running, waiting] = [byStatus.get('queued'), byStatus.get('running'), byStatus.get('waiting')];
  return `${running ?? 0} running, ${queued ?? 0} queued, ${waiting ?? 0} waiting.`;
}

export function watchRuns(
  metrics: Pick<Metrics, 'watchEach'>,
  { runs, outbox }: Pick<Stores, 'runs' | 'outbox'>,
): void {
  const each = (name: string, help: string, label: string, read: () => Promise<ReadonlyMap<string, number>>) =>
    metrics.watchEach({ name, help, label, read });
  each('chartwright_runs', 'Runs by status', 'status', async () => (await runs.counts()).byStatus);
  each('chartwright_runs_waiting', 'Runs that wait, by what for', 'reason', async () => (await runs.counts()).waiting);
  each(
    'chartwright_runs_parked',
    'Runs that need a person, by reason',
    'reason',
    async () => (await runs.counts()).parked,
  );
  each('chartwright_outbox', 'Outcome events by what became of them', 'end', () => outbox.counts());
  each('chartwright_runs_lag_seconds', 'How long the oldest run waits for its turn', 'of', async () => {
    const { oldestQueuedAt } = await runs.counts();
    const seconds = oldestQueuedAt === undefined ? 0 : Math.max(0, (Date.now() - oldestQueuedAt.getTime()) / 1000);
    return new Map([['oldest', seconds]]);
  });
}
