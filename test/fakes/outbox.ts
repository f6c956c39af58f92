// Outcome events that wait to be sent, in memory, with a clock that the test sets.
import { randomUUID } from 'node:crypto';
import type { OutcomeEvent, OutcomeKind } from '../../src/domain/run/outcome-event.ts';
import type { Outbox, OutboxEnd, OutboxRow } from '../../src/ports/outbox.ts';

export type FakeOutbox = Outbox & {
  /** Adds an event, as the queue does when a run ends. */
  readonly put: (kind: OutcomeKind, event: OutcomeEvent) => OutboxRow;
};

type Stored = OutboxRow & { leasedUntilMs: number; end?: OutboxEnd };

export function makeFakeOutbox({ now = () => new Date() }: { readonly now?: () => Date } = {}): FakeOutbox {
  const stored: Stored[] = [];
  return {
    put: (kind, event) => {
      const row = { id: randomUUID(), kind, event };
      stored.push({ ...row, leasedUntilMs: Number.NEGATIVE_INFINITY });
      return row;
    },
    take: async ({ limit, leaseMs }) => {
      const nowMs = now().getTime();
      const taken = stored.filter((row) => row.end === undefined && row.leasedUntilMs <= nowMs).slice(0, limit);
      for (const row of taken) row.leasedUntilMs = nowMs + leaseMs;
      return taken.map(({ id, kind, event }) => ({ id, kind, event: structuredClone(event) }));
    },
    markEnded: async (ids, end) => {
      for (const row of stored) if (ids.includes(row.id)) row.end ??= end;
    },
    counts: async () => {
      const counts = new Map<OutboxEnd | 'waiting', number>();
      for (const { end = 'waiting' } of stored) counts.set(end, (counts.get(end) ?? 0) + 1);
      return counts;
    },
  };
}
