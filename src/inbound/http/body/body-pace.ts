// Measures how fast a body arrives, averaged over a sliding window. Only the time spent waiting for the client counts, so that a
// client is not refused because the engine reads slowly.

export type MinimumRate = { readonly bytesPerSecond: number; readonly windowMs: number; readonly graceMs: number };

export const MINIMUM_RATE: MinimumRate = { bytesPerSecond: 16 * 1024, windowMs: 10_000, graceMs: 10_000 };

const SLOTS_PER_WINDOW = 20;

export class BodyPace {
  readonly #rate: MinimumRate;
  #waitedMs = 0;
  #slots: { atMs: number; bytes: number }[] = [];

  constructor(rate: MinimumRate) {
    this.#rate = rate;
  }

  waited(durationMs: number): void {
    this.#waitedMs += durationMs;
  }

  received(sizeBytes: number): void {
    const last = this.#slots.at(-1);
    if (last !== undefined && this.#waitedMs - last.atMs < this.#rate.windowMs / SLOTS_PER_WINDOW) {
      last.bytes += sizeBytes;
    } else {
      this.#slots.push({ atMs: this.#waitedMs, bytes: sizeBytes });
    }
  }

  /** `waitingMs`: the duration of the current wait. */
  isTooSlow(waitingMs = 0): boolean {
    const { bytesPerSecond, windowMs, graceMs } = this.#rate;
    const nowMs = this.#waitedMs + waitingMs;
    if (nowMs < graceMs) return false;
    this.#slots = this.#slots.filter((slot) => slot.atMs > nowMs - windowMs);
    const received = this.#slots.reduce((sum, slot) => sum + slot.bytes, 0);
    return received < (bytesPerSecond * Math.min(nowMs, windowMs)) / 1000;
  }
}
