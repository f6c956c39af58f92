// Decides whether a process that ended by itself is started again: a few times within a while, after pauses that grow, and then no more.
// What ends that often is not helped by another start: a person has to look. Pure: the times are handed in.
import { type BackoffLimits, backoffMs } from './backoff.ts';

export type RestartLimits = {
  /** At most so many restarts within any period of this length. */
  readonly most: number;
  readonly withinMs: number;
  readonly pause: BackoffLimits;
};

export type Restart = {
  /** Which restart of the period it is; the first is 1. */
  readonly number: number;
  readonly pauseMs: number;
  /** When the restarts of the period began, this one included. The next decision needs it. */
  readonly recentMs: readonly number[];
};

/** Undefined: the process is not started again. */
export function nextRestart(
  earlierMs: readonly number[],
  nowMs: number,
  { most, withinMs, pause }: RestartLimits,
): Restart | undefined {
  const recentMs = earlierMs.filter((beganMs) => nowMs - beganMs < withinMs);
  if (recentMs.length >= most) return undefined;
  return {
    number: recentMs.length + 1,
    pauseMs: backoffMs(recentMs.length, pause),
    recentMs: [...recentMs, nowMs],
  };
}
