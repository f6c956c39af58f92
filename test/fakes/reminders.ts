// Reminders about runs, in memory.
import type { Reminder, Reminders } from '../../src/ports/reminders.ts';
import { type KeptRun, type RunsMemory, tell } from './runs-store.ts';

export function makeFakeReminders(memory: RunsMemory): Reminders {
  return {
    record: async ({ site, because, afterMs, statuses, limit }) => {
      const since = new Date(memory.now().getTime() - afterMs);
      const due = [...memory.runs.values()]
        .filter((run) => run.site === site && statuses.some((status) => run.status === status))
        .filter((run) => !run.isDry && run.changedAt <= since && canBeTold(run, because))
        .filter((run) => !isFollowed(memory, run, because))
        .toSorted((one, other) => one.changedAt.getTime() - other.changedAt.getTime())
        .slice(0, limit);
      for (const run of due) {
        Object.assign(run, { remindedAt: memory.now(), remindedOf: run.changedAt, remindedAs: because });
        tell(memory, run, 'attention', because);
      }
      return due.length;
    },
  };
}

function canBeTold(run: KeptRun, because: Reminder): boolean {
  const { status, reason, review, remindedOf, changedAt } = run;
  const told = remindedOf?.getTime() === changedAt.getTime() ? run.remindedAs : undefined;
  const isForReview = status === 'held' && (reason === 'review' || reason === 'drafts');
  if (because === 'needs-person') {
    return told === undefined && (status === 'held' ? !isForReview : status === 'parked' && reason !== 'rejected');
  }
  const isUndecided = isForReview || (status === 'written' && review === undefined);
  return isUndecided && (told === undefined || (because === 'review-overdue' && told === 'review-due'));
}

function isFollowed(memory: RunsMemory, run: KeptRun, because: Reminder): boolean {
  return [...memory.runs.values()].some(
    (later) =>
      later.site === run.site &&
      later.encounter === run.encounter &&
      later.session === run.session &&
      later.serial > run.serial &&
      !later.isDry &&
      later.status !== 'cancelled' &&
      (because === 'needs-person' || later.revision > 0),
  );
}
