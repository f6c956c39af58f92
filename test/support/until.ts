// Waits of tests, for conditions and never for time. A wait gives up before the test's own limit does, so that a condition that never becomes
// true is a failure with a place, and nothing continues in the background. They use Node's own clock and timers, so they also work while a
// test holds the timers of the code under test.
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

const GIVE_UP_MS = 50_000;
const LOOK_EVERY_MS = 5;
const LOOK_AT_LEAST_EVERY_MS = 50;
/** A look costs processor time, so a long wait looks less often; it is longer than its condition takes by this share at most. */
const SHARE_OF_WAIT = 1 / 20;

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await untilFound(async () => ((await condition()) ? true : undefined));
}

/** Returns the first value that is not undefined. */
export async function untilFound<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  const beganMs = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    const waitedMs = performance.now() - beganMs;
    if (waitedMs > GIVE_UP_MS) throw new Error(`waited ${GIVE_UP_MS / 1000} s for something that did not come`);
    await pause(pauseAfter(waitedMs));
  }
}

function pauseAfter(waitedMs: number): number {
  return Math.min(Math.max(waitedMs * SHARE_OF_WAIT, LOOK_EVERY_MS), LOOK_AT_LEAST_EVERY_MS);
}
