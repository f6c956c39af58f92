// Sends waiting outcome events in order. Each is sent at least once, with the same id. An event without a listener is marked, and not sent again.
import type { OutcomeKind } from '../domain/run/outcome-event.ts';
import type { Events } from '../ports/events.ts';
import type { Outbox, OutboxEnd } from '../ports/outbox.ts';

/**
 * One pass; returns the number of rows. Throws what the first failing publish throws (`vendorUnavailable` if the broker cannot be reached), after the
 * rows before it were marked: the next pass sends it and the rest.
 */
export type RelayOutcomes = (signal: AbortSignal) => Promise<number>;

type RelayParts = {
  readonly outbox: Pick<Outbox, 'take' | 'markEnded' | 'giveBack'>;
  readonly events: Events;
  readonly onEnded: (ended: { readonly kind: OutcomeKind; readonly end: OutboxEnd }) => void;
};

const LIMIT = 20;
/** For an engine that is killed. A pass that takes longer may send an event twice. */
const LEASE_MS = 30_000;

export function makeRelayOutcomes({ outbox, events, onEnded }: RelayParts): RelayOutcomes {
  return async (signal) => {
    const ended = new Map<OutboxEnd, string[]>();
    const rows = await outbox.take({ limit: LIMIT, leaseMs: LEASE_MS });
    const left = new Set(rows.map(({ id }) => id));
    try {
      for (const row of rows) {
        signal.throwIfAborted();
        const end = await events.publish(row, signal);
        ended.set(end, [...(ended.get(end) ?? []), row.id]);
        left.delete(row.id);
        onEnded({ kind: row.kind, end });
      }
    } finally {
      for (const [end, ids] of ended) await outbox.markEnded(ids, end);
      await outbox.giveBack([...left]);
    }
    return rows.length;
  };
}
