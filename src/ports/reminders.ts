// Telling people once more of runs that wait for them. What is told is kept beside the outcome event: nobody tells the same twice, however
// many engines look.
import type { AttentionCause } from '../domain/run/outcome-event.ts';

export type Reminder = Exclude<AttentionCause, 'red'>;

/** The states in which a run waits for a person: a draft that is `written` is in the chart already. */
export type RestingStatus = 'held' | 'parked' | 'written';

export type ReminderOrder = {
  readonly site: string;
  readonly because: Reminder;
  /** Nothing has changed in the run for so long. */
  readonly afterMs: number;
  /** Only of runs that are so. */
  readonly statuses: readonly RestingStatus[];
  readonly limit: number;
};

/** Throws `overloaded`, `internal`. */
export type Reminders = {
  /**
   * Keeps an outcome event `attention` for each run of which this was not told since it last changed, those first that wait longest; how many.
   * Never of one that is dry, or that a later run of its session follows. `needs-person`: parked and not rejected, or held for another
   * reason than a review. The others: drafts that nobody has decided about; `review-overdue` leaves no `review-due` behind it.
   */
  readonly tell: (order: ReminderOrder) => Promise<number>;
};
