// Outcome events that wait to be sent. They are put there by whoever ends a run, in the same transaction.
import type { OutcomeEvent, OutcomeKind } from '../domain/run/outcome-event.ts';

export type OutboxRow = {
  /** The same each time it is sent: receivers recognise a repeat by it. */
  readonly id: string;
  readonly kind: OutcomeKind;
  readonly event: OutcomeEvent;
};

/** `unheard`: the broker says that nobody listens. `no-broker`: there is none. Neither is sent again. */
export type OutboxEnd = 'sent' | 'unheard' | 'no-broker';

export type Outbox = {
  /** In the order in which they came; for `leaseMs` nobody else gets them. */
  readonly take: (order: { readonly limit: number; readonly leaseMs: number }) => Promise<readonly OutboxRow[]>;
  readonly settle: (ids: readonly string[], end: OutboxEnd) => Promise<void>;
  /** By how each ended; `waiting` for those that have not. */
  readonly counts: () => Promise<ReadonlyMap<OutboxEnd | 'waiting', number>>;
};
