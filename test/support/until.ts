// Waits of tests, for conditions and never for time. A wait gives up before the test's own limit does, so that a condition that never becomes
// true is a failure with a place, and nothing continues in the background.

const GIVE_UP_MS = 50_000;
const LOOK_EVERY_MS = 5;

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await untilFound(async () => ((await condition()) ? true : undefined));
}

/** Returns the first value that is not undefined. */
export async function untilFound<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  const giveUpAtMs = performance.now() + GIVE_UP_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > giveUpAtMs)
      throw new Error(`waited ${GIVE_UP_MS / 1000} s for something that did not come`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
