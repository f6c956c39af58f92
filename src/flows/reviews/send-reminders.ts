// Sends reminders of runs that need a person and of drafts without a decision, after the times in the settings of the site. A site without such
// times gets no reminders.
import { isSignedWithoutReview } from '../../domain/site/signed-without-review.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import type { Reminder, Reminders, WaitingStatus } from '../../ports/reminders.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';

/** Call it about every minute. Returns the number of reminders. Throws what the store throws. */
export type SendReminders = (order: { readonly site: LoadedSite }, signal: AbortSignal) => Promise<number>;

type ReminderParts = {
  readonly reminders: Reminders;
  readonly runtime: Pick<Runtime, 'now'>;
};

/** Limits each kind of reminder in a pass: a site that enables reminders may have a thousand old drafts. */
const AT_A_TIME = 100;

export function makeSendReminders({ reminders, runtime }: ReminderParts): SendReminders {
  return async ({ site: { name: site, settings } }, signal) => {
    if (settings.mode === 'off') return 0;
    let count = 0;
    for (const wanted of wantedBy(settings, runtime.now())) {
      signal.throwIfAborted();
      count += await reminders.record({ site, ...wanted, limit: AT_A_TIME });
    }
    return count;
  };
}

type DueReminder = {
  readonly because: Reminder;
  readonly afterMs: number;
  readonly statuses: readonly WaitingStatus[];
};

/** Overdue reviews come first, so that no reminder of a due review is sent for them as well. */
function wantedBy(settings: SiteSettings, now: Date): readonly DueReminder[] {
  const { attention, review } = settings;
  const statuses = draftsOf(settings, now);
  const wanted = [
    { because: 'needs-person', afterMs: attention?.afterMs, statuses: ['parked', 'held'] },
    { because: 'review-overdue', afterMs: review.escalateAfterMs, statuses },
    { because: 'review-due', afterMs: review.remindAfterMs, statuses },
  ] as const;
  return wanted.flatMap(({ afterMs, ...rest }) => (afterMs === undefined ? [] : [{ ...rest, afterMs }]));
}

/** The states in which a run is a draft. Without reviews a written run is final; in shadow mode nothing is held for review. */
function draftsOf(settings: SiteSettings, now: Date): readonly WaitingStatus[] {
  const held = settings.mode === 'shadow' ? [] : (['held'] as const);
  return isSignedWithoutReview(settings, now) ? held : ['written', ...held];
}
