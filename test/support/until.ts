// Waiting in tests: for conditions, never for time. Gives up before the test's own limit does, so that a condition that
// never comes is a failure with a place, and nothing goes on in the background.

const GIVE_UP_MS = 50_000;
const LOOK_EVERY_MS = 5;

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await untilFound(async () => ((await condition()) ? true : undefined));
}

/** The first thing that is not undefined. */
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
