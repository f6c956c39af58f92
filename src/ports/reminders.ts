// Reminders of runs that wait for a person. Each reminder is stored with its outcome event, so that none is sent twice, however many engines
// run.
import type { AttentionCause } from '../domain/run/outcome-event.ts';

export type Reminder = Exclude<AttentionCause, 'red' | 'moved'>;

/** The states in which a run waits for a person: a draft that is `written` is in the chart already. */
export type WaitingStatus = 'held' | 'parked' | 'written';

export type ReminderOrder = {
  readonly site: string;
  readonly because: Reminder;
  /** The run has not changed for this time. */
  readonly afterMs: number;
  /** Only runs in one of these states. */
  readonly statuses: readonly WaitingStatus[];
  readonly limit: number;
};

/** Throws `overloaded`, `internal`. */
export type Reminders = {
  /**
   * Stores an outcome event `attention` for each run without such a reminder since its last change, the longest waiting first. Returns their
   * number. Dry runs and runs that a later run of the session follows get none. `needs-person`: parked and not rejected, or held for another
   * reason than a review. The others are drafts without a decision; no `review-due` follows a `review-overdue`.
   */
  readonly record: (order: ReminderOrder) => Promise<number>;
};
