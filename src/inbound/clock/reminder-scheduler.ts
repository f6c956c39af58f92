// Sends reminders of all sites every minute. Each engine does this; the store lets only one of them send a given reminder. A site that
// fails delays no other site.
import type { SendReminders } from '../../flows/reviews/send-reminders.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Sites } from '../../ports/sites.ts';
import { type Repetition, startRepeating } from './repeat.ts';

type SchedulerParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly sendReminders: SendReminders;
  readonly runtime: Pick<Runtime, 'pause' | 'chance'>;
  readonly onReminded: (site: string, count: number) => void;
  /** Called for the first of several failures in a row of one site. */
  readonly onFailed: (site: string, thrown: unknown) => void;
};

const EVERY_MS = 60_000;

export function startReminderScheduler({
  sites,
  sendReminders,
  runtime,
  onReminded,
  onFailed,
}: SchedulerParts): Repetition {
  const failing = new Set<string>();
  const failed = (site: string, thrown: unknown): void => {
    if (!failing.has(site)) onFailed(site, thrown);
    failing.add(site);
  };
  return startRepeating({
    runtime,
    everyMs: EVERY_MS,
    work: async (signal) => {
      for (const site of sites.current().sites.values()) {
        try {
          const count = await sendReminders({ site }, signal);
          failing.delete(site.name);
          if (count > 0) onReminded(site.name, count);
        } catch (thrown) {
          if (signal.aborted) return;
          failed(site.name, thrown);
        }
      }
    },
    onFailed: (thrown) => failed('all sites', thrown),
  });
}
