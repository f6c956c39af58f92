// Sends outcome events that wait, in the order in which they came. Each goes out at least once, under the same name; that nobody listens
// is kept, and not tried again.
import type { OutcomeKind } from '../domain/run/outcome-event.ts';
import type { Events } from '../ports/events.ts';
import type { Outbox, OutboxEnd } from '../ports/outbox.ts';

/**
 * One pass; gives how many rows ended. Throws what the first failing publish threw (`vendorUnavailable` where the broker is away), after
 * what went before it was settled: it and the rest stay with us until the lease ends, and come again.
 */
export type RelayOutcomes = (signal: AbortSignal) => Promise<number>;

type RelayParts = {
  readonly outbox: Pick<Outbox, 'take' | 'markEnded'>;
  readonly events: Events;
  readonly onEnded: (ended: { readonly kind: OutcomeKind; readonly end: OutboxEnd }) => void;
};

const LIMIT = 20;
/** After a failure nothing is sent before it ends: so not long. A pass that takes longer may send something twice. */
const LEASE_MS = 30_000;

export function makeRelayOutcomes({ outbox, events, onEnded }: RelayParts): RelayOutcomes {
  return async (signal) => {
    const ended = new Map<OutboxEnd, string[]>();
    const rows = await outbox.take({ limit: LIMIT, leaseMs: LEASE_MS });
    try {
      for (const row of rows) {
        signal.throwIfAborted();
        const end = await events.publish(row, signal);
        ended.set(end, [...(ended.get(end) ?? []), row.id]);
        onEnded({ kind: row.kind, end });
      }
    } finally {
      for (const [end, ids] of ended) await outbox.markEnded(ids, end);
    }
    return rows.length;
  };
}
