// Outcome events that wait to be sent. A row is inserted in the transaction that ends its run.
import type { OutcomeEvent, OutcomeKind } from '../domain/run/outcome-event.ts';

export type OutboxRow = {
  /** Stays the same when the event is sent again: receivers detect repeats by it. */
  readonly id: string;
  readonly kind: OutcomeKind;
  readonly event: OutcomeEvent;
  /** The trace that its run continues. */
  readonly traceparent?: string;
};

/** `unheard`: no queue is bound to the routing key. `no-broker`: no broker is configured. Neither is sent again. */
export type OutboxEnd = 'sent' | 'unheard' | 'no-broker';

/** RED alarms of one site that reached no one. */
export type UnheardAlarms = { readonly site: string; readonly count: number; readonly end: Exclude<OutboxEnd, 'sent'> };

export type Outbox = {
  /** Returns rows in the order of their insertion; no other engine receives them for `leaseMs`. */
  readonly take: (order: { readonly limit: number; readonly leaseMs: number }) => Promise<readonly OutboxRow[]>;
  readonly markEnded: (ids: readonly string[], end: OutboxEnd) => Promise<void>;
  /** Ends the leases of rows that were taken and not sent: the next `take` returns them. */
  readonly giveBack: (ids: readonly string[]) => Promise<void>;
  /** Number of rows by their end; `waiting` counts those that are not sent yet. */
  readonly counts: () => Promise<ReadonlyMap<OutboxEnd | 'waiting', number>>;
  /** RED alarms of the last `withinMs` that reached no one, since the last one of their site that was heard; sorted by site. `end` is the newest. */
  readonly unheardAlarms: (order: { readonly withinMs: number }) => Promise<readonly UnheardAlarms[]>;
};
