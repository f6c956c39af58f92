// The one place that lists the floors that the built-in rules do not reach. They are shown as not reached and do not fail the run, unless
// what is measured gets worse than `atMost`. All of them say how far another language is apart from English, in both directions: in these
// cases English has the most words for one thing, and the sealed sets are small, so that one case is up to six points. The floors on what
// all languages together miss, and on RED called WHITE, have no entry.
import type { Part } from './sets.ts';

export type KnownFloor = {
  readonly group: Part;
  readonly what: string;
  /** In percentage points. */
  readonly atMost: number;
};

export const KNOWN_FLOORS: readonly KnownFloor[] = [
  { group: 'seen', what: 'among the first three, pt and en', atMost: 8 },
  { group: 'unseen', what: 'among the first three, es and en', atMost: 25 },
  { group: 'unseen', what: 'among the first three, pt and en', atMost: 25 },
  { group: 'unseen', what: 'must not be missed, pt and en', atMost: 15 },
  { group: 'late', what: 'among the first three, es and en', atMost: 25 },
  { group: 'late', what: 'among the first three, pt and en', atMost: 25 },
];
