// What the chart says that a note can be compared with. Entries are in the words of the chart.
import type { ChartSource } from './check-report.ts';

export type ChartEntry = Pick<ChartSource, 'text' | 'reference'>;

/** A list that could not be read is absent: only one that was read can be empty. */
export type ChartToCheck = {
  readonly allergies?: readonly ChartEntry[];
  readonly drugs?: readonly ChartEntry[];
  readonly problems?: readonly ChartEntry[];
  readonly sex?: 'female' | 'male';
  /** `1961-04-02`, or less exact. */
  readonly birthDate?: string;
  /** The day of the visit: `2026-11-28`. */
  readonly date?: string;
};
