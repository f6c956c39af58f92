// Outcome events that wait to be sent, in memory, with a clock that the test sets.
import { randomUUID } from 'node:crypto';
import type { OutcomeEvent, OutcomeKind } from '../../src/domain/run/outcome-event.ts';
import type { Outbox, OutboxEnd, OutboxRow, UnheardAlarms } from '../../src/ports/outbox.ts';

export type FakeOutbox = Outbox & {
  /** Adds an event, as the queue does when a run ends. */
  readonly put: (kind: OutcomeKind, event: OutcomeEvent) => OutboxRow;
};

type Stored = OutboxRow & { leasedUntilMs: number; end?: OutboxEnd; endedAtMs: number };

export function makeFakeOutbox({ now = () => new Date() }: { readonly now?: () => Date } = {}): FakeOutbox {
  const stored: Stored[] = [];
  return {
    put: (kind, event) => {
      const row = { id: randomUUID(), kind, event };
      stored.push({ ...row, leasedUntilMs: Number.NEGATIVE_INFINITY, endedAtMs: 0 });
      return row;
    },
    take: async ({ limit, leaseMs }) => {
      const nowMs = now().getTime();
      const taken = stored.filter((row) => row.end === undefined && row.leasedUntilMs <= nowMs).slice(0, limit);
      for (const row of taken) row.leasedUntilMs = nowMs + leaseMs;
      return taken.map(({ id, kind, event }) => ({ id, kind, event: structuredClone(event) }));
    },
    markEnded: async (ids, end) => {
      for (const row of stored) {
        if (!ids.includes(row.id) || row.end !== undefined) continue;
        Object.assign(row, { end, endedAtMs: now().getTime() });
      }
    },
    giveBack: async (ids) => {
      for (const row of stored) if (ids.includes(row.id)) row.leasedUntilMs = Number.NEGATIVE_INFINITY;
    },
    counts: async () => {
      const counts = new Map<OutboxEnd | 'waiting', number>();
      for (const { end = 'waiting' } of stored) counts.set(end, (counts.get(end) ?? 0) + 1);
      return counts;
    },
    unheardAlarms: async ({ withinMs }) => unheardIn(stored, now().getTime() - withinMs),
  };
}

function unheardIn(stored: readonly Stored[], sinceMs: number): readonly UnheardAlarms[] {
  const found = new Map<string, UnheardAlarms>();
  for (const { event, end, endedAtMs } of stored) {
    const { site, because } = event;
    if (because !== 'red' || end === undefined) continue;
    if (end === 'sent') found.delete(site);
    else if (endedAtMs > sinceMs) found.set(site, { site, end, count: (found.get(site)?.count ?? 0) + 1 });
  }
  return [...found.values()].toSorted((one, other) => (one.site < other.site ? -1 : 1));
}
