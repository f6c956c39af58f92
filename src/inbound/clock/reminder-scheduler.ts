// Looks every minute, site by site, whether people are to be told once more. Every engine does: the store sees to it that only one tells. A
// site that fails keeps no other from being looked at.
import type { RemindPeople } from '../../flows/reviews/send-reminders.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import { type Repetition, startRepeating } from './repeat.ts';

type SchedulerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly remindPeople: RemindPeople;
  readonly runtime: Pick<Runtime, 'pause' | 'chance'>;
  readonly onReminded: (site: string, count: number) => void;
  /** Once for each trouble of a site, until it works again. */
  readonly onFailed: (site: string, thrown: unknown) => void;
};

const EVERY_MS = 60_000;

export function startReminderScheduler({
  sites,
  remindPeople,
  runtime,
  onReminded,
  onFailed,
}: SchedulerParts): Repetition {
  const troubles = new Set<string>();
  const failed = (site: string, thrown: unknown): void => {
    if (!troubles.has(site)) onFailed(site, thrown);
    troubles.add(site);
  };
  return startRepeating({
    runtime,
    everyMs: EVERY_MS,
    work: async (signal) => {
      for (const site of sites.current().sites.values()) {
        try {
          const count = await remindPeople({ site }, signal);
          troubles.delete(site.name);
          if (count > 0) onReminded(site.name, count);
        } catch (thrown) {
          if (signal.aborted) return false;
          failed(site.name, thrown);
        }
      }
      return false;
    },
    onFailed: (thrown) => failed('all sites', thrown),
  });
}
