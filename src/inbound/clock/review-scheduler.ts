// Reads the decisions of clinicians from the EHRs of all live sites every minute. A site that fails delays no other site.
import type { WatchReviews } from '../../flows/reviews/watch-reviews.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import { type Repetition, startRepeating } from './repeat.ts';

type SchedulerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly watchReviews: WatchReviews;
  readonly runtime: Pick<Runtime, 'pause' | 'chance'>;
  readonly onFailed: (site: string, thrown: unknown) => void;
};

const EVERY_MS = 60_000;

export function startReviewScheduler({ sites, watchReviews, runtime, onFailed }: SchedulerParts): Repetition {
  return startRepeating({
    runtime,
    everyMs: EVERY_MS,
    work: async (signal) => {
      for (const site of sites.current().sites.values()) {
        if (site.settings.mode !== 'live') continue;
        await watchReviews({ site }, signal).catch((thrown) => {
          if (!signal.aborted) onFailed(site.name, thrown);
        });
      }
    },
    onFailed: (thrown) => onFailed('all sites', thrown),
  });
}
