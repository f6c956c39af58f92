// Tells people once more of what waits for them: runs that need a person, and drafts that nobody has decided about. A site says after what
// time; one that says nothing is told nothing.
import { isSignedWithoutReview } from '../../domain/site/signed-without-review.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import type { Reminder, Reminders, WaitingStatus } from '../../ports/reminders.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';

/** To be called every minute or so; how many runs were told of. Throws what the store throws. */
export type SendReminders = (order: { readonly site: LoadedSite }, signal: AbortSignal) => Promise<number>;

type RemindParts = {
  readonly reminders: Reminders;
  readonly runtime: Pick<Runtime, 'now'>;
};

/** Of each kind: a site that begins with it today, with a thousand old drafts, floods nobody. */
const AT_A_TIME = 100;

export function makeSendReminders({ reminders, runtime }: RemindParts): SendReminders {
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

type Wanted = {
  readonly because: Reminder;
  readonly afterMs: number;
  readonly statuses: readonly WaitingStatus[];
};

/** What is overdue comes first: of that nobody is told that it is due as well. */
function wantedBy(settings: SiteSettings, now: Date): readonly Wanted[] {
  const { attention, review } = settings;
  const statuses = draftsOf(settings, now);
  const wanted = [
    { because: 'needs-person', afterMs: attention?.afterMs, statuses: ['parked', 'held'] },
    { because: 'review-overdue', afterMs: review.escalateAfterMs, statuses },
    { because: 'review-due', afterMs: review.remindAfterMs, statuses },
  ] as const;
  return wanted.flatMap(({ afterMs, ...rest }) => (afterMs === undefined ? [] : [{ ...rest, afterMs }]));
}

/** Without a review what is written is no draft; in shadow mode there are only those that were written before. */
function draftsOf(settings: SiteSettings, now: Date): readonly WaitingStatus[] {
  const held = settings.mode === 'shadow' ? [] : (['held'] as const);
  return isSignedWithoutReview(settings, now) ? held : ['written', ...held];
}
