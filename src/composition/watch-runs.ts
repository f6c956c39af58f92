// Registers the gauges of runs and outcome events.
import type { Metrics } from '../platform/metrics.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { Stores } from './make-stores.ts';

export function watchRuns(
  metrics: Pick<Metrics, 'watchEach'>,
  { runs, outbox }: Pick<Stores, 'runs' | 'outbox'>,
): void {
  const each = (name: string, help: string, label: string, read: () => Promise<ReadonlyMap<string, number>>) =>
    metrics.watchEach({ name, help, label, read });
  each('chartwright_runs', 'Runs by status', 'status', async () => (await runs.counts()).byStatus);
  each('chartwright_runs_waiting', 'Runs that wait, by reason', 'reason', async () => (await runs.counts()).waiting);
  each(
    'chartwright_runs_parked',
    'Runs that need a person, by reason',
    'reason',
    async () => (await runs.counts()).parked,
  );
  each('chartwright_outbox', 'Outcome events by result', 'end', () => outbox.counts());
  each('chartwright_runs_lag_seconds', 'How long the oldest queued run has waited', 'of', async () => {
    const { oldestQueuedAt } = await runs.counts();
    const seconds =
      oldestQueuedAt === undefined ? 0 : Math.max(0, (systemRuntime.now().getTime() - oldestQueuedAt.getTime()) / 1000);
    return new Map([['oldest', seconds]]);
  });
}
