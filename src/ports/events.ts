// The way out for outcome events: to whoever listens at the broker.
import type { OutboxEnd, OutboxRow } from './outbox.ts';

export type Events = {
  /**
   * Resolves when the broker has it, or when there is none. Throws `vendorUnavailable` while the broker cannot be reached, takes nothing, or
   * did not say in time that it has it: then the row stays, and is sent again under the same id.
   */
  readonly publish: (row: OutboxRow, signal: AbortSignal) => Promise<OutboxEnd>;
};
