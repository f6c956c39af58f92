// How fast a body comes, averaged over a sliding window. Only the time in which we wait for the client counts: one whose
// bytes we are slow to take is not punished for it.

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

  /** `waitingMs`: how long the present wait has lasted already. */
  isTooSlow(waitingMs = 0): boolean {
    const { bytesPerSecond, windowMs, graceMs } = this.#rate;
    const nowMs = this.#waitedMs + waitingMs;
    if (nowMs < graceMs) return false;
    this.#slots = this.#slots.filter((slot) => slot.atMs > nowMs - windowMs);
    const received = this.#slots.reduce((sum, slot) => sum + slot.bytes, 0);
    return received < (bytesPerSecond * Math.min(nowMs, windowMs)) / 1000;
  }
}
