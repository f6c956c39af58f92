// Publishes outcome events at the broker.
import type { OutboxEnd, OutboxRow } from './outbox.ts';

export type Events = {
  /**
   * Resolves when the broker has confirmed the event, or if no broker is configured. Throws `vendorUnavailable` if the broker cannot be
   * reached, accepts nothing or does not confirm in time: the row stays in the outbox and is sent again under the same id.
   */
  readonly publish: (row: OutboxRow, signal: AbortSignal) => Promise<OutboxEnd>;
};
