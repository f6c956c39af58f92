// Deletes what has been stored for its retention time, every ten minutes, and parks held runs that were not decided in time.
import type { Recordings } from '../../ports/recordings.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { type Repetition, startRepeating } from './repeat.ts';

type SchedulerParts = {
  readonly runs: Pick<Runs, 'purge'>;
  readonly recordings: Pick<Recordings, 'sweep'>;
  readonly retention: Parameters<Runs['purge']>[0];
  readonly runtime: Pick<Runtime, 'pause' | 'chance'>;
  readonly onExpired: (count: number) => void;
  readonly onDeleted: (count: number) => void;
  readonly onFailed: (thrown: unknown) => void;
};

const EVERY_MS = 600_000;

export function startRetentionScheduler(parts: SchedulerParts): Repetition {
  const { runs, recordings, retention, runtime, onExpired, onDeleted, onFailed } = parts;
  return startRepeating({
    runtime,
    everyMs: EVERY_MS,
    work: async () => {
      await recordings.sweep();
      const { expired, ...purged } = await runs.purge(retention);
      if (expired > 0) onExpired(expired);
      const count = Object.values(purged).reduce((sum, one) => sum + one, 0);
      if (count > 0) onDeleted(count);
    },
    onFailed,
  });
}
